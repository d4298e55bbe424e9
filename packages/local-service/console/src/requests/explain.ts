/** Why a request ended as it did, in sentences. */
import type { Key, KeyScope } from "../../../src/Accounts.js"
import type { Fault } from "../../../src/Faults.js"
import type { JournalEntry } from "../../../src/Journal.js"
import { describeFault } from "../faults/describeFault.js"
import { number, sentence, took, when } from "../format.js"
import type { Call } from "./calls.js"
import { isCut, isFailed, isInProgress, isLeft, isReplaced, type Status, statusOf } from "./outcome.js"
import { problemSentence } from "./rowText.js"

export interface Explanation {
  readonly status: Status
  /** What happened. */
  readonly headline: string
  /** What caused it, and what the client did. */
  readonly sentences: ReadonlyArray<string>
  /** Whether the room Account has what mends it. */
  readonly isOfAccount: boolean
}

export interface Known {
  readonly call: Call
  /** One of the attempts of the call. */
  readonly entry: JournalEntry
  /** The fault that it met, if it is known. */
  readonly fault: Fault | undefined
  /** What the response says about an empty transcript. */
  readonly notice: string | undefined
  /** The revoked keys, latest first. */
  readonly revoked: ReadonlyArray<Key>
}

/** `undefined` for a whole response of the service that no fault touched: there is nothing to explain. */
export const explain = (known: Known): Explanation | undefined => {
  const { call, entry, fault } = known
  const isEmpty = entry.transcript === ""
  const isOrdinary = !isFailed(entry) && !isInProgress(entry) && entry.fault === undefined
  if (isOrdinary && !isEmpty && call.attempts.length === 1) return undefined
  return {
    status: statusOf(entry),
    headline: headlineOf(entry, fault),
    sentences: [...causes(known), ...client(known)],
    isOfAccount: entry.refusal !== undefined
  }
}

const headlineOf = (entry: JournalEntry, fault: Fault | undefined): string => {
  const { keyId, problem, sentBytes, status, totalBytes } = entry
  if (isInProgress(entry)) return progressOf(entry)
  if (isLeft(entry)) {
    const client = keyId === "console" ? "This page" : "Your program"
    return `${client} closed the connection before the response was complete.`
  }
  if (status === null) {
    if (fault?.malformedHeader) return "The response could not be parsed."
    return fault !== undefined && fault.reset === undefined
      ? "The connection was closed before the response."
      : "The connection was reset, without a response."
  }
  if (problem !== undefined) return problemSentence(problem)
  if (status >= 400) return `The response had status ${status}, without a message.`
  if (isCut(entry)) return `The response ended after ${number(sentBytes ?? 0)} of ${number(totalBytes ?? 0)} bytes.`
  if (isReplaced(entry)) return `The response had status ${status}, and a body without ${contents[entry.operation]}.`
  return entry.transcript === "" ? "Nothing was recognised." : "The whole response was sent."
}

const contents: Readonly<Record<JournalEntry["operation"], string>> = {
  synthesize: "speech",
  transcribe: "a transcript"
}

/** A fault may delay a request that is read, so nothing is said of its work. */
const progressOf = ({ fault, operation, request }: JournalEntry): string => {
  if (fault !== undefined) return "The request is in progress."
  if (request === null) return "The service receives the request."
  return operation === "synthesize" ? "The service speaks the text." : "The service recognises the recording."
}

const causes = ({ entry, fault, notice, revoked }: Known): ReadonlyArray<string> => [
  ...(entry.fault === undefined ? [] : [faultSentence(fault)]),
  ...(entry.transcript === "" && notice !== undefined ? [sentence(notice)] : []),
  ...refusalSentences(entry, revoked)
]

const faultSentence = (fault: Fault | undefined): string => {
  if (fault === undefined) return "A fault was applied to it."
  const sentence = describeFault(fault)
  return `A fault was applied: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
}

const scopes: Readonly<Record<JournalEntry["operation"], KeyScope>> = {
  synthesize: "tts:synth",
  transcribe: "stt:transcribe"
}

/** Why the service refused the key, the account or the credit, and what to do. The response of a synthesis does not say it. */
const refusalSentences = (entry: JournalEntry, revoked: ReadonlyArray<Key>): ReadonlyArray<string> => {
  const { operation, refusal, refusedKeyId } = entry
  const the = refusedKeyId === "console" ? "The" : "The key is valid, but the"
  switch (refusal) {
    case "unknownKey": {
      const key = revoked.find(({ id }) => id === refusedKeyId)
      return [
        key?.revokedAt == null
          ? "It had no key of this service. Compare the key of your program with the active one."
          : `The key “${key.name}” was revoked at ${when(key.revokedAt)}. Give your program the active key.`
      ]
    }
    case "accountNotActive":
      return [`${the} account was not active. Set its state to active.`]
    case "missingScope":
      return [`The key is valid, but it did not have the scope ${scopes[operation]}. Turn the scope on.`]
    case "noCredit":
      return [`${the} credit was less than the call costs. Top it up.`]
    default:
      return []
  }
}

const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`)

/** What the client did before and after the request. */
const client = ({ call: { attempts, latest }, entry }: Known): ReadonlyArray<string> => {
  const index = attempts.indexOf(entry)
  const next = attempts[index + 1]
  if (next !== undefined) {
    return [`Your program sent it again ${took(pauseMillis(entry, next))} later, as request ${next.number}.`]
  }
  const retries = attempts.length - 1
  if (isInProgress(latest)) return retries === 0 ? [] : [`Your program sent it again ${times(retries)} so far.`]
  if (retries > 0) {
    return [
      isFailed(latest)
        ? `Your program sent it again ${times(retries)}, without success so far.`
        : `Your program sent it again ${times(retries)}, then it succeeded.`
    ]
  }
  return mayBeRetried(entry) ? [unrepeated(entry)] : []
}

/** The same request can succeed at another time. */
const mayBeRetried = (entry: JournalEntry): boolean =>
  isFailed(entry) &&
  entry.outcome !== "abandoned" &&
  (entry.status === null || entry.status < 400 || entry.status >= 500)

const unrepeated = ({ keyId }: JournalEntry): string =>
  keyId === "console" ? "This page sends each request once." : "Your program has not sent it again."

/** Milliseconds from the response of one request to the arrival of the next. */
export const pauseMillis = (earlier: JournalEntry, later: JournalEntry): number =>
  Math.max(0, Date.parse(later.at) - Date.parse(earlier.at) - (earlier.millis ?? 0))
