/**
 * Compares what the clients saw with what the service recorded: every error has a fault as its cause, every fault has a
 * result, and the calls explain the bill.
 */
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import { sum } from "effect-speech-test-support/report"
import type { Used } from "../../support/journal.js"

/** Times are in milliseconds since 1970. */
export interface Attempt {
  readonly startedAt: number
  /** The status of the response, if one began. */
  status?: number | undefined
}

export interface Call {
  /** The request id or the transaction id. */
  readonly id: string
  readonly kind: string
  readonly operation: Operation
  /** In credits. */
  readonly cost: number
  readonly startedAt: number
  readonly endedAt: number
  readonly attempts: ReadonlyArray<Attempt>
  /** `success`, `wrong` (a wrong result), `interrupted`, `defect`, or the tag of an error. */
  readonly outcome: string
  /** The message of the error. */
  readonly message?: string | undefined
  /** The billing in the report of the call. */
  readonly billing?: string | undefined
}

type Entry = JournalEntry
type Operation = "transcribe" | "synthesize"

interface Account {
  readonly problems: ReadonlyArray<string>
  /** The results of faults, and how often each occurred. */
  readonly faults: ReadonlyMap<string, number>
}

export const account = (calls: ReadonlyArray<Call>, entries: ReadonlyArray<Entry>): Account => {
  const { entryOf, problems } = match(calls, entries)
  const faults = new Map<string, number>()
  for (const call of calls) {
    const last = call.attempts.length - 1
    for (const [index, attempt] of call.attempts.entries()) {
      const entry = entryOf.get(attempt)
      const isInterrupted = index === last && call.outcome === "interrupted"
      const what = `${call.operation} ${call.id}, attempt ${index + 1} of ${last + 1}, ${call.outcome}`
      if (entry === undefined) {
        if (!isInterrupted) problems.push(`${what}: no request of the service explains it: ${call.message}`)
        continue
      }
      const isFailed = index < last || (!isInterrupted && call.outcome !== "success" && call.outcome !== "wrong")
      if (isFailed && entry.outcome !== "faulted") {
        problems.push(`${what}: it failed without a fault (${entry.status}, ${entry.outcome}): ${call.message}`)
      }
      if (!isFailed && !isInterrupted && entry.outcome === "abandoned") {
        problems.push(`${what}: the service recorded that the client closed the connection`)
      }
      if (entry.outcome === "faulted") {
        const result = index < last ? "retried" : isInterrupted ? "interrupted by the check" : call.outcome
        faults.set(result, (faults.get(result) ?? 0) + 1)
      }
    }
  }
  return { problems, faults }
}

/** An attempt that no entry matches by its id. */
interface Candidate {
  readonly call: Call
  readonly attempt: Attempt
  /** By the check, perhaps before the request was sent. */
  readonly isInterrupted: boolean
  /** Whether the service may have sent a status that the client did not see. */
  readonly anyStatus: boolean
}

/** Finds the entry of each attempt: by id if the service has read the id, else by time and status. */
const match = (calls: ReadonlyArray<Call>, entries: ReadonlyArray<Entry>) => {
  const problems: Array<string> = []
  const entryOf = new Map<Attempt, Entry>()
  const byId = new Map<string, Array<Entry>>()
  const withoutId: Array<Entry> = []
  for (const entry of entries) {
    const id = entry.operation === "synthesize" ? entry.id : entry.request?.transaction_id
    if (typeof id !== "string") withoutId.push(entry)
    else if (byId.get(id)?.push(entry) === undefined) byId.set(id, [entry])
  }

  const unmatched: Array<Candidate> = []
  for (const call of calls) {
    const known = byId.get(call.id) ?? []
    byId.delete(call.id)
    for (const [index, attempt] of call.attempts.entries()) {
      const isLast = index === call.attempts.length - 1
      const isInterrupted = isLast && call.outcome === "interrupted"
      const anyStatus = isInterrupted || (isLast && attempt.status === undefined)
      const candidate = { call, attempt, isInterrupted, anyStatus }
      const found = known.findIndex((entry) => isStatusOf(candidate, entry))
      const [entry] = found < 0 ? [] : known.splice(found, 1)
      if (entry !== undefined) entryOf.set(attempt, entry)
      else unmatched.push(candidate)
    }
    for (const entry of known) problems.push(`${describe(entry)} is more than the client sent`)
  }
  const pairs = pair(unmatched, withoutId)
  for (const [entry, { attempt }] of pairs) entryOf.set(attempt, entry)
  for (const entry of [...[...byId.values()].flat(), ...withoutId.filter((entry) => !pairs.has(entry))]) {
    problems.push(`${describe(entry)} belongs to no call`)
  }
  return { entryOf, problems }
}

/**
 * Pairs as many as possible, by augmenting paths (J. Hopcroft and R. Karp, 1973): first the attempts that must have been
 * requests, then the entries that must belong to an attempt. What has a pair keeps one.
 */
const pair = (candidates: ReadonlyArray<Candidate>, entries: ReadonlyArray<Entry>): ReadonlyMap<Entry, Candidate> => {
  const candidateOf = new Map<Entry, Candidate>()
  const entryOf = new Map<Candidate, Entry>()
  /** Finds a partner for `one`, for which the earlier pair of the partner may change. */
  const join = <One, Other>(
    one: One,
    others: ReadonlyArray<Other>,
    isPossible: (one: One, other: Other) => boolean,
    partners: { readonly ofOne: Map<One, Other>; readonly ofOther: Map<Other, One> },
    seen = new Set<Other>()
  ): boolean =>
    others.some((other) => {
      if (seen.has(other) || !isPossible(one, other)) return false
      seen.add(other)
      const rival = partners.ofOther.get(other)
      if (rival !== undefined && !join(rival, others, isPossible, partners, seen)) return false
      partners.ofOther.set(other, one)
      partners.ofOne.set(one, other)
      return true
    })
  for (const candidate of candidates) {
    if (!candidate.isInterrupted) join(candidate, entries, couldBe, { ofOne: entryOf, ofOther: candidateOf })
  }
  const couldBelong = (entry: Entry, candidate: Candidate) => couldBe(candidate, entry)
  for (const entry of entries) {
    if (!candidateOf.has(entry)) join(entry, candidates, couldBelong, { ofOne: candidateOf, ofOther: entryOf })
  }
  return candidateOf
}

/** Both processes read one clock, but the times of a call are rounded. */
const roundingMillis = 5
/** How long a request may wait before a busy service reads it. */
const lateMillis = 10_000

const couldBe = (candidate: Candidate, entry: Entry) => {
  const at = Date.parse(entry.at)
  const { attempt, call, isInterrupted } = candidate
  return (
    entry.operation === call.operation &&
    // If the client waited, the service leaves a form unread only for a fault.
    (isInterrupted || entry.outcome === "faulted") &&
    at >= attempt.startedAt - roundingMillis &&
    at <= call.endedAt + (isInterrupted ? lateMillis : roundingMillis) &&
    isStatusOf(candidate, entry)
  )
}

const isStatusOf = ({ anyStatus, attempt }: Candidate, { status }: Entry) =>
  anyStatus || (status ?? undefined) === attempt.status

const describe = ({ at, number, operation, outcome, status }: Entry) =>
  `Request ${number} (${operation}, ${at}, ${status}, ${outcome})`

/**
 * The differences between the ledger and the calls. Each successful call is billed. An interrupted call may be billed too,
 * if its response was on the way.
 */
export const ledgerProblems = (calls: ReadonlyArray<Call>, before: Used, after: Used): ReadonlyArray<string> =>
  (["transcribe", "synthesize"] as const).flatMap((operation) => {
    const total = (...outcomes: ReadonlyArray<string>) => {
      const own = calls.filter((call) => call.operation === operation && outcomes.includes(call.outcome))
      return { calls: own.length, credits: sum(own.map(({ cost }) => cost)) }
    }
    const [least, most] = [total("success", "wrong"), total("success", "wrong", "interrupted")]
    return (["calls", "credits"] as const).flatMap((unit) => {
      const billed = after[operation][unit] - before[operation][unit]
      return billed < least[unit] || billed > most[unit]
        ? [`${operation}: ${billed} ${unit} are billed, ${least[unit]} to ${most[unit]} are explained`]
        : []
    })
  })
