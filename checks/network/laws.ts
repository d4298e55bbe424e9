/**
 * What must be so of a schedule, whatever the network did. Each law gives what contradicts it, in words.
 *
 * 1. A call ends in a value or in an error of its operation, within its deadlines; over a network that does no harm, in a value.
 * 2. No socket and no fiber is left of it.
 * 3. No audio and no transcript is accepted but that of this call; what came of a stream is the beginning of its audio.
 * 4. What was received was billed. What else was billed had been answered by the service, but for its last byte perhaps, which
 *    is paid for before it is sent. What a call says of its billing is so.
 * 5. What a call says of its attempts is so, and the key is nowhere in it.
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

/** What is known of a schedule once all of it is over. */
export interface Evidence {
  readonly schedule: Schedule
  readonly ended: ReadonlyArray<Ended>
  /** What went through the proxies. */
  readonly exchanges: ReadonlyArray<Exchange>
  readonly journal: ReadonlyArray<JournalEntry>
  /** Units in the service's usage, of the whole schedule. */
  readonly billedUnits: { readonly synthesize: number; readonly transcribe: number }
  readonly left: {
    /** Connections of the clients, after the calls and after the layer, and those of the service. */
    readonly busy: number
    readonly open: number
    readonly attached: number
    readonly fibers: number
    /** Requests that the service is still at work on. */
    readonly underWay: number
  }
  readonly key: string
}

export const contradictions = async (
  evidence: Evidence,
  services: Services,
  marginMillis: number
): Promise<ReadonlyArray<string>> => [
  ...evidence.ended.flatMap((ended) => endsWell(ended, evidence.schedule, marginMillis)),
  ...nothingIsLeft(evidence),
  ...(await Promise.all(evidence.ended.map((ended) => isItsOwn(ended, services)))).flat(),
  ...evidence.ended.flatMap((ended) => isBilledRightly(ended, evidence)),
  ...evidence.ended.flatMap((ended) => isToldTruly(ended, evidence))
]

const isKnownError = Schema.is(Schema.Union(SttError, TtsError))

/** What a network can bring about, and the one fault of the service's own. */
const possible: ReadonlySet<string> = new Set([
  "ConnectionFailed",
  "DeadlineExceeded",
  // A request that ends early is a bad one, or one that takes too long: 408.
  "BadRequest",
  "UnexpectedStatus",
  "ServerError"
])

/** The service ends a connection that is idle for five seconds, and a request may just be on its way then. */
const mayBeStale = (error: SttError | TtsError, { sinceFirstMillis }: Ended): boolean =>
  (error._tag === "SttConnectionFailed" || error._tag === "TtsConnectionFailed") && sinceFirstMillis > 4000

const endsWell = (ended: Ended, schedule: Schedule, marginMillis: number): ReadonlyArray<string> => {
  const { call, cause, error, outcome, overrunMillis } = ended
  const found: Array<string> = []
  const name = `1: the ${call.operation}`
  if (outcome === "defect") found.push(`${name} ended in a defect: ${cause && Cause.pretty(cause)}`)
  if (outcome === "never ends") found.push(`${name} did not end`)
  if (overrunMillis > marginMillis) found.push(`${name} ended ${overrunMillis.toFixed(0)} ms after its deadline`)
  if (outcome === "given up" && call.interruptMillis === undefined) found.push(`${name} was given up by nobody`)
  if (error !== undefined) {
    const service = call.operation === "transcribe" ? "Stt" : "Tts"
    const isPossible = error._tag.startsWith(service) && possible.has(error._tag.slice(3))
    if (!isKnownError(error) || !isPossible) found.push(`${name} ended in ${error._tag}: ${error.message}`)
    else if (schedule.isGentle && !mayBeStale(error, ended))
      found.push(`${name} failed for no reason: ${error.message}`)
  }
  return found
}

const nothingIsLeft = ({ left }: Evidence): ReadonlyArray<string> => [
  ...(left.busy > 0 ? [`2: ${left.busy} connections are in use after the calls`] : []),
  ...(left.open > 0 ? [`2: ${left.open} connections are open after the layer`] : []),
  ...(left.attached > 0 ? [`2: the service keeps ${left.attached} connections of clients that have gone`] : []),
  ...(left.fibers > 0 ? [`2: ${left.fibers} fibers are left`] : []),
  ...(left.underWay > 0 ? [`2: the service is still at work on ${left.underWay} requests`] : [])
]

const isItsOwn = async ({ bytes, call, outcome, text }: Ended, services: Services): Promise<ReadonlyArray<string>> => {
  if (call.operation === "transcribe") {
    const expected = services.recordings[call.rank]?.text
    return outcome === "value" && text !== expected ? [`3: the transcript is "${text}", and not "${expected}"`] : []
  }
  const audio = await services.audioOf(textOf(call), call.outputFormat)
  if (outcome === "value" && bytes.length !== audio.length) {
    return [`3: ${bytes.length} bytes of audio were taken for all ${audio.length}`]
  }
  const same = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(audio.subarray(0, bytes.length))
  return same ? [] : [`3: the audio of the ${call.operation} is not that of its text`]
}

/** How often a call was billed, how often its answer came whole, and what is known of answers that did not. */
export const billingOf = ({ call, outcome, sentId }: Ended, { billedUnits, exchanges, journal }: Evidence) => {
  const units = call.operation === "transcribe" ? billedUnits.transcribe : billedUnits.synthesize / leastCodePoints
  const succeeded = entriesOf(sentId, journal).filter(({ status }) => status === 200)
  const answered = succeeded.filter((entry) => entry.outcome === "answered").length
  return {
    billed: Math.floor(units / radix ** call.rank) % radix,
    received: outcome === "value" ? 1 : 0,
    answered,
    /** How many ended with a client that had gone, after all but the last byte. */
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

const isBilledRightly = (ended: Ended, evidence: Evidence): ReadonlyArray<string> => {
  const { answered, billed, lastByte, received } = billingOf(ended, evidence)
  const found: Array<string> = []
  const name = `4: the ${ended.call.operation}`
  const facts = `billed ${billed} times, answered ${answered} times, ${lastByte} times but for the last byte`
  if (billed < received || billed < answered) found.push(`${name} was not paid for: ${facts}`)
  if (billed > answered + lastByte) found.push(`${name} was billed for nothing: ${facts}`)
  const said = ended.report?.billing
  if (said === "notBilled" && billed > 0) found.push(`${name} says that it was not billed: ${facts}`)
  if (said === "billed" && billed === 0) found.push(`${name} says that it was billed: ${facts}`)
  return found
}

/** Statuses after which a call is repeated. */
const transient: ReadonlySet<number> = new Set([429, 500, 502, 503])

const isToldTruly = (ended: Ended, { exchanges, journal, key, schedule }: Evidence): ReadonlyArray<string> => {
  const { call, error, outcome, receivedId, report, sentId } = ended
  if (report === undefined) return []
  const found: Array<string> = []
  const holds = (isSo: boolean, what: string) => {
    if (!isSo) found.push(`5: of the ${call.operation}, ${what} (${outcome}; ${JSON.stringify(report.attempts)})`)
  }
  const { attempts } = report
  const last = attempts.at(-1)
  const own = exchanges.filter(({ request }) => request.includes(sentId))
  const entries = entriesOf(sentId, journal)
  const count = (isSo: (attempt: (typeof attempts)[number]) => boolean) => attempts.filter(isSo).length

  holds(report.sentId === sentId, `the id that was sent is ${report.sentId}`)
  holds(attempts.length <= schedule.retries + 1, `there are ${attempts.length} attempts`)
  holds(entries.length <= attempts.length, `the service saw ${entries.length} requests`)
  const arrived = own.length
  holds(arrived <= count(({ sent }) => sent !== "nothing"), `${arrived} requests arrived in part`)
  const whole = own.filter(({ asked }) => asked).length
  holds(whole <= count(({ sent }) => sent === "all"), `${whole} requests arrived whole`)
  // Where the id comes in the body, an answer may have come before it.
  const nameless = exchanges.filter(({ request }) => !/[0-9a-f]{8}-0000-4000-8000-/.test(request))
  for (const { status } of attempts) {
    if (status === undefined) continue
    const answers = [...own, ...nameless].filter((each) => each.status === status).length
    holds(count((attempt) => attempt.status === status) <= answers, `a ${status} came from nowhere`)
  }
  for (const { sent, status } of attempts.slice(0, -1)) {
    const mayRepeat = status === undefined ? sent !== "all" || schedule.retryAmbiguous : transient.has(status)
    holds(mayRepeat, "an attempt was repeated that must not be")
  }
  if (error === undefined) {
    holds(last?.status === 200 && last.sent === "all", "the last attempt is not that of an answer")
    const given = entries.some(({ id }) => id === receivedId)
    holds(given, `the service gave it another id than ${receivedId}`)
    return found
  }

  if (error._tag === "SttConnectionFailed" || error._tag === "TtsConnectionFailed") {
    const { reason, sent } = error
    holds(sent === last?.sent, `it says that ${sent} was sent`)
    holds((reason === "refused") === (schedule.kind === "refused"), `the reason is said to be ${reason}`)
    holds(["refused", "reset", "cut"].includes(reason), `the reason is said to be ${reason}, ${error.code}`)
    holds((reason === "cut") === (last?.status !== undefined), `the reason is said to be ${reason}`)
  }
  if (error._tag === "SttDeadlineExceeded" || error._tag === "TtsDeadlineExceeded") {
    const { limitMillis, phase } = error
    const { answer, downloadIdle, total, uploadIdle } = schedule.deadlines
    holds(limitMillis === { answer, download: downloadIdle, total, upload: uploadIdle }[phase], "its limit is none")
    holds(report.elapsedMillis >= limitMillis, `it ended after ${report.elapsedMillis} of ${limitMillis} ms`)
    if (phase === "download") holds(last?.status !== undefined, "its download had not begun")
    // One that has not come as far as its request is no attempt yet.
    const isUnanswered = last?.status === undefined || transient.has(last.status)
    if (phase === "upload" || phase === "answer") holds(isUnanswered, `it had been answered: ${phase}`)
  }
  // Others send ahead of the connection.
  if (schedule.kind === "refused" && schedule.layer === "recommended") {
    holds(count(({ sent }) => sent !== "nothing") === 0, "something was sent to nobody")
  }
  const shown = inspect(error, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(error) + error.message
  holds(!shown.includes(key.slice(key.indexOf(".") + 1)), "it shows the key")
  return found
}
