// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/** Random calls of both clients, many at a time, some of which are interrupted, and what became of them. */
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { noiseOf, sampleRate } from "effect-speech-test-support/cannedSpeech"
import { chances } from "effect-speech-test-support/random"

/**
 * @typedef {import("@effect-speech/transport/CallReport").CallReport} CallReport
 * @typedef {NonNullable<import("@effect-speech/transport/CallEvent").CallOptions>} CallOptions
 * @typedef {"transcribe" | "synthesize"} Operation
 *
 * @typedef {object} Soak
 * @property {"soak"} task
 * @property {number} concurrency
 * @property {number} millis How long new calls begin.
 * @property {number} graceMillis How long the last ones may take before they are interrupted.
 * @property {number} seed
 *
 * @typedef {{ calls: number, credits: number }} Sum
 * @typedef {{ answered: Sum, interrupted: Sum, failedAttempts: number }} Total
 * @typedef {object} Soaked
 * @property {Record<Operation, Total>} totals
 * @property {Record<string, number>} outcomes How many calls ended so: `success`, `wrong`, `interrupted`, `defect` or a tag.
 *
 * @typedef {object} Planned
 * @property {Operation} operation
 * @property {number} credits
 * @property {(options: CallOptions) => Effect.Effect<{ readonly right: boolean, readonly call: CallReport }, any,
 *   SpeechToText | TextToSpeech>} run
 */

const format = /** @type {const} */ ({ sampleRate: 8000, channels: 1, encoding: "pcm16" })
const outputFormat = "8000:pcm16"
const model = "en-general-v2-8khz"

/** A text with the speech that the service must return. @param {string} text */
const known = (text) => {
  const speech = noiseOf(text)
  const { bytes } = Pcm.encode(Resampler.resample(speech, { from: sampleRate, to: 8000 }), "pcm16")
  return { text, bytes, wav: Wav.encode(bytes, format), seconds: Math.ceil(speech.length / sampleRate) }
}

/** Each of another length, so that the service compares no two of them. */
const texts = [
  ...["One.", "Platform two.", "The third train is late.", "नमस्ते।"],
  ...["Sixth.", "It leaves at a quarter past seven.", "Eight of them, 🚂 by rail."]
].map(known)

/** @param {Uint8Array} found @param {Uint8Array} expected */
const isEqual = (found, expected) => Buffer.compare(found, expected) === 0

/** @typedef {ReturnType<typeof known>} Known */
/** @type {ReadonlyArray<(known: Known) => Planned>} */
const plans = [
  ({ bytes, text }) => ({
    operation: "synthesize",
    credits: [...text].length,
    run: (options) =>
      Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", outputFormat }, options)).pipe(
        Effect.map((speech) => ({ right: isEqual(speech.bytes, bytes), call: speech.call }))
      )
  }),
  ({ bytes, text }) => ({
    operation: "synthesize",
    credits: [...text].length,
    run: (options) =>
      Effect.gen(function* () {
        const tts = yield* TextToSpeech
        const speech = yield* tts.stream({ text, lang: "en", outputFormat }, options)
        const parts = Chunk.toReadonlyArray(yield* Stream.runCollect(speech.stream))
        return { right: isEqual(Buffer.concat(parts), bytes), call: yield* speech.call }
      }).pipe(Effect.scoped)
  }),
  ({ seconds, text, wav }) => transcription(AudioSource.fromBytes(wav), seconds, text),
  ({ seconds, text, wav }) =>
    transcription(AudioSource.fromStream(Stream.make(wav.subarray(0, 1000), wav.subarray(1000))), seconds, text)
]

/** @param {AudioSource.AudioSource} audio @param {number} credits @param {string} expected @returns {Planned} */
const transcription = (audio, credits, expected) => ({
  operation: "transcribe",
  credits,
  run: (options) =>
    Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model }, options)).pipe(
      Effect.map(({ call, text }) => ({ right: text === expected, call }))
    )
})

/** Speaks each text once, so that the service recognises the recordings. */
export const teach = Effect.flatMap(TextToSpeech, (tts) =>
  Effect.forEach(texts, ({ text }) => tts.synthesize({ text, lang: "en" }), { discard: true })
)

/** @param {Soak} task */
export const soak = ({ concurrency, graceMillis, millis, seed }) => {
  const chance = chances(seed)
  /** @template T @param {ReadonlyArray<T>} values @returns {T} */
  const oneOf = (values) => /** @type {T} */ (values[Math.floor(chance() * values.length)])

  /** @type {Record<string, number>} */
  const outcomes = {}
  const total = () => ({ answered: { calls: 0, credits: 0 }, interrupted: { calls: 0, credits: 0 }, failedAttempts: 0 })
  const totals = { transcribe: total(), synthesize: total() }
  /** @param {Sum} sum @param {number} credits */
  const add = (sum, credits) => {
    sum.calls++
    sum.credits += credits
  }

  /** Makes a call, one in twenty of which is interrupted within 60 ms, and counts its outcome. @param {Planned} plan */
  const make = ({ credits, operation, run }) => {
    const own = totals[operation]
    const delay = chance() < 0.05 ? chance() * 60 : undefined
    let isCounted = false
    // An interrupted call has no report.
    let retries = 0
    /** @param {string} outcome @param {number} failedAttempts @param {Sum} [sum] */
    const count = (outcome, failedAttempts, sum) => {
      // An interruption may come after the call has ended.
      if (isCounted) return
      isCounted = true
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      own.failedAttempts += failedAttempts
      if (sum !== undefined) add(sum, credits)
    }
    const call = run({ onEvent: ({ _tag }) => Effect.sync(() => _tag === "Retrying" && retries++) }).pipe(
      Effect.match({
        onSuccess: ({ call, right }) => count(right ? "success" : "wrong", call.attempts.length - 1, own.answered),
        onFailure: (error) => {
          const { _tag } = Cause.originalError(error)
          count(_tag, error.call?.attempts.length ?? 0)
        }
      }),
      Effect.onInterrupt(() => Effect.sync(() => count("interrupted", retries, own.interrupted))),
      Effect.catchAllDefect(() => Effect.sync(() => count("defect", 0)))
    )
    return delay === undefined ? call : Effect.raceFirst(call, Effect.sleep(delay))
  }

  return Effect.gen(function* () {
    const end = Date.now() + millis
    const worker = Effect.whileLoop({
      while: () => Date.now() < end,
      body: () => Effect.suspend(() => make(oneOf(plans)(oneOf(texts)))),
      step: () => undefined
    })
    const workers = Effect.forEach(Array(concurrency), () => worker, { concurrency: "unbounded", discard: true })
    yield* Effect.raceFirst(workers, Effect.sleep(millis + graceMillis))
    return { outcomes, totals }
  })
}
