// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The requests and responses that clients and server agree on. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noise } from "effect-speech-test-support/recordings"

export const key = "bench.secret"
export const model = "hi-general-v2-8khz"

export const text = "नमस्ते, आपका स्वागत है।"
export const lang = "hi"
export const sampleRate = 24_000
export const outputFormat = "24000:pcm16"
const milliseconds = 100

/** Each sample has another value, so that a missing one is noticed. */
export const audio = Buffer.from(
  Int16Array.from({ length: (sampleRate * milliseconds) / 1000 }, (_, index) => index).buffer
)

/** Headers of the speech service. The SDKs ignore them. */
export const audioHeaders = {
  "Content-Type": "application/octet-stream",
  "X-Sample-Rate": `${sampleRate}`,
  "X-Encoding": "pcm16",
  "X-Audio-Duration-Ms": `${milliseconds}`
}

export const transcript = "नमस्ते"

/** Six seconds, the same in every process. */
export const recording = noise(100_000 - 44)

/** Writes the recording to a file that is removed at the end of the process. Returns its path. */
export const recordingFile = () => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  process.once("exit", () => rmSync(folder, { recursive: true }))
  const path = join(folder, "call.wav")
  writeFileSync(path, recording)
  return path
}

/** @typedef {{ readonly declared: number | null, readonly received: number }} Arrival The bytes of an upload. */

/** The paths for a synthesis: of the speech service and of the SDKs. */
export const isSpeechPath = (/** @type {string} */ path) =>
  ["/tts/bytes", "/v1/audio/speech", "/v1/speak"].includes(path) || path.startsWith("/v1/text-to-speech/")

/**
 * The paths for a transcription, with the body of the response.
 *
 * @type {Record<string, (text: string) => unknown>}
 */
export const transcriptOf = {
  "/api/transcribe": (text) => ({ status: "success", text, call_id: "call" }),
  "/v1/audio/transcriptions": (text) => ({ text }),
  "/v1/listen": (text) => ({
    metadata: { request_id: "call", duration: 6, channels: 1 },
    results: { channels: [{ alternatives: [{ transcript: text, confidence: 1, words: [] }] }] }
  }),
  "/v1/speech-to-text": (text) => ({ language_code: "hi", language_probability: 1, text, words: [] })
}

/** Throws if a client has lost a part of the audio. @param {ArrayBuffer | Uint8Array} bytes */
export const checkAudio = (bytes) => {
  if (!isWhole(bytes)) throw new Error(`Not the audio that was sent: ${bytes.byteLength} bytes.`)
}

/** @param {ArrayBuffer | Uint8Array} bytes */
export const isWhole = (bytes) =>
  (bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(bytes)
  ).equals(audio)

/** Throws unless the server has received the whole recording. @param {string} heard */
export const checkTranscript = (heard) => {
  if (heard !== transcript) throw new Error(`Not the transcript of the recording: ${JSON.stringify(heard)}.`)
}
