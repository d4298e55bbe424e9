import { type AudioFormat, bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import { makeDecoder } from "@effect-speech/audio-codec/Pcm"

/**
 * What is wrong with `byteLength` bytes of audio that were said to last `statedMillis`, if anything is. A
 * millisecond and a frame are granted for rounding.
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
  if (byteLength % frame !== 0) return `its ${byteLength} bytes are not a multiple of the ${frame} of a sample`
  if (statedMillis === undefined) return undefined
  return Math.abs(actual - statedMillis) > 1 + 1000 / format.sampleRate
    ? `it lasts ${actual.toFixed(1)} ms, and ${statedMillis} ms were announced`
    : undefined
}

/** The most bytes that {@link lengthProblem} takes for `statedMillis`, and a frame: there is no need to wait for more. */
export const longestLength = (format: AudioFormat, statedMillis: number | undefined): number =>
  statedMillis === undefined
    ? Number.POSITIVE_INFINITY
    : (((statedMillis + 1) * format.sampleRate) / 1000 + 2) * bytesPerFrame(format)

/** What is wrong with the samples of bytes that arrive in pieces: a float that is not a number is no sound. */
export const makeSampleCheck = (format: AudioFormat): ((bytes: Uint8Array) => string | undefined) => {
  if (format.encoding !== "float32") return () => undefined
  const decoder = makeDecoder(format)
  return (bytes) => (decoder.push(bytes).every(Number.isFinite) ? undefined : "it holds values that are not numbers")
}
