// Plain JavaScript: measured processes run without a compiler.
/** Transcribes one recording when it gets a message: `node client.js JOB`, as JSON. */
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { LongTranscription, PieceStore } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { peakMemory } from "effect-speech-test-support/memory"
import { readJob, serve } from "../support/serve.js"

/**
 * @typedef {object} Job
 * @property {string} baseUrl
 * @property {string} path Of the recording.
 * @property {string} pieces The folder of the store.
 * @property {number} concurrency
 * @property {number} pieceMillis
 * @property {string} transactionId
 *
 * @typedef {object} Result
 * @property {number} millis
 * @property {number} peak The peak of the resident memory, in bytes.
 * @property {number} before The resident memory before, in bytes.
 * @property {string} text
 * @property {ReadonlyArray<string>} sources Whether each piece was sent or kept.
 */

/** @type {Job} */
const { baseUrl, concurrency, path, pieceMillis, pieces: folder, transactionId } = readJob()

/** @returns {Promise<Result>} */
const transcribe = async () => {
  const before = process.memoryUsage().rss
  const start = performance.now()
  const program = LongTranscription.transcribe(
    { audio: AudioSource.fromPath(path), model: "en-general-v2-8khz", transactionId },
    { concurrency, maximum: pieceMillis }
  ).pipe(
    Effect.provide([PieceStore.layerFolder(folder), AudioDecoder.layerWav]),
    Effect.provide(SpeechToText.layer({ apiKey: Redacted.make("check.secret"), baseUrl, concurrency: 64 })),
    Effect.provide(NodeTransport.layer)
  )
  const { pieces, text } = await Effect.runPromise(program)
  const millis = performance.now() - start
  return { millis, peak: peakMemory(), before, text, sources: pieces.map(({ source }) => source) }
}
serve(transcribe)
