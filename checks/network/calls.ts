/** Runs one call of a schedule and records its outcome. */
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { SttError } from "@effect-speech/stt/SttError"
import type { CallOptions } from "@effect-speech/transport/CallEvent"
import type { CallReport } from "@effect-speech/transport/CallReport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { TcpProxy } from "./proxy.js"
import type { Behaviour, Call, Handler, Schedule, SynthesisCall, TranscriptionCall } from "./schedule.js"
import { type Services, textOf } from "./services.js"

export interface Proxies {
  readonly stt: TcpProxy
  readonly tts: TcpProxy
}

/** The outcome of a call. */
export interface Ended {
  readonly call: Call
  readonly sentId: string
  /** `value`, `left early`, `interrupted`, `never ends`, the tag of an error, or `defect`. */
  readonly outcome: string
  readonly error: SttError | TtsError | undefined
  /** The report of the value or the error. */
  readonly report: CallReport | undefined
  readonly bytes: Uint8Array
  readonly text: string | undefined
  /** The id that the service returned. */
  readonly receivedId: string | undefined
  /** Time from its latest allowed end to its end, in milliseconds. Negative: it ended in time. */
  readonly overrunMillis: number
  /** Time from the start of the first call to the end of this one. */
  readonly sinceFirstMillis: number
  readonly cause: Cause.Cause<unknown> | undefined
}

const noBytes = new Uint8Array(0)

/** The id of a call: a UUID, as a transcription requires. */
const sentIdOf = ({ index, seed }: Schedule, at: number): string => {
  const hex = (value: number, digits: number) => (value >>> 0).toString(16).padStart(digits, "0")
  return `${hex(seed, 8)}-0000-4000-8000-${hex(index, 8)}${hex(at, 4)}`
}

interface Value {
  readonly outcome: "value" | "left early"
  readonly report: CallReport
  readonly receivedId: string | undefined
  readonly text?: string
}

const behave = (behaviour: Behaviour | undefined, waitMillis: number): Effect.Effect<void> => {
  switch (behaviour) {
    case "waits":
      return Effect.sleep(waitMillis)
    case "dies":
      return Effect.die("the handler died")
    case "throws":
      throw new Error("the handler threw")
    case "never ends":
      return Effect.never
    default:
      return Effect.void
  }
}

/** The options of a call with this handler. */
const optionsOf = (handler: Handler | undefined): CallOptions => {
  if (handler === undefined) return {}
  const { behaviours, waitMillis } = handler
  let events = 0
  return { onEvent: () => behave(behaviours[events++ % behaviours.length], waitMillis) }
}

const makeCall = (
  call: Call,
  sentId: string,
  { recordings }: Services,
  parts: Array<Uint8Array>
): Effect.Effect<Value, SttError | TtsError, SpeechToText | TextToSpeech> => {
  if (call.operation === "transcribe") return transcribe(call, sentId, recordings)
  const request = { text: textOf(call), outputFormat: call.outputFormat, requestId: sentId }
  const collected = Effect.gen(function* () {
    const { bytes, call: report, requestId } = yield* (yield* TextToSpeech).synthesize(request, optionsOf(call.handler))
    parts.push(bytes)
    return { outcome: "value", report, receivedId: requestId } as const
  })
  return call.operation === "synthesize" ? collected : stream(call, request, parts)
}

const stream = (
  { handler, lateMillis, share }: SynthesisCall,
  request: { readonly text: string; readonly requestId: string },
  parts: Array<Uint8Array>
) =>
  Effect.gen(function* () {
    const speech = yield* (yield* TextToSpeech).stream(request, optionsOf(handler))
    yield* Effect.sleep(lateMillis)
    let read = 0
    const readOn = (bytes: Uint8Array) =>
      Effect.sync(() => {
        parts.push(bytes)
        read += bytes.length
        return share === 1 || read < share * (speech.byteLength ?? 0)
      })
    if (share > 0) yield* Stream.runForEachWhile(speech.stream, readOn)
    return {
      outcome: share === 1 ? "value" : "left early",
      report: yield* speech.call,
      receivedId: speech.requestId
    } as const
  }).pipe(Effect.scoped)

const transcribe = ({ handler, rank, source }: TranscriptionCall, sentId: string, recordings: Services["recordings"]) =>
  Effect.gen(function* () {
    const { bytes, path } = recordings[rank] as Services["recordings"][number]
    const inPieces = () =>
      Stream.fromIterable([bytes.subarray(0, 1000), bytes.subarray(1000, 9999), bytes.subarray(9999)])
    const audio = {
      bytes: () => AudioSource.fromBytes(bytes),
      file: () => AudioSource.fromPath(path),
      stream: () => AudioSource.fromStream(inPieces),
      oneShot: () => AudioSource.fromOneShotStream(inPieces())
    }[source]()
    const request = { audio, model: "hi-general-v2-8khz", transactionId: sentId }
    const { call: report, callId, text } = yield* (yield* SpeechToText).transcribe(request, optionsOf(handler))
    return { outcome: "value", report, receivedId: callId, text } as const
  })

/** After this time a call counts as endless. */
const hangsAfterMillis = 300_000

/** Runs a call and returns its outcome. */
export const runCall = (
  schedule: Schedule,
  at: number,
  services: Services,
  proxies: Proxies,
  { firstAt, marginMillis }: { readonly firstAt: number; readonly marginMillis: number }
): Effect.Effect<Ended, never, SpeechToText | TextToSpeech> =>
  Effect.gen(function* () {
    const call = schedule.calls[at] as Call
    const sentId = sentIdOf(schedule, at)
    const parts: Array<Uint8Array> = []
    const { interruptMillis } = call
    const startedAt = performance.now()
    const exit = yield* makeCall(call, sentId, services, parts).pipe(
      // An error that failed inside a span is a Proxy, which breaks comparing and printing.
      Effect.mapError(Cause.originalError),
      (made) =>
        interruptMillis === undefined ? Effect.map(made, Option.some) : Effect.timeoutOption(made, interruptMillis),
      Effect.disconnect,
      Effect.timeoutFail({
        duration: Math.min(hangsAfterMillis, 30 * marginMillis),
        onTimeout: () => "never ends" as const
      }),
      Effect.exit
    )
    const proxy = call.operation === "transcribe" ? proxies.stt : proxies.tts
    const endsAt = Math.min(
      endBy(schedule, call, startedAt),
      latestEnd(schedule, Math.max(startedAt, proxy.progressAt()))
    )
    const value = Exit.isSuccess(exit) ? Option.getOrUndefined(exit.value) : undefined
    const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
    const error = failure === "never ends" ? undefined : failure
    const outcome =
      value?.outcome ??
      error?._tag ??
      (failure === "never ends" ? failure : Exit.isSuccess(exit) ? "interrupted" : "defect")
    return {
      call,
      sentId,
      outcome,
      error,
      report: value?.report ?? error?.call,
      bytes: parts.length === 1 ? (parts[0] ?? noBytes) : Buffer.concat(parts),
      text: value?.text,
      receivedId: value?.receivedId ?? error?.call.receivedId,
      overrunMillis: performance.now() - endsAt,
      sinceFirstMillis: performance.now() - firstAt,
      cause: Exit.isFailure(exit) ? exit.cause : undefined
    }
  })

/** The latest end by the `total` deadline or by the interruption. */
const endBy = ({ deadlines }: Schedule, { interruptMillis, ...call }: Call, startedAt: number): number =>
  startedAt +
  Math.min(
    interruptMillis ?? Number.POSITIVE_INFINITY,
    (deadlines.total ?? Number.POSITIVE_INFINITY) + ("lateMillis" in call ? call.lateMillis : 0)
  )

/**
 * The latest end by the deadlines of the phases, if no byte moved since `progressAt`. A retry waits at most 200 or 400 ms. A call
 * may wait for the others before it.
 */
const latestEnd = ({ calls, concurrency, deadlines, retries, together }: Schedule, progressAt: number): number => {
  const rounds = together ? Math.ceil(calls.length / concurrency) : 1
  const lateMillis = calls.reduce((sum, call) => sum + ("lateMillis" in call ? call.lateMillis : 0), 0)
  const oneMillis = (retries + 1) * Math.max(deadlines.uploadIdle, deadlines.answer, deadlines.downloadIdle) + 600
  return progressAt + rounds * oneMillis + lateMillis
}
