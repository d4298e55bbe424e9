import { type AudioFormat, bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import { makeDecoder } from "@effect-speech/audio-codec/Pcm"

/**
 * What is wrong with `byteLength` bytes of audio for which the service stated `statedMillis`; `undefined` if nothing
 * is. The two may differ by 1 ms and one frame, for rounding.
 */
export const lengthProblem = (
  format: AudioFormat,
  byteLength: number,
  statedMillis: number | undefined
): string | undefined => {
  if (byteLength === 0) return "it is empty"
  const frame = bytesPerFrame(format)
  const actual = durationMillis(format, byteLength)
  if (byteLength > longestLength(format, statedMillis)) {
    return `it lasts ${actual.toFixed(1)} ms or more, and ${statedMillis} ms were announced`
  }
  if (byteLength % frame !== 0) return `its ${byteLength} bytes are not a multiple of the ${frame} bytes of a sample`
  if (statedMillis === undefined) return undefined
  return Math.abs(actual - statedMillis) > 1 + 1000 / format.sampleRate
    ? `it lasts ${actual.toFixed(1)} ms, and ${statedMillis} ms were announced`
    : undefined
}

/** Length in bytes above which {@link lengthProblem} fails for `statedMillis`: the client then stops reading. */
export const longestLength = (format: AudioFormat, statedMillis: number | undefined): number =>
  statedMillis === undefined
    ? Number.POSITIVE_INFINITY
    : (((statedMillis + 1) * format.sampleRate) / 1000 + 2) * bytesPerFrame(format)

/**
 * Makes a check for successive chunks of audio: what is wrong with a chunk, or `undefined`.
 */
export const makeSampleCheck = (format: AudioFormat): ((bytes: Uint8Array) => string | undefined) => {
  if (format.encoding !== "float32") return () => undefined
  const decoder = makeDecoder(format)
  return (bytes) => (decoder.push(bytes).every(Number.isFinite) ? undefined : "it has NaN or infinite samples")
}
