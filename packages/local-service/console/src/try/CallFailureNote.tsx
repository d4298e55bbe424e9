/** Why a call of this room failed, with links to its request and to the fault that it met. */
import type { JournalEntry } from "../../../src/Journal.js"
import { linkTo } from "../address.js"
import type { CallFailure } from "../api.js"
import { FailureNote } from "../notices.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"

export interface CallFailureNoteProps {
  readonly failure: CallFailure
  readonly operation: JournalEntry["operation"]
}

export const CallFailureNote = ({ failure, operation }: CallFailureNoteProps) => {
  const entries = useStore(requests)
  const entry = entries?.findLast((each) => each.operation === operation && isOf(each, failure))
  return (
    <>
      <FailureNote failure={entry === undefined ? failure : { ...failure, requestId: undefined }} />
      {entry !== undefined && (
        <p class="quiet">
          <a href={linkTo("requests", [entry.number])}>Request {entry.number}</a>
          {entry.fault !== undefined && (
            <>
              {" · a fault was applied: "}
              <a href={linkTo("faults")}>Faults</a>
            </>
          )}
        </p>
      )}
    </>
  )
}

/** A transcription that was refused has no id in the journal, because its body was not read. It is the latest of this page. */
const isOf = ({ id, refusedKeyId, request }: JournalEntry, { requestId, tag = "" }: CallFailure): boolean =>
  requestId != null &&
  (id === requestId ||
    request?.transaction_id === requestId ||
    (refusals.has(tag) && request === null && refusedKeyId === "console"))

const refusals = new Set(["SttUnauthorized", "SttCreditExhausted", "SttForbidden"])
