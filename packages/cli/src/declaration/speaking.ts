/**
 * Options of a synthesis, in `synthesize` and in `archive run`.
 */
import type { OutputFormat } from "@effect-speech/tts/TtsContract"
import { number, oneOf, optional, text } from "../option.js"

const everyFormat: Record<OutputFormat, true> = {
  "8000:pcm16": true,
  "8000:float32": true,
  "16000:pcm16": true,
  "16000:float32": true,
  "24000:pcm16": true,
  "24000:float32": true
}
const outputFormats = Object.keys(everyFormat) as ReadonlyArray<OutputFormat>

/** The value of `--lang` that finds the language of each sentence by its script. */
export const autoLang = "auto"

export const lang = optional("--lang CODE", text, "Language of the text, such as en.", {
  default: "hi",
  completes: "languages"
})

export const voice = optional("--voice ID", text, "Voice of the language.", {
  default: "default_female",
  completes: "voices"
})

export const speed = optional("--speed RATE", number(), "Speaking rate, 0.25 to 4.", {
  default: "that of the voice"
})

export const outputFormat = oneOf("--output-format FORMAT", outputFormats, "Sample rate in Hz and encoding.", {
  default: "24000:float32"
})
