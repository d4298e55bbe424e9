/**
 * The laws that hold for every schedule, whatever the network does. Each returns its violations as sentences.
 *
 * 1. **End**: a call ends within its deadlines, in a value or in an error of its operation. If the network only delays, it ends in a value.
 * 2. **Leaks**: no socket and no fiber is left.
 * 3. **Content**: a call returns only its own audio or transcript. A partly read stream is the beginning of its audio.
 * 4. **Billing**: a received response was billed. Any other billed response was written by the service, except perhaps its last byte,
 *    which is billed before it is sent. The report of a call says the truth about its billing.
 * 5. **Report**: the report says the truth about the attempts. It does not contain the key. A call retries after the status of a
 *    gateway, as often as it may, and ends in an error that has it.
 * 6. **Turns**: a client has no more exchanges at once than its `concurrency`. The calls that wait keep the laws above.
 */
import { inspect } from "node:util"
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import { SttError } from "@effect-speech/stt/SttError"
import { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { Ended } from "./calls.js"
import type { Exchange } from "./proxy.js"
import type { Schedule } from "./schedule.js"
import { leastCodePoints, radix, type Services, textOf } from "./services.js"

/** Everything that is known after a trial. */
export interface Evidence {
  readonly schedule: Schedule
  readonly ended: ReadonlyArray<Ended>
  /** The exchanges that the proxies recorded. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** Highest number of exchanges of a client at the same time. */
  readonly atOnce: number
  readonly journal: ReadonlyArray<JournalEntry>
  /** Billed units of the whole schedule. */
  readonly billedUnits: { readonly synthesize: number; readonly transcribe: number }
  readonly left: {
    /** Connections of the clients in use after the calls. */
    readonly busy: number
    /** Connections of the clients after the layer closed. */
    readonly open: number
    /** Connections of the service. */
    readonly attached: number
    readonly fibers: number
    /** Requests that the service has not finished. */
    readonly underWay: number
  }
  readonly key: string
}

export const violationsOf = async (
  evidence: Evidence,
  services: Services,
  marginMillis: number
): Promise<ReadonlyArray<string>> => [
  ...evidence.ended.flatMap((ended) => endsWell(ended, evidence.schedule, marginMillis)),
  ...leavesNothing(evidence),
  ...(await Promise.all(evidence.ended.map((ended) => isOwnContent(ended, services)))).flat(),
  ...evidence.ended.flatMap((ended) => isBillTrue(ended, evidence)),
  ...evidence.ended.flatMap((ended) => isReportTrue(ended, evidence)),
  ...keepsTurns(evidence)
]

const isKnownError = Schema.is(Schema.Union(SttError, TtsError))

/** The errors that a network can cause, and the one that the schedule asks the service for. */
const possible: ReadonlySet<string> = new Set([
  ...["ConnectionFailed", "DeadlineExceeded", "ServerError"],
  // The response to an incomplete request is 400, or 408 if the request takes too long.
  ...["BadRequest", "UnexpectedStatus"]
])

/** The service closes a connection after five idle seconds. A request may be on its way at that moment. */
const mayBeStale = (error: SttError | TtsError, { sinceFirstMillis }: Ended): boolean =>
  (error._tag === "SttConnectionFailed" || error._tag === "TtsConnectionFailed") && sinceFirstMillis > 4000

const endsWell = (ended: Ended, schedule: Schedule, marginMillis: number): ReadonlyArray<string> => {
  const { call, cause, error, outcome, overrunMillis } = ended
  const found: Array<string> = []
  const name = `1: the ${call.operation}`
  if (outcome === "defect") found.push(`${name} ended in a defect: ${cause && Cause.pretty(cause)}`)
  if (outcome === "never ends") found.push(`${name} did not end`)
  if (overrunMillis > marginMillis) found.push(`${name} ended ${overrunMillis.toFixed(0)} ms after its deadline`)
  if (outcome === "interrupted" && call.interruptMillis === undefined) found.push(`${name} was interrupted by no one`)
  if (error !== undefined) {
    const service = call.operation === "transcribe" ? "Stt" : "Tts"
    const isPossible = error._tag.startsWith(service) && possible.has(error._tag.slice(3))
    if (!isKnownError(error) || !isPossible) found.push(`${name} ended in ${error._tag}: ${error.message}`)
    else if (schedule.isGentle && !mayBeStale(error, ended))
      found.push(`${name} failed without a reason: ${error.message}`)
  }
  return found
}

const leavesNothing = ({ left }: Evidence): ReadonlyArray<string> => [
  ...(left.busy > 0 ? [`2: ${left.busy} connections are in use after the calls`] : []),
  ...(left.open > 0 ? [`2: ${left.open} connections are open after the layer`] : []),
  ...(left.attached > 0 ? [`2: the service keeps ${left.attached} connections of closed clients`] : []),
  ...(left.fibers > 0 ? [`2: ${left.fibers} fibers are left`] : []),
  ...(left.underWay > 0 ? [`2: the service has not finished ${left.underWay} requests`] : [])
]

const isOwnContent = async (
  { bytes, call, outcome, text }: Ended,
  services: Services
): Promise<ReadonlyArray<string>> => {
  if (call.operation === "transcribe") {
    const expected = services.recordings[call.rank]?.text
    return outcome === "value" && text !== expected ? [`3: the transcript is "${text}", not "${expected}"`] : []
  }
  const audio = await services.audioOf(textOf(call), call.outputFormat)
  if (outcome === "value" && bytes.length !== audio.length) {
    return [`3: ${bytes.length} of ${audio.length} bytes of audio were accepted as complete`]
  }
  const same = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(audio.subarray(0, bytes.length))
  return same ? [] : [`3: the audio of the ${call.operation} differs from that of its text`]
}

const keepsTurns = ({ atOnce, ended, schedule }: Evidence): ReadonlyArray<string> => {
  // The proxy may notice that a client closed a connection only after the next request.
  const allComplete = ended.every(({ outcome }) => outcome === "value")
  return schedule.isGentle && allComplete && atOnce > schedule.concurrency
    ? [`6: ${atOnce} exchanges ran at once, not ${schedule.concurrency}`]
    : []
}

/** How often a call was billed, received, and answered by the service. */
export const billingOf = ({ call, outcome, sentId }: Ended, { billedUnits, exchanges, journal }: Evidence) => {
  const units = call.operation === "transcribe" ? billedUnits.transcribe : billedUnits.synthesize / leastCodePoints
  const succeeded = entriesOf(sentId, journal).filter(({ status }) => status === 200)
  const answered = succeeded.filter((entry) => entry.outcome === "answered").length
  return {
    billed: Math.floor(units / radix ** call.rank) % radix,
    received: outcome === "value" ? 1 : 0,
    answered,
    /** Number of responses that lost their client after all but the last byte. */
    lastByte: Math.min(
      succeeded.length - answered,
      exchanges.filter(
        ({ request, unwritten }) => request.includes(sentId) && unwritten !== undefined && unwritten <= 1
      ).length
    )
  }
}

const entriesOf = (sentId: string, journal: ReadonlyArray<JournalEntry>) =>
  journal.filter(({ id, request }) => id === sentId || request?.transaction_id === sentId)

const isBillTrue = (ended: Ended, evidence: Evidence): ReadonlyArray<string> => {
  const { answered, billed, lastByte, received } = billingOf(ended, evidence)
  const found: Array<string> = []
  const name = `4: the ${ended.call.operation}`
  const facts = `billed ${billed} times, answered ${answered} times, ${lastByte} times except the last byte`
  if (billed < received || billed < answered) found.push(`${name} was not billed: ${facts}`)
  if (billed > answered + lastByte) found.push(`${name} was billed too often: ${facts}`)
  const said = ended.report?.billing
  if (said === "notBilled" && billed > 0) found.push(`${name} reports that it was not billed: ${facts}`)
  if (said === "billed" && billed === 0) found.push(`${name} reports that it was billed: ${facts}`)
  return found
}

/** Statuses of a gateway that the services of these schedules send. */
const ofGateway: ReadonlySet<number> = new Set([504, 521])

/** Statuses after which a call is retried. After a 504, that may be billed again. */
const transient: ReadonlySet<number> = new Set([429, 500, 502, 503, 521])
const isRetried = (status: number, { retryAmbiguous }: Evidence["schedule"]) =>
  transient.has(status) || (status === 504 && retryAmbiguous)

const isReportTrue = (ended: Ended, { exchanges, journal, key, schedule }: Evidence): ReadonlyArray<string> => {
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
  const arrived = own.length
  holds(arrived <= count(({ sent }) => sent !== "nothing"), `${arrived} requests arrived at least in part`)
  const whole = own.filter(({ isRequestComplete }) => isRequestComplete).length
  holds(whole <= count(({ sent }) => sent === "all"), `${whole} requests arrived completely`)
  // If the id is in the body, the response may have come before it.
  const nameless = exchanges.filter(({ request }) => !/[0-9a-f]{8}-0000-4000-8000-/.test(request))
  for (const { status } of attempts) {
    if (status === undefined) continue
    const answers = [...own, ...nameless].filter((each) => each.status === status).length
    holds(count((attempt) => attempt.status === status) <= answers, `no response had the status ${status}`)
  }
  for (const { sent, status } of attempts.slice(0, -1)) {
    const mayRepeat = status === undefined ? sent !== "all" || schedule.retryAmbiguous : isRetried(status, schedule)
    holds(mayRepeat, "it retried an attempt that must not be retried")
  }
  if (error === undefined) {
    holds(last?.status === 200 && last.sent === "all", "the last attempt has no complete 200")
    const given = entries.some(({ id }) => id === receivedId)
    holds(given, `the service did not return the id ${receivedId}`)
    return found
  }

  if ((error._tag === "SttUnexpectedStatus" || error._tag === "TtsUnexpectedStatus") && ofGateway.has(error.status)) {
    const isRepeatable =
      (call.operation !== "transcribe" || call.source !== "oneShot") && isRetried(error.status, schedule)
    const hasRetries = isRepeatable && schedule.deadlines.total === undefined && attempts.length <= schedule.retries
    holds(!hasRetries, `it gave up at the status ${error.status}`)
    holds(error.message.includes("gateway"), `the error says: ${error.message}`)
  }
  if (error._tag === "SttConnectionFailed" || error._tag === "TtsConnectionFailed") {
    const { reason, sent } = error
    holds(sent === last?.sent, `the error says that ${sent} was sent`)
    holds((reason === "refused") === (schedule.kind === "refused"), `the error gives the reason ${reason}`)
    holds(["refused", "reset", "cut"].includes(reason), `the error gives the reason ${reason}, ${error.code}`)
    holds((reason === "cut") === (last?.status !== undefined), `the error gives the reason ${reason}`)
  }
  if (error._tag === "SttDeadlineExceeded" || error._tag === "TtsDeadlineExceeded") {
    const { limitMillis, phase } = error
    const { answer, downloadIdle, total, uploadIdle } = schedule.deadlines
    holds(
      limitMillis === { answer, download: downloadIdle, total, upload: uploadIdle }[phase],
      "the error gives a limit that no deadline has"
    )
    holds(report.elapsedMillis >= limitMillis, `it ended after ${report.elapsedMillis} of ${limitMillis} ms`)
    if (phase === "download") holds(last?.status !== undefined, "its download had not started")
    // Without a request there is no attempt yet.
    const isUnanswered = last?.status === undefined || isRetried(last.status, schedule)
    if (phase === "upload" || phase === "answer") holds(isUnanswered, `it had a response in the phase ${phase}`)
  }
  // Other layers count bytes as sent before the connection exists.
  if (schedule.kind === "refused" && schedule.layer === "recommended") {
    holds(count(({ sent }) => sent !== "nothing") === 0, "something was sent without a connection")
  }
  const shown = inspect(error, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(error) + error.message
  holds(!shown.includes(key.slice(key.indexOf(".") + 1)), "the error shows the key")
  return found
}
