/**
 * The laws that hold for every schedule, whatever the network does. Each returns its violations as sentences.
 *
 * 1. **End**: a call ends within its deadlines, and within those of its phases after the last byte moved, in a value or in an error of its operation. If the network only delays, it ends in a value.
 * 2. **Leaks**: no connection, no request and no fiber is left.
 * 3. **Content**: a call returns only its own audio or transcript. A partly read stream is the beginning of its audio.
 * 4. **Billing**: a received response was billed. Any other billed response was written by the service, except perhaps its last byte,
 *    which is billed before it is sent. The report of a call says the truth about its billing.
 * 5. **Report**: the report says the truth about the attempts: how many there were, how much of each arrived, and its status. No attempt
 *    follows one that must not be repeated. An error names the deadline that passed, or why the connection failed.
 */
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import { SttError } from "@effect-speech/stt/SttError"
import type { CallReport } from "@effect-speech/transport/CallReport"
import { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { Exchange } from "./proxy.js"
import type { Call, Schedule } from "./schedule.js"
import { audioOf, type KnownRecording, leastCodePoints, radix, textOf } from "./services.js"

/** The outcome of a call. */
export interface Ended {
  readonly call: Call
  readonly rank: number
  readonly sentId: string
  /** `value`, `left early`, `interrupted`, `never ends`, the tag of an error, or `defect`. */
  readonly outcome: string
  readonly error: SttError | TtsError | undefined
  /** The report of the value or the error. */
  readonly report: CallReport | undefined
  /** The audio that was read. */
  readonly bytes: Uint8Array
  readonly text: string | undefined
  /** The id that the service returned. */
  readonly receivedId: string | undefined
  readonly elapsedMillis: number
  /** Time from the last byte of its proxy, or from its start, to its end. */
  readonly stillMillis: number
  readonly cause: Cause.Cause<unknown> | undefined
}

/** Everything that is known after a trial. */
export interface Evidence {
  readonly schedule: Schedule
  readonly ended: ReadonlyArray<Ended>
  /** The exchanges that the proxies recorded. */
  readonly exchanges: ReadonlyArray<Exchange>
  readonly journal: ReadonlyArray<JournalEntry>
  /** Billed units of the whole schedule. */
  readonly billedUnits: { readonly synthesize: number; readonly transcribe: number }
  /** How many of each thing are left. */
  readonly left: Readonly<Record<string, number>>
}

export const violationsOf = (evidence: Evidence, recordings: ReadonlyArray<KnownRecording>): ReadonlyArray<string> => [
  ...Object.entries(evidence.left).flatMap(([what, count]) => (count > 0 ? [`2: left: ${count} ${what}`] : [])),
  ...evidence.ended.flatMap((ended) => [
    ...endsWell(ended, evidence.schedule),
    ...isOwnContent(ended, recordings),
    ...isBillTrue(ended, evidence),
    ...isReportTrue(ended, evidence)
  ])
]

const isKnownError = Schema.is(Schema.Union(SttError, TtsError))

/** The errors that a network can cause, and the one that the schedule asks the service for. */
const possible: ReadonlySet<string> = new Set([
  ...["ConnectionFailed", "DeadlineExceeded", "ServerError"],
  // The response to an incomplete request is 400, or 408 if the request takes too long.
  ...["BadRequest", "UnexpectedStatus"]
])

/** Time that a call may exceed its deadlines, in milliseconds: a machine may be busy. */
const marginMillis = 10_000

/** The service closes a connection after five idle seconds. A request may be on its way at that moment. */
const mayBeStale = (error: SttError | TtsError, { elapsedMillis }: Ended): boolean =>
  error._tag.endsWith("ConnectionFailed") && elapsedMillis > 4000

/**
 * The longest time from the last byte to the end, by the deadlines of the phases. A retry waits at most 200 or 400 ms. A call may wait
 * for the others before it.
 */
const longestStillMillis = ({ calls, concurrency, deadlines, retries, together }: Schedule): number => {
  const rounds = together ? Math.ceil(calls.length / concurrency) : 1
  return rounds * ((retries + 1) * Math.max(deadlines.uploadIdle, deadlines.answer, deadlines.downloadIdle) + 600)
}

const endsWell = (ended: Ended, schedule: Schedule): ReadonlyArray<string> => {
  const { deadlines, isGentle } = schedule
  const { call, cause, elapsedMillis, error, outcome, stillMillis } = ended
  const found: Array<string> = []
  const name = `1: the ${call.operation}`
  if (outcome === "defect") found.push(`${name} ended in a defect: ${cause && Cause.pretty(cause)}`)
  if (outcome === "never ends") found.push(`${name} did not end`)
  const overrunMillis = elapsedMillis - Math.min(call.interruptMillis ?? deadlines.total, deadlines.total)
  if (overrunMillis > marginMillis) found.push(`${name} ended ${overrunMillis.toFixed(0)} ms after its deadline`)
  const isTooStill = stillMillis > longestStillMillis(schedule) + marginMillis
  if (isTooStill) found.push(`${name} ended ${stillMillis.toFixed(0)} ms after the last byte`)
  if (outcome === "interrupted" && call.interruptMillis === undefined) found.push(`${name} was interrupted by no one`)
  if (error !== undefined) {
    const service = call.operation === "transcribe" ? "Stt" : "Tts"
    const isPossible = error._tag.startsWith(service) && possible.has(error._tag.slice(3))
    if (!isKnownError(error) || !isPossible) found.push(`${name} ended in ${error._tag}: ${error.message}`)
    else if (isGentle && !mayBeStale(error, ended)) found.push(`${name} failed without a reason: ${error.message}`)
  }
  return found
}

const isOwnContent = (
  { bytes, call, outcome, rank, text }: Ended,
  recordings: ReadonlyArray<KnownRecording>
): ReadonlyArray<string> => {
  if (call.operation === "transcribe") {
    const expected = recordings[rank]?.text
    return outcome === "value" && text !== expected ? [`3: the transcript is "${text}", not "${expected}"`] : []
  }
  const audio = audioOf(textOf(rank, call.samples))
  if (outcome === "value" && bytes.length !== audio.length) {
    return [`3: ${bytes.length} of ${audio.length} bytes of audio were accepted as complete`]
  }
  const isSame = Buffer.compare(bytes, audio.subarray(0, bytes.length)) === 0
  return isSame ? [] : [`3: the audio of the ${call.operation} differs from that of its text`]
}

const entriesOf = (sentId: string, journal: ReadonlyArray<JournalEntry>) =>
  journal.filter(({ id, request }) => id === sentId || request?.transaction_id === sentId)

const isBillTrue = (ended: Ended, { billedUnits, exchanges, journal }: Evidence): ReadonlyArray<string> => {
  const { call, outcome, rank, report, sentId } = ended
  const units = call.operation === "transcribe" ? billedUnits.transcribe : billedUnits.synthesize / leastCodePoints
  const billed = Math.floor(units / radix ** rank) % radix
  const succeeded = entriesOf(sentId, journal).filter(({ status }) => status === 200)
  const answered = succeeded.filter((entry) => entry.outcome === "answered").length
  const isWritten = ({ request, unwritten }: Exchange) => request.includes(sentId) && (unwritten ?? 2) <= 1
  /** Number of responses that lost their client after all but the last byte, which is billed before it is sent. */
  const lastByte = Math.min(succeeded.length - answered, exchanges.filter(isWritten).length)
  const found: Array<string> = []
  const name = `4: the ${call.operation}`
  const facts = `billed ${billed} times, answered ${answered} times, ${lastByte} times except the last byte`
  const isUnbilled = (outcome === "value" && billed === 0) || billed < answered
  if (isUnbilled) found.push(`${name} was not billed: ${facts}`)
  if (billed > answered + lastByte) found.push(`${name} was billed too often: ${facts}`)
  if (report?.billing === "notBilled" && billed > 0) found.push(`${name} reports that it was not billed: ${facts}`)
  if (report?.billing === "billed" && billed === 0) found.push(`${name} reports that it was billed: ${facts}`)
  return found
}

/** Statuses after which a call is retried. After a 504, that may be billed again. */
const transient: ReadonlySet<number> = new Set([429, 500, 502, 503, 521])
const isRetried = (status: number, { retryAmbiguous }: Schedule) =>
  transient.has(status) || (status === 504 && retryAmbiguous)

/** What is false of an error that names a deadline, or a reason of the connection. */
const falseOf = (
  error: SttError | TtsError,
  { attempts, elapsedMillis }: CallReport,
  schedule: Schedule
): ReadonlyArray<string> => {
  const status = attempts.at(-1)?.status
  const found: Array<string> = []
  if (error._tag === "SttConnectionFailed" || error._tag === "TtsConnectionFailed") {
    const isRight = schedule.isRefused ? "refused" : status === undefined ? "reset" : "cut"
    if (error.reason !== isRight) found.push(`the error gives the reason ${error.reason}, ${error.code}`)
  }
  if (error._tag === "SttDeadlineExceeded" || error._tag === "TtsDeadlineExceeded") {
    const { limitMillis, phase } = error
    const { answer, downloadIdle, total, uploadIdle } = schedule.deadlines
    const limit = { answer, download: downloadIdle, total, upload: uploadIdle }[phase]
    if (limitMillis !== limit) found.push(`the error gives the limit ${limitMillis} of the phase ${phase}`)
    if (elapsedMillis < limitMillis) found.push(`it ended after ${elapsedMillis} of ${limitMillis} ms`)
    // Between two attempts, the last one has a status that is retried.
    const isAnswered = status !== undefined && !isRetried(status, schedule)
    if (phase === "download" && status === undefined) found.push("its download had not started")
    if ((phase === "upload" || phase === "answer") && isAnswered) found.push(`it had a response in the phase ${phase}`)
  }
  return found
}

const isReportTrue = (ended: Ended, { exchanges, journal, schedule }: Evidence): ReadonlyArray<string> => {
  const { call, error, outcome, receivedId, report, sentId } = ended
  if (report === undefined) return []
  const found: Array<string> = []
  const holds = (isSo: boolean, what: string) => {
    if (!isSo) found.push(`5: the ${call.operation}: ${what} (${outcome}; ${JSON.stringify(report.attempts)})`)
  }
  const { attempts } = report
  const last = attempts.at(-1)
  const own = exchanges.filter(({ request }) => request.includes(sentId))
  const entries = entriesOf(sentId, journal)
  const count = (isSo: (attempt: (typeof attempts)[number]) => boolean) => attempts.filter(isSo).length

  holds(report.sentId === sentId, `it reports the sent id ${report.sentId}`)
  holds(attempts.length <= schedule.retries + 1, `it reports ${attempts.length} attempts`)
  holds(entries.length <= attempts.length, `the service got ${entries.length} requests`)
  holds(own.length <= count(({ sent }) => sent !== "nothing"), `${own.length} requests arrived at least in part`)
  const whole = own.filter(({ isRequestComplete }) => isRequestComplete).length
  holds(whole <= count(({ sent }) => sent === "all"), `${whole} requests arrived completely`)
  // If the id is in the body, the response may have come before it.
  const nameless = exchanges.filter(({ request }) => !request.includes("00000000-0000-4000-8000-"))
  for (const { status } of attempts) {
    const answers = [...own, ...nameless].filter((each) => each.status === status).length
    const isAnswered = status === undefined || count((attempt) => attempt.status === status) <= answers
    holds(isAnswered, `no response had the status ${status}`)
  }
  for (const { sent, status } of attempts.slice(0, -1)) {
    const mayRepeat = status === undefined ? sent !== "all" || schedule.retryAmbiguous : isRetried(status, schedule)
    holds(mayRepeat, "it retried an attempt that must not be retried")
  }
  if (error !== undefined) {
    for (const what of falseOf(error, report, schedule)) holds(false, what)
    if ("sent" in error) holds(error.sent === last?.sent, `the error says that ${error.sent} was sent`)
    return found
  }
  holds(last?.status === 200 && last.sent === "all", "the last attempt has no complete 200")
  const given = entries.some(({ id }) => id === receivedId)
  holds(given, `the service did not return the id ${receivedId}`)
  return found
}
