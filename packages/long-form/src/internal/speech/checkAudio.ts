/** Checks the audio of a piece before it is kept: what can't be joined would fail again in each run. */
import { type AudioFormat, bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Contract from "@effect-speech/tts/TtsContract"

interface Audio {
  readonly format: AudioFormat
  readonly bytes: Uint8Array
}

/** The longest text takes an hour at the lowest speed. */
const longestMillis = 2 * 60 * 60 * 1000

/** A filter of larger samples gives some that are not finite. */
const largestSample = 1e30

/** What is wrong with the audio of a piece; `undefined` if nothing is. */
export const audioProblem = ({ bytes, format }: Audio): string | undefined => {
  const problem = Contract.formatProblem(format)
  if (problem !== undefined) return problem
  if (bytes.byteLength === 0) return "it is empty"
  const frame = bytesPerFrame(format)
  if (bytes.byteLength % frame !== 0) {
    return `its ${bytes.byteLength} bytes are not a multiple of the ${frame} bytes of a sample`
  }
  if (durationMillis(format, bytes.byteLength) > longestMillis) return "it lasts more than two hours"
  return format.encoding === "pcm16" || Pcm.decode(bytes, format.encoding).every(isSample)
    ? undefined
    : "it has NaN, infinite or too large samples"
}

const isSample = (value: number): boolean => Math.abs(value) <= largestSample
