/** What both sides know: what is asked for, and what is answered. */
import { noise } from "../../test/support/recordings.js"

export const key = "bench.secret"
export const model = "hi-general-v2-8khz"

export const text = "नमस्ते, आपका स्वागत है।"
export const lang = "hi"
export const sampleRate = 24_000
export const outputFormat = "24000:pcm16"
const milliseconds = 100

/** No two samples are the same, so that none can be missing unseen. */
export const audio = Buffer.from(
  Int16Array.from({ length: (sampleRate * milliseconds) / 1000 }, (_, index) => index).buffer
)

/** Of the speech service; the SDKs pass over them. */
export const audioHeaders = {
  "Content-Type": "application/octet-stream",
  "X-Sample-Rate": `${sampleRate}`,
  "X-Encoding": "pcm16",
  "X-Audio-Duration-Ms": `${milliseconds}`
}

/** What is heard in the recording. */
export const transcript = "नमस्ते"

/** A small recording: six seconds, the same in every process. */
export const recording = noise(100_000 - 44)

/** @typedef {{ readonly declared: number | null, readonly received: number }} Arrival What came of an upload, in bytes. */

/** The paths by which a text is spoken: the service's own, and those that the SDKs ask. */
export const isSpeechPath = (/** @type {string} */ path) =>
  ["/tts/bytes", "/v1/audio/speech", "/v1/speak"].includes(path) || path.startsWith("/v1/text-to-speech/")

/**
 * The paths by which a recording is transcribed, and what each answers with a text. AssemblyAI's client first uploads,
 * then asks for a transcript, and then for how it stands.
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
  "/v1/speech-to-text": (text) => ({ language_code: "hi", language_probability: 1, text, words: [] }),
  "/stt": (text) => ({ type: "transcript", text, language: "hi", duration: 6, words: [] }),
  "/v2/transcript": (text) => ({ id: idOf(text), status: "completed", text })
}

/** A transcript as a part of a path. @param {string} text */
export const idOf = (text) => Buffer.from(text).toString("base64url")
/** @param {string} id */
export const textOf = (id) => Buffer.from(id, "base64url").toString()

/** A client that is quick because it loses something has not won. @param {ArrayBuffer | Uint8Array} bytes */
export const checkAudio = (bytes) => {
  if (!isWhole(bytes)) throw new Error(`Not the audio that was sent, but ${bytes.byteLength} bytes.`)
}

/** @param {ArrayBuffer | Uint8Array} bytes */
export const isWhole = (bytes) =>
  (bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(bytes)
  ).equals(audio)

/** The server says so only of the whole recording. @param {string} heard */
export const checkTranscript = (heard) => {
  if (heard !== transcript) throw new Error(`Not the transcript of the recording, but ${JSON.stringify(heard)}.`)
}
