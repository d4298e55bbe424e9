/** What one can do with a request. */
import { useId, useState } from "preact/hooks"
import { Replayed, type RequestDetails } from "../../../src/internal/console/messages.js"
import type { JournalEntry } from "../../../src/Journal.js"
import { show } from "../address.js"
import { type CallFailure, call } from "../api.js"
import { CopyButtons } from "../CopyButtons.js"
import { isOn } from "../faults/faultTimes.js"
import { nameOf, setFaults, withEffect } from "../faults/setFaults.js"
import { useFaults } from "../faults/useFaults.js"
import { FailureNote, say } from "../notices.js"
import { editProblem } from "../speech.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"
import { editSpeech } from "../try/draft.js"
import { editTranscription } from "../try/recognition.js"
import { useCall } from "../useCall.js"
import { linkToPlace, type Place } from "./requestList.js"

export interface ActionsProps {
  readonly entry: JournalEntry
  /** `undefined`: not read yet. */
  readonly details: RequestDetails | undefined
  readonly filter: Place["filter"]
}

export const Actions = ({ details, entry, filter }: ActionsProps) => {
  const { fileName, number: own, operation, request, shortened } = entry
  const { busy, failure, make } = useCall()
  const [faultFailure, setFaultFailure] = useState<CallFailure>()
  const replayProblem = details?.replayProblem ?? undefined
  // Without its body, it can be neither sent again nor edited, for the same reason.
  const isUnread = request === null && replayProblem !== undefined
  const problem = isUnread ? undefined : editProblem(entry)
  const problemId = useId()
  const replayProblemId = useId()
  const costId = useId()
  const isRecording = useStore(requests)?.some(({ billing }) => billing === "notKnown") ?? false

  const sendAgain = async () => {
    // Before the details are read, the service says what is wrong.
    if (busy || replayProblem !== undefined) return
    const replayed = await make(() => call("POST", `platform/api/requests/${own}/replay`, Replayed))
    if (replayed !== undefined) show(linkToPlace({ filter, open: replayed.number }))
  }
  const edit = () => {
    if (request !== null) (operation === "synthesize" ? editSpeech : editTranscription)(request)
  }
  return (
    <>
      <div class="actions">
        {!isUnread && (
          <>
            <button
              type="button"
              class="primary"
              aria-busy={busy}
              disabled={replayProblem !== undefined}
              aria-describedby={replayProblem ? replayProblemId : isRecording ? costId : undefined}
              onClick={() => void sendAgain()}
            >
              {busy ? "Sending…" : "Send again"}
            </button>
            <button
              type="button"
              disabled={problem !== undefined}
              aria-describedby={problem && problemId}
              onClick={edit}
            >
              Edit
            </button>
          </>
        )}
        <TurnOff details={details} onFailure={setFaultFailure} />
        {request !== null && !shortened && (
          <CopyButtons call={{ operation, request }} name={`request ${own}`} fileName={fileName} />
        )}
      </div>
      {replayProblem && (
        <p class="quiet" id={replayProblemId}>
          {isUnread ? "It can't be sent again or edited" : "It can't be sent again"}: {replayProblem}.
        </p>
      )}
      {isRecording && replayProblem === undefined && (
        <p class="quiet" id={costId}>
          The service that is being recorded may bill it when you send it again.
        </p>
      )}
      {problem && (
        <p class="quiet" id={problemId}>
          {problem}
        </p>
      )}
      {(failure ?? faultFailure) && <FailureNote failure={failure ?? faultFailure ?? { message: "" }} />}
    </>
  )
}

interface TurnOffProps {
  readonly details: RequestDetails | undefined
  readonly onFailure: (failure: CallFailure | undefined) => void
}

/** Turns off the fault that the request met, while it can still fail requests. */
const TurnOff = ({ details, onFailure }: TurnOffProps) => {
  const records = useFaults()
  const met = details?.fault
  const record = records.find((each) => met != null && nameOf(each.fault) === nameOf(met) && isOn(each))
  if (record === undefined) return null
  const turnOff = async () => {
    const failure = await setFaults(withEffect(records.filter((each) => each !== record)))
    onFailure(failure)
    if (failure === undefined) say("The fault is off.")
  }
  return (
    <button type="button" class="destructive" onClick={() => void turnOff()}>
      Turn the fault off
    </button>
  )
}
