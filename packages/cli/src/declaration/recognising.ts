/**
 * Options of a transcription, in `transcribe`, `listen-back` and `archive run`.
 */
import type { Fields } from "@effect-speech/long-form/SegmentReader"
import { flag, Invalid, number, optional, pairs, type Read, repeatable, text } from "../option.js"

const segmentFields: Read<Fields> = (given) => {
  const found = pairs(["start", "end", "text", "unit"])(given)
  if (found instanceof Invalid) return found
  const { end, start, text, unit } = found
  if (start === undefined || end === undefined || (unit !== "seconds" && unit !== "millis")) {
    return new Invalid("must have start, end and unit, which is seconds or millis")
  }
  return { start, end, text, unit }
}

export const modelWords = "Model, such as hi-general-v2-8khz. It decides the language."
/** How a model is written and completed. */
export const modelDetails = { example: "hi-general-v2-8khz", completes: "models" } as const

/** How a recording is recognised. */
export const recognition = {
  parseNumber: flag("--parse-number", "Write spoken numbers as digits. For hi, ml, kn, gu and mr models."),
  hotwords: repeatable(
    "--hotword PHRASE[:SCORE]",
    text,
    "Word or phrase that is likely in the recording. A higher score makes it more likely."
  )
}

export const telephony = flag(
  "--telephony",
  "Convert WAV recordings to mono, 8 kHz and 16 bits before sending. Other formats fail."
)

/** How a long recording is cut. */
export const cutting = {
  pieceMinutes: optional(
    "--piece-minutes N",
    number({ from: 0.1, to: 60 }),
    "Length of the longest piece of a recording, up to 60 minutes.",
    { default: "5" }
  ),
  segmentFields: optional(
    "--segment-fields NAME=FIELD,…",
    segmentFields,
    "Names of the fields of a segment in the response. The unit is seconds or millis.",
    { default: "start=start,end=end,text=text,unit=seconds" }
  )
}
