// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/**
 * Both clients under load, as a process of its own: `node client.js SETTING`, as JSON. It handles one request after another,
 * and keeps the outcome of each call until the outcomes are requested.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { noiseOf, sampleRate } from "effect-speech-test-support/cannedSpeech"
import { collectedFootprint } from "effect-speech-test-support/footprint"
import { chances } from "effect-speech-test-support/random"
import { clientsOf } from "../../support/clients.js"
import { readJob, serve } from "../../support/serve.js"

/**
 * @typedef {object} Setting
 * @property {import("effect-speech-test-support/serviceProcess").Ready} service
 * @property {string} folder For the files of this process.
 * @property {number} concurrency
 * @property {number} seed
 * @property {number} answerMillis The deadlines, in milliseconds.
 * @property {number} downloadIdleMillis
 * @property {number} graceMillis How long the calls may take to end, before they are interrupted.
 * @property {boolean} allEvents Whether each call reports its events. Else only calls that may be interrupted do: events cost.
 *
 * @typedef {object} Responses
 * @property {null} warmUp
 * @property {null} start
 * @property {null} stop
 * @property {ReadonlyArray<import("./account.js").Call>} calls The calls that have ended since the last request.
 * @property {import("effect-speech-test-support/footprint").Footprint} sample
 *
 * @typedef {keyof Responses} Request
 */

/** @type {Setting} */
const { answerMillis, concurrency, downloadIdleMillis, folder, graceMillis, seed, service, allEvents } = readJob()
const chance = chances(seed)

const clients = () => clientsOf(service, { deadlines: { answer: answerMillis, downloadIdle: downloadIdleMillis } })
const model = "en-general-v2-8khz"

/** A text with the speech that the service must return. @param {string} text */
const known = (text, /** @type {number} */ index) => {
  const speech = noiseOf(text)
  /** @param {number} rate @param {"pcm16" | "float32"} encoding */
  const as = (rate, encoding) => Pcm.encode(Resampler.resample(speech, { from: sampleRate, to: rate }), encoding).bytes
  const wav = Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, as(8000, "pcm16"))
  const path = join(folder, `known${index}.wav`)
  writeFileSync(path, wav)
  return {
    text,
    wav,
    path,
    seconds: Math.ceil(speech.length / sampleRate),
    formats: /** @type {const} */ ([
      { outputFormat: "8000:pcm16", bytes: as(8000, "pcm16") },
      { outputFormat: "24000:float32", bytes: as(24_000, "float32") }
    ])
  }
}

/** Each of another length, so that the service compares no two of them. */
const texts = [
  ...["One.", "Platform two.", "The third train is late.", "नमस्ते।", "Your account has five hundred rupees."],
  ...["Sixth.", "It leaves at a quarter past seven.", "Eight of them, 🚂 by rail."]
].map(known)

/** A recording that the service does not know. */
const unknown = Wav.encode(
  { sampleRate: 8000, channels: 1, encoding: "pcm16" },
  Pcm.encode(Resampler.resample(noiseOf("Never spoken to it."), { from: sampleRate, to: 8000 }), "pcm16").bytes
)

/** @template T @param {ReadonlyArray<T>} values @returns {T} */
const oneOf = (values) => /** @type {T} */ (values[Math.floor(chance() * values.length)])

/** @type {Array<import("./account.js").Call>} */
let calls = []
let number = 0

/**
 * @typedef {NonNullable<import("@effect-speech/transport/CallEvent").CallOptions>} CallOptions
 * @typedef {import("@effect-speech/transport/CallReport").CallReport} CallReport
 *
 * @typedef {Parameters<(typeof TextToSpeech)["Service"]["synthesize"]>[0]} TextToSpeechRequest
 *
 * @typedef {object} Planned
 * @property {string} kind
 * @property {"transcribe" | "synthesize"} operation
 * @property {number} cost In credits.
 * @property {(id: string, options: CallOptions) => Effect.Effect<
 *   { readonly right: boolean, readonly call: CallReport },
 *   { readonly _tag: string, readonly message: string },
 *   SpeechToText | TextToSpeech | import("@effect/platform/FileSystem").FileSystem
 * >} run
 */

/** @param {string} kind @param {(request: TextToSpeechRequest, options: CallOptions, path: string) => Effect.Effect<
 *   { readonly bytes: Uint8Array | undefined, readonly call: CallReport }, any, any>} speak @returns {Planned} */
const synthesis = (kind, speak) => {
  const { formats, text } = oneOf(texts)
  const { bytes, outputFormat } = oneOf(formats)
  return {
    kind,
    operation: "synthesize",
    cost: [...text].length,
    run: (requestId, options) =>
      Effect.map(
        speak({ text, lang: "en", outputFormat, requestId }, options, join(folder, `${requestId}.wav`)),
        (speech) => ({
          right: speech.bytes !== undefined && Buffer.compare(speech.bytes, bytes) === 0,
          call: speech.call
        })
      )
  }
}

/** @type {ReadonlyArray<() => Planned>} */
const plans = [
  () =>
    synthesis("a text, collected", (request, options) =>
      Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(request, options))
    ),
  () =>
    synthesis("a text, into a file", (request, options, path) =>
      Effect.gen(function* () {
        const speech = yield* Effect.flatMap(TextToSpeech, (tts) => tts.stream(request, options))
        yield* Wav.writeFile(speech, path)
        const written = Either.getOrUndefined(Wav.decode(readFileSync(path)))
        return { bytes: written?.bytes, call: yield* speech.call }
      }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => rmSync(path, { force: true }))))
    ),
  () => {
    const { path, seconds, text, wav } = oneOf(texts)
    const source = oneOf(
      /** @type {const} */ ([
        ["bytes", AudioSource.fromBytes(wav)],
        ["path", AudioSource.fromPath(path)],
        ["stream", AudioSource.fromStream(() => inPieces(wav))],
        ["stream of known length", AudioSource.fromStream(() => inPieces(wav), { byteLength: wav.byteLength })]
      ])
    )
    return transcription(`a recording, from ${source[0]}`, source[1], seconds, text)
  },
  () => transcription("a recording that is not known", AudioSource.fromBytes(unknown), 1, "")
]

const inPieces = /** @param {Uint8Array} bytes */ (bytes) =>
  Stream.map(Stream.range(0, 3), (quarter) =>
    bytes.subarray(Math.floor((quarter * bytes.length) / 4), Math.floor(((quarter + 1) * bytes.length) / 4))
  )

/**
 * @param {string} kind
 * @param {AudioSource.AudioSource} audio
 * @param {number} seconds
 * @param {string} expected
 * @returns {Planned}
 */
const transcription = (kind, audio, seconds, expected) => ({
  kind,
  operation: "transcribe",
  cost: seconds,
  run: (transactionId, options) =>
    Effect.flatMap(SpeechToText, (stt) =>
      Effect.map(stt.transcribe({ audio, model, transactionId }, options), ({ call, text }) => ({
        right: text === expected,
        call
      }))
    )
})

/** One call in twenty is interrupted after a random delay. */
const interruptedShare = 0.05
const longestDelayMillis = 60

/** Makes a call, and keeps its outcome. @param {Planned} plan */
const make = ({ cost, kind, operation, run }) =>
  Effect.suspend(() => {
    const id = `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`
    const delay = chance() < interruptedShare ? chance() * longestDelayMillis : undefined
    const startedAt = Date.now()
    /** From the events: an interrupted call has no report. @type {Array<import("./account.js").Attempt>} */
    const attempts = [{ startedAt }]
    /** @type {CallOptions["onEvent"]} */
    const onEvent = (event) =>
      Effect.sync(() => {
        if (event._tag === "Retrying") attempts.push({ startedAt: Date.now() })
        const latest = attempts.at(-1)
        if (event._tag === "Answered" && latest !== undefined) latest.status = event.status
      })
    let isKept = false
    /** @param {Pick<import("./account.js").Call, "outcome" | "message">} ended @param {CallReport} [report] */
    const keep = (ended, report) => {
      // An interruption may come after the call has ended.
      if (isKept) return
      isKept = true
      const known = {
        billing: report?.billing,
        attempts: report === undefined ? attempts : attemptsOf(report, startedAt)
      }
      calls.push({ id, kind, operation, cost, startedAt, endedAt: Date.now(), ...ended, ...known })
    }
    const call = run(id, allEvents || delay !== undefined ? { onEvent } : {}).pipe(
      Effect.match({
        onSuccess: ({ call, right }) => keep({ outcome: right ? "success" : "wrong" }, call),
        onFailure: (error) => {
          const { _tag, message } = Cause.originalError(error)
          keep({ outcome: _tag, message }, "call" in error ? /** @type {CallReport} */ (error.call) : undefined)
        }
      }),
      Effect.onInterrupt(() => Effect.sync(() => keep({ outcome: "interrupted" }))),
      Effect.catchAllDefect((defect) => Effect.sync(() => keep({ outcome: "defect", message: String(defect) })))
    )
    return delay === undefined ? call : Effect.raceFirst(call, Effect.sleep(delay))
  })

/** @param {CallReport} report @param {number} startedAt @returns {ReadonlyArray<import("./account.js").Attempt>} */
const attemptsOf = (report, startedAt) => {
  let at = startedAt
  return report.attempts.map(({ delayMillis, elapsedMillis, status }) => {
    const begun = at + delayMillis
    at = begun + elapsedMillis
    return { startedAt: begun, status }
  })
}

let ended = false
/** @type {ManagedRuntime.ManagedRuntime<SpeechToText | TextToSpeech | import("@effect/platform/FileSystem").FileSystem, unknown> | undefined} */
let runtime
const grace = new AbortController()
/** @type {Promise<unknown>} */
let working = Promise.resolve()

/** @type {Record<Request, () => unknown>} */
const handlers = {
  // The service speaks each text once, so that it recognises the recordings.
  warmUp: () =>
    Effect.flatMap(TextToSpeech, (tts) =>
      Effect.forEach(texts, ({ text }) => tts.synthesize({ text, lang: "en" }))
    ).pipe(Effect.provide(clients()), Effect.runPromise),
  start: () => {
    runtime = ManagedRuntime.make(clients())
    const worker = Effect.whileLoop({
      while: () => !ended,
      body: () => Effect.suspend(() => make(oneOf(plans)())),
      step: () => undefined
    })
    const workers = Effect.forEach(Array(concurrency), () => worker, { concurrency: "unbounded", discard: true })
    working = runtime.runPromiseExit(workers, { signal: grace.signal })
  },
  // Calls that have begun may end.
  stop: async () => {
    ended = true
    const timer = setTimeout(() => grace.abort(), graceMillis)
    await working
    clearTimeout(timer)
    await runtime?.dispose()
  },
  calls: () => {
    const since = calls
    calls = []
    return since
  },
  sample: collectedFootprint
}

serve((/** @type {Request} */ request) => handlers[request]())
