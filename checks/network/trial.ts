/** Runs a schedule with the real clients against a real service, and checks the laws. */
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { SttError } from "@effect-speech/stt/SttError"
import type { CallReport } from "@effect-speech/transport/CallReport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { httpClients } from "effect-speech-test-support/httpClients"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
import { type Ended, type Evidence, violationsOf } from "./laws.js"
import { makeProxy, type TcpProxy } from "./proxy.js"
import { type Action, type Call, rankOf, type Schedule } from "./schedule.js"
import { type KnownRecording, type Service, textOf } from "./services.js"

/** Time to wait for connections and fibers to end, in milliseconds. */
const timeoutMillis = 60_000

/** After this time a call counts as endless, in milliseconds. */
const hangsAfterMillis = 300_000

interface Value {
  readonly outcome: "value" | "left early"
  readonly report: CallReport
  readonly receivedId: string | undefined
  readonly text?: string
}

/** Makes a call. What it reads of audio goes into `parts`. */
const makeCall = (
  { operation, samples, share, source }: Call,
  rank: number,
  sentId: string,
  recordings: ReadonlyArray<KnownRecording>,
  parts: Array<Uint8Array>
): Effect.Effect<Value, SttError | TtsError, SpeechToText | TextToSpeech> =>
  Effect.gen(function* () {
    if (operation === "transcribe") {
      const { bytes, path } = recordings[rank] as KnownRecording
      const pieces = Stream.make(bytes.subarray(0, 1000), bytes.subarray(1000, 9999), bytes.subarray(9999))
      const audio = {
        bytes: () => AudioSource.fromBytes(bytes),
        file: () => AudioSource.fromPath(path),
        stream: () => AudioSource.fromStream(pieces),
        oneShot: () => AudioSource.fromOneShotStream(pieces)
      }[source]()
      const request = { audio, model: "hi-general-v2-8khz", transactionId: sentId }
      const { call: report, callId: receivedId, text } = yield* (yield* SpeechToText).transcribe(request)
      return { outcome: "value", report, receivedId, text } as const
    }
    const tts = yield* TextToSpeech
    const request = { text: textOf(rank, samples), outputFormat: "8000:pcm16", requestId: sentId } as const
    if (operation === "synthesize") {
      const { bytes, call: report, requestId: receivedId } = yield* tts.synthesize(request)
      parts.push(bytes)
      return { outcome: "value", report, receivedId } as const
    }
    const speech = yield* tts.stream(request)
    let left = share === 1 ? Number.POSITIVE_INFINITY : share * (speech.byteLength ?? 0)
    const read = (bytes: Uint8Array) =>
      Effect.sync(() => {
        parts.push(bytes)
        left -= bytes.length
        return left > 0
      })
    if (share > 0) yield* Stream.runForEachWhile(speech.stream, read)
    const outcome = share === 1 ? "value" : "left early"
    return { outcome, report: yield* speech.call, receivedId: speech.requestId } as const
  }).pipe(Effect.scoped)

const runCall = (
  schedule: Schedule,
  at: number,
  recordings: ReadonlyArray<KnownRecording>,
  proxies: Readonly<Record<"stt" | "tts", TcpProxy>>
): Effect.Effect<Ended, never, SpeechToText | TextToSpeech> =>
  Effect.gen(function* () {
    const call = schedule.calls[at] as Call
    const rank = rankOf(schedule, at)
    // A UUID, as a transcription requires.
    const sentId = `00000000-0000-4000-8000-00000000000${at}`
    const parts: Array<Uint8Array> = []
    const { interruptMillis = 2 * hangsAfterMillis } = call
    const startedAt = performance.now()
    const exit = yield* makeCall(call, rank, sentId, recordings, parts).pipe(
      // An error that failed inside a span is a Proxy, which breaks comparing and printing.
      Effect.mapError(Cause.originalError),
      Effect.either,
      Effect.timeoutOption(interruptMillis),
      Effect.disconnect,
      Effect.timeoutFail({ duration: hangsAfterMillis, onTimeout: () => "never ends" as const }),
      Effect.exit
    )
    const endedAt = performance.now()
    const proxy = call.operation === "transcribe" ? proxies.stt : proxies.tts
    const ended = Exit.isSuccess(exit) ? Option.getOrUndefined(exit.value) : undefined
    const value = ended && Option.getOrUndefined(Either.getRight(ended))
    const error = ended && Option.getOrUndefined(Either.getLeft(ended))
    const without = Exit.match(exit, {
      onSuccess: () => "interrupted",
      onFailure: (cause) => Option.getOrElse(Cause.failureOption(cause), () => "defect")
    })
    return {
      call,
      rank,
      sentId,
      outcome: value?.outcome ?? error?._tag ?? without,
      error,
      report: value?.report ?? error?.call,
      bytes: Buffer.concat(parts),
      text: value?.text,
      receivedId: value?.receivedId ?? error?.call.receivedId,
      elapsedMillis: endedAt - startedAt,
      stillMillis: endedAt - Math.max(startedAt, proxy.progressAt()),
      cause: Exit.isFailure(exit) ? exit.cause : undefined
    }
  })

export interface TrialResult extends Evidence {
  /** The violations of the laws, each with the number of its law. */
  readonly violations: ReadonlyArray<string>
  /** The actions of the proxies. */
  readonly happened: ReadonlyArray<Action>
}

/** Runs one schedule. */
export const runTrial = (
  schedule: Schedule,
  service: Service,
  recordings: ReadonlyArray<KnownRecording>
): Effect.Effect<TrialResult> =>
  Effect.gen(function* () {
    const before = yield* readAccount(service)
    const faults = (["transcribe", "synthesize"] as const).map((operation) => ({ operation, ...schedule.fails }))
    yield* service.faults.set(schedule.fails === undefined ? [] : faults)
    const seen = yield* Effect.scoped(exchange(schedule, service, recordings))
    const underWay = yield* untilZero(
      Effect.map(service.requests, (entries) => entries.filter(({ outcome }) => outcome === "underWay").length),
      timeoutMillis
    )
    const judge = Effect.gen(function* () {
      const after = yield* readAccount(service)
      const evidence: Evidence = {
        schedule,
        ended: seen.ended,
        exchanges: seen.both.flatMap((proxy) => proxy.exchanges()),
        journal: after.journal.filter(({ number }) => number > before.latest),
        billedUnits: {
          synthesize: after.synthesize - before.synthesize,
          transcribe: after.transcribe - before.transcribe
        },
        left: { ...seen.left, "requests of the service": underWay }
      }
      const violations = violationsOf(evidence, recordings)
      return { ...evidence, violations, happened: seen.both.flatMap(({ happened }) => happened) }
    })
    // The service notices a closed connection a moment later. Only then is the bill final.
    let result = yield* Effect.delay(judge, 10)
    for (let waited = 0; waited < 5000 && result.violations.length > 0; waited += 50) {
      result = yield* Effect.delay(judge, 50)
    }
    return result
  })

/** Makes the calls through the proxies, and closes the clients. */
const exchange = (schedule: Schedule, service: Service, recordings: ReadonlyArray<KnownRecording>) =>
  Effect.gen(function* () {
    const stt = yield* makeProxy(service.sttBaseUrl, schedule.plans.stt)
    const tts = yield* makeProxy(service.ttsBaseUrl, schedule.plans.tts)
    const refused = schedule.isRefused ? yield* refusedAddress : undefined
    const urls = { stt: refused ?? stt.url, tts: refused ?? tts.url }
    const supervisor = yield* Supervisor.track
    const left = (of: (proxy: TcpProxy) => number) =>
      untilZero(
        Effect.sync(() => of(stt) + of(tts)),
        timeoutMillis
      )
    const calls = schedule.calls.map(({ gapMillis }, at) =>
      Effect.delay(runCall(schedule, at, recordings, { stt, tts }), gapMillis)
    )
    const [ended, busy] = yield* Effect.all(calls, { concurrency: schedule.together ? "unbounded" : 1 }).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          stt.drain()
          tts.drain()
        })
      ),
      Effect.zip(left((proxy) => proxy.busy())),
      Effect.provide(clientsOf(schedule, urls, service.apiKey)),
      Effect.supervised(supervisor)
    )
    // The pool of fetch belongs to the process and outlives the layer.
    const isPooled = schedule.layer === "fetch"
    const open = isPooled ? 0 : yield* left((proxy) => proxy.open())
    const fibers = yield* untilZero(
      Effect.map(supervisor.value, (alive) => alive.length),
      timeoutMillis
    )
    // The service closes its side after the client.
    const attached = isPooled || open > 0 ? 0 : yield* left((proxy) => proxy.attached())
    return {
      both: [stt, tts],
      ended,
      left: {
        "connections in use after the calls": busy,
        "connections open after the layer": open,
        "connections of the service": attached,
        fibers
      }
    }
  })

/** The billed units by operation, and the journal. */
const readAccount = ({ accounts, requests }: Service) =>
  Effect.gen(function* () {
    const usage = yield* accounts.usage
    const journal = yield* requests
    const unitsOf = (operation: "synthesize" | "transcribe") =>
      usage.filter((each) => each.operation === operation).reduce((sum, { units }) => sum + units, 0)
    return {
      synthesize: unitsOf("synthesize"),
      transcribe: unitsOf("transcribe"),
      journal,
      latest: journal.at(-1)?.number ?? 0
    }
  })

const clientsOf = (
  { concurrency, deadlines, layer, retries, retryAmbiguous }: Schedule,
  urls: Readonly<Record<"stt" | "tts", string>>,
  apiKey: Redacted.Redacted
) => {
  const options = { apiKey, deadlines, retries, retryAmbiguous, concurrency }
  return Layer.merge(
    SpeechToText.layer({ ...options, baseUrl: urls.stt }),
    TextToSpeech.layer({ ...options, baseUrl: urls.tts })
  ).pipe(Layer.provide(httpClients[layer]), Layer.orDie)
}
