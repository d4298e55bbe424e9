/** What both sides know: what is asked for, and what is answered. */

export const key = "bench.secret"
export const concurrency = 64

export const text = "नमस्ते, आपका स्वागत है।"
export const lang = "hi"
export const sampleRate = 24_000
export const outputFormat = "24000:pcm16"
export const milliseconds = 100
export const audio = new Uint8Array((sampleRate * 2 * milliseconds) / 1000)

/** @typedef {{ readonly declared: number | null, readonly received: number }} Arrival What came of an upload, in bytes. */

/** A client that is quick because it loses something has not won. @param {{ readonly byteLength: number }} body */
export const checkAudio = (body) => {
  if (body.byteLength !== audio.byteLength) throw new Error(`${body.byteLength} of ${audio.byteLength} bytes came.`)
}
