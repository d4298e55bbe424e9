/**
 * Both clients under load, as a process of its own, from the built packages: `node client.js SETTING`, as JSON. It does what
 * it is asked to, one thing after another, and keeps what became of each call until it is asked for that.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { noiseOf, sampleRate } from "../../../test/support/cannedSpeech.js"
import { collectedFootprint } from "../../../test/support/footprint.js"
import { chances } from "../../../test/support/random.js"

/**
 * @typedef {object} Setting
 * @property {import("../../../test/support/serviceProcess.js").Ready} service
 * @property {string} folder For its files.
 * @property {number} concurrency
 * @property {number} seed
 * @property {number} answerMillis The deadlines, in milliseconds.
 * @property {number} downloadIdleMillis
 * @property {number} graceMillis How long what has begun may take to come to its end, before it is interrupted.
 * @property {boolean} watched Whether every call is asked for its events, as those must be that may be interrupted; they
 *   cost, so that most users do without.
 *
 * @typedef {"warmUp" | "start" | "stop" | "calls" | "sample"} Question
 *
 * @typedef {object} Answers
 * @property {ReadonlyArray<import("./account.js").Call>} calls Those that have ended since they were asked for.
 * @property {import("../../../test/support/footprint.js").Footprint} sample
 */

/** @type {Setting} */
const { answerMillis, concurrency, downloadIdleMillis, folder, graceMillis, seed, service, watched } = JSON.parse(
  process.argv[2] ?? "{}"
)
const chance = chances(seed)

const clients = () => {
  const options = {
    apiKey: Redacted.make(service.apiKey ?? ""),
    deadlines: { answer: answerMillis, downloadIdle: downloadIdleMillis }
  }
  return Layer.merge(
    SpeechToText.layer({ ...options, baseUrl: service.sttBaseUrl }),
    TextToSpeech.layer({ ...options, baseUrl: service.ttsBaseUrl })
  ).pipe(Layer.provideMerge(NodeTransport.layer))
}
const model = "en-general-v2-8khz"

/** What the service is to say of a text is known here before it is asked. @param {string} text */
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

/** No two of one length, so that none is compared with another for nothing. */
const texts = [
  "One.",
  "Platform two.",
  "The third train is late.",
  "नमस्ते।",
  "Your account has five hundred rupees.",
  "Sixth.",
  "It leaves at a quarter past seven.",
  "Eight of them, 🚂 by rail."
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

/** @type {ReadonlyArray<() => Planned>} */
const plans = [
  () => {
    const { formats, text } = oneOf(texts)
    const { bytes, outputFormat } = oneOf(formats)
    return {
      kind: "a text, collected",
      operation: "synthesize",
      cost: [...text].length,
      run: (requestId, options) =>
        Effect.flatMap(TextToSpeech, (tts) =>
          Effect.map(tts.synthesize({ text, lang: "en", outputFormat, requestId }, options), (speech) => ({
            right: Buffer.compare(speech.bytes, bytes) === 0,
            call: speech.call
          }))
        )
    }
  },
  () => {
    const { formats, text } = oneOf(texts)
    const { bytes, outputFormat } = oneOf(formats)
    return {
      kind: "a text, into a file",
      operation: "synthesize",
      cost: [...text].length,
      run: (requestId, options) => {
        const path = join(folder, `${requestId}.wav`)
        return Effect.gen(function* () {
          const tts = yield* TextToSpeech
          const speech = yield* tts.stream({ text, lang: "en", outputFormat, requestId }, options)
          yield* Wav.writeFile(speech, path)
          const written = Wav.decode(readFileSync(path))
          const right = Either.isRight(written) && Buffer.compare(written.right.bytes, bytes) === 0
          return { right, call: yield* speech.call }
        }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => rmSync(path, { force: true }))))
      }
    }
  },
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

/** One in twenty is interrupted somewhere on its way. */
const interrupted = 0.05
const longestPatienceMillis = 60

/** Makes a call, and keeps what became of it. @param {Planned} plan */
const make = ({ cost, kind, operation, run }) =>
  Effect.suspend(() => {
    const id = `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`
    const patience = chance() < interrupted ? chance() * longestPatienceMillis : undefined
    const startedAt = Date.now()
    /** As far as its events tell: whoever interrupts a call gets no report. @type {Array<import("./account.js").Attempt>} */
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
      // One that is interrupted at its very end has ended already.
      if (isKept) return
      isKept = true
      calls.push({
        ...{ id, kind, operation, cost, startedAt, endedAt: Date.now() },
        ...{
          ...ended,
          billing: report?.billing,
          attempts: report === undefined ? attempts : attemptsOf(report, startedAt)
        }
      })
    }
    const call = run(id, watched || patience !== undefined ? { onEvent } : {}).pipe(
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
    return patience === undefined ? call : Effect.raceFirst(call, Effect.sleep(patience))
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
const patience = new AbortController()
/** @type {Promise<unknown>} */
let working = Promise.resolve()

/** @type {Record<Question, () => unknown>} */
const answers = {
  // All texts are spoken once, so that their recordings are known.
  warmUp: () =>
    Effect.runPromise(
      Effect.provide(
        Effect.forEach(texts, ({ text }) =>
          Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en" }))
        ),
        clients()
      )
    ),
  start: () => {
    runtime = ManagedRuntime.make(clients())
    const worker = Effect.whileLoop({
      while: () => !ended,
      body: () => Effect.suspend(() => make(oneOf(plans)())),
      step: () => undefined
    })
    const workers = Effect.forEach(Array(concurrency), () => worker, { concurrency: "unbounded", discard: true })
    working = runtime.runPromiseExit(workers, { signal: patience.signal })
  },
  // What has begun comes to its end.
  stop: async () => {
    ended = true
    const timer = setTimeout(() => patience.abort(), graceMillis)
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

process.on("message", async (question) => process.send?.((await answers[/** @type {Question} */ (question)]()) ?? null))
process.on("SIGINT", () => undefined)
process.once("disconnect", () => process.exit())
process.send?.("ready")
