import { unsafeInstance } from "@effect-speech/common/Structural"
import { AudioFormat } from "../../AudioFormat.js"

/** A literal as a value that `Equal` compares. It is not checked: the functions that need a valid format check it. */
export const asValue = (format: AudioFormat): AudioFormat => {
  if (format instanceof AudioFormat) return format
  const { channels, encoding, sampleRate } = format
  return unsafeInstance(AudioFormat, { sampleRate, channels, encoding })
}
