/** The report of the faults, while its room is open. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { useEffect, useState } from "preact/hooks"
import { FaultedRequest } from "../../../src/FaultedRequest.js"
import { FaultReport } from "../../../src/Faults.js"
import { type CallFailure, call } from "../api.js"
import { faults, requests } from "../state.js"

/** Between the end of a reading and the next one. */
const shortestPauseMillis = 1000

/** The pause is at least so many times as long as the reading: 10,000 requests keep the service busy for 0.2 s. */
const pauseFactor = 10

/** The requests are decoded only as far as they are shown: there can be 10,000. */
const Read = Schema.Struct({ ...FaultReport.fields, requests: Schema.Array(Schema.Unknown) })
type Read = typeof Read.Type

export interface ReportState {
  readonly report?: Read
  readonly failure?: CallFailure
}

const decode = Schema.decodeUnknownEither(FaultedRequest)

/** The latest requests of a report, latest first. */
export const latestOf = ({ requests: all }: Read, count: number): ReadonlyArray<FaultedRequest> =>
  all
    .slice(-count)
    .reverse()
    .flatMap((each) => Either.match(decode(each), { onLeft: () => [], onRight: (request) => [request] }))

/** Reads the report when a request or a fault has changed, at most once a second. */
export const useReport = (): ReportState => {
  const [state, setState] = useState<ReportState>({})
  useEffect(() => {
    let isOpen = true
    let waiting: ReturnType<typeof setTimeout> | undefined
    let isReading = false
    let isStale = false

    const read = async () => {
      isReading = true
      isStale = false
      const startedAt = performance.now()
      const outcome = await call("GET", "platform/api/faults/report", Read)
      if (!isOpen) return
      // If the service is gone, the latest report stays.
      if (outcome.ok) setState({ report: outcome.value })
      else setState((before) => ({ ...before, failure: outcome.failure }))
      waiting = setTimeout(
        () => {
          isReading = false
          if (isStale) void read()
        },
        Math.max(shortestPauseMillis, pauseFactor * (performance.now() - startedAt))
      )
    }
    const changed = () => {
      if (isReading) isStale = true
      else void read()
    }

    void read()
    const stopListening = [requests.subscribe(changed), faults.subscribe(changed)]
    return () => {
      isOpen = false
      clearTimeout(waiting)
      for (const stop of stopListening) stop()
    }
  }, [])
  return state
}
