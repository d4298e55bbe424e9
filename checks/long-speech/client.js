// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/** A program that speaks a text into a file when it gets a message: `node client.js JOB`, as JSON. */
import { readFileSync } from "node:fs"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import * as Passages from "@effect-speech/long-form/Passages"
import { PieceStore } from "@effect-speech/long-form/PieceStore"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { collectedFootprint } from "effect-speech-test-support/footprint"
import { peakMemory, resetPeakMemory } from "effect-speech-test-support/memory"
import { readJob, serve } from "../support/serve.js"

/**
 * @typedef {object} Job
 * @property {string} ttsBaseUrl
 * @property {string} apiKey
 * @property {string} textFile
 * @property {string} pieces The folder of the store.
 * @property {string} out
 * @property {string} requestId
 * @property {boolean} isMixed Whether each script of the text is spoken in its own language.
 * @property {import("@effect-speech/tts/TtsContract").OutputFormat} [outputFormat]
 * @property {import("@effect-speech/long-form/LongSpeech").Options} options
 *
 * @typedef {object} Result
 * @property {number} firstMillis Until the audio of the first piece.
 * @property {number} totalMillis Until the file is whole.
 * @property {number} grownBytes The peak of resident memory above that at the start.
 * @property {import("@effect-speech/long-form/LongSpeech").Plan} plan
 * @property {import("@effect-speech/long-form/LongSpeech").Report} report
 */

/** @type {Job} */
const { apiKey, isMixed, options, out, outputFormat, pieces, requestId, textFile, ttsBaseUrl } = readJob()
const text = readFileSync(textFile, "utf8")

const speak = Effect.gen(function* () {
  const before = yield* Effect.promise(collectedFootprint)
  resetPeakMemory()
  const began = performance.now()
  const speech = yield* LongSpeech.stream(
    { text: isMixed ? Passages.byScript(text) : text, requestId, outputFormat },
    options
  )
  const firstMillis = performance.now() - began
  yield* Wav.writeFile(speech, out)
  /** @type {Result} */
  const result = {
    firstMillis,
    totalMillis: performance.now() - began,
    grownBytes: peakMemory() - before.rss,
    plan: yield* speech.plan,
    report: yield* speech.report
  }
  return result
}).pipe(
  Effect.scoped,
  Effect.provide(
    Layer.mergeAll(
      TextToSpeech.layer({ apiKey: Redacted.make(apiKey), baseUrl: ttsBaseUrl }),
      PieceStore.layerFolder(pieces)
    ).pipe(Layer.provideMerge(NodeTransport.layer))
  )
)

serve(() => Effect.runPromise(speak))
