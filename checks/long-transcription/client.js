// Plain JavaScript: measured processes run without a compiler.
/** Transcribes one recording, and prints its time and memory: `client.js URL FILE FOLDER CONCURRENCY PIECE_MILLIS TRANSACTION_ID`. */
import { LongTranscription, PieceStore } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { peakMemory } from "../../test/support/memory.js"

/**
 * @typedef {object} Result
 * @property {number} seconds
 * @property {number} peak The peak of the resident memory, in bytes.
 * @property {number} before The resident memory before, in bytes.
 * @property {string} text
 * @property {ReadonlyArray<string>} sources Whether each piece was sent or kept.
 */

const [baseUrl = "", path = "", folder = "", concurrency = "4", pieceMillis = "300000", transactionId = ""] =
  process.argv.slice(2)

const before = process.memoryUsage().rss
const start = performance.now()
const program = LongTranscription.transcribe(
  { audio: AudioSource.fromPath(path), model: "en-general-v2-8khz", transactionId },
  { concurrency: Number(concurrency), pieceMillis: Number(pieceMillis) }
).pipe(
  Effect.provide(PieceStore.layerFolder(folder)),
  Effect.provide(SpeechToText.layer({ apiKey: Redacted.make("check.secret"), baseUrl, concurrency: 64 })),
  Effect.provide(NodeTransport.layer)
)
const { pieces, text } = await Effect.runPromise(program)
const seconds = (performance.now() - start) / 1000
const sources = pieces.map(({ source }) => source)
console.log(JSON.stringify({ seconds, peak: peakMemory(), before, text, sources }))
