/** What a test double speaks: a tone for each text. All samples depend on the text alone. */
import { TtsContract } from "@effect-speech/tts"

/** Between the silence at both ends, in milliseconds. */
export const silenceMillis = 100

/** A tone of 10 ms for each code point, at 8 kHz, between two silences. */
const toneOf = (text: string): Float32Array => {
  const edge = 8 * silenceMillis
  const samples = new Float32Array(2 * edge + 80 * TtsContract.codePoints(text))
  const step = 0.1 + ((text.codePointAt(0) ?? 0) % 50) / 100
  for (let index = edge; index < samples.length - edge; index++) samples[index] = Math.cos(index * step) / 2
  return samples
}

/** The speech of a text. In another format, it sounds faster or slower. */
export const spoken = (
  text: string,
  outputFormat: Extract<TtsContract.OutputFormat, `${string}:float32`> = "8000:float32"
) => ({ bytes: new Uint8Array(toneOf(text).buffer), outputFormat })
