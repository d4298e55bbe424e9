/** What the service keeps of a request beside its entry. */
import { useEffect, useState } from "preact/hooks"
import { RequestDetails } from "../../../src/internal/console/messages.js"
import type { JournalEntry } from "../../../src/Journal.js"
import { type CallFailure, call } from "../api.js"

export interface DetailsState {
  readonly details: RequestDetails | undefined
  /** The service does not have the request. */
  readonly isGone: boolean
  readonly failure: CallFailure | undefined
}

const reading: DetailsState = { details: undefined, isGone: false, failure: undefined }

/** Reads the details of a request, again each time that its entry changes. */
export const useDetails = (number: number, entry: JournalEntry | undefined): DetailsState => {
  const [state, setState] = useState(reading)
  useEffect(() => {
    const controller = new AbortController()
    void call("GET", `platform/api/requests/${number}`, RequestDetails, { signal: controller.signal }).then(
      (outcome) => {
        if (controller.signal.aborted) return
        if (outcome.ok) return setState({ ...reading, details: outcome.value })
        setState({ details: undefined, isGone: outcome.status === 404, failure: outcome.failure })
      }
    )
    return () => controller.abort()
  }, [number, entry])
  return state
}
