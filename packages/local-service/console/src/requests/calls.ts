/** Calls: the requests that are attempts of the same one. */
import type { JournalEntry } from "../../../src/Journal.js"
import { isFailed } from "./outcome.js"

/** A call of a program: one request, and those that its client sent again after a failure. */
export interface Call {
  /** Oldest first. At least one. */
  readonly attempts: ReadonlyArray<JournalEntry>
  readonly first: JournalEntry
  readonly latest: JournalEntry
}

/** A later request with the same id is a call of its own: no client waits longer between two attempts. */
const longestPauseMillis = 3_600_000

/** What the attempts of a call have in common: the id of a synthesis, the transaction id of a transcription. */
export const callIdOf = ({ id, operation, request }: JournalEntry): string | undefined => {
  if (operation === "synthesize") return id ?? undefined
  const transactionId = request?.transaction_id
  return typeof transactionId === "string" ? transactionId : undefined
}

/** Whether a request can be the attempt before another one with its id. */
const isBefore = (earlier: JournalEntry, later: JournalEntry): boolean =>
  (isFailed(earlier) || earlier.fault !== undefined) &&
  earlier.operation === later.operation &&
  (earlier.request === null || later.request === null || earlier.request.text === later.request.text) &&
  Date.parse(later.at) - Date.parse(earlier.at) <= longestPauseMillis

/** The call of a latest attempt, as it was made before. An entry is replaced when it changes. */
const made = new WeakMap<JournalEntry, Call>()

const toCall = (latest: JournalEntry, attempts: ReadonlyArray<JournalEntry>): Call => {
  const before = made.get(latest)
  if (before?.attempts.length === attempts.length && before.attempts.every((each, at) => each === attempts[at])) {
    return before
  }
  const call: Call = { attempts, first: attempts[0] ?? latest, latest }
  made.set(latest, call)
  return call
}

/** The calls of requests, which are oldest first. The call with the latest request is first. A call that stays the same is the same object. */
export const callsOf = (entries: ReadonlyArray<JournalEntry>): ReadonlyArray<Call> => {
  /** Latest attempt first. */
  const groups: Array<Array<JournalEntry>> = []
  const byId = new Map<string, Array<JournalEntry>>()
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]
    if (entry === undefined) continue
    const id = callIdOf(entry)
    const group = id === undefined ? undefined : byId.get(id)
    const next = group?.at(-1)
    if (group !== undefined && next !== undefined && isBefore(entry, next)) {
      group.push(entry)
      continue
    }
    const own = [entry]
    groups.push(own)
    if (id !== undefined) byId.set(id, own)
  }
  return groups.flatMap((group) => {
    const [latest] = group
    return latest === undefined ? [] : [toCall(latest, group.length === 1 ? group : group.reverse())]
  })
}

/** Milliseconds from the first request of a call to its latest response. `undefined` if none was sent. */
export const tookMillis = ({ attempts, first, latest }: Call): number | undefined => {
  if (latest.millis === null) return undefined
  if (attempts.length === 1) return latest.millis
  return Math.max(latest.millis, Date.parse(latest.at) - Date.parse(first.at) + latest.millis)
}
