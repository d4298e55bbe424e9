import { type Command, flag, oneOf, optional, required, text } from "../option.js"
import { cutting, modelExample, modelWords, recognition, telephony } from "./recognising.js"
import { allowInsecureHttp, concurrencyOf, json, retries, timeout } from "./shared.js"

const transcriptFormats = ["text", "json", "srt", "vtt"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

export const transcribe = {
  summary: "Print what is said in recordings.",
  examples: [
    "speech transcribe call.wav --model hi-general-v2-8khz",
    "speech transcribe calls/*.wav --model hi-general-v2-8khz --telephony --json",
    "speech transcribe hour.mp3 --model hi-general-v2-8khz --format srt --pieces kept > hour.srt",
    "rec -r 8000 -c 1 -t wav - trim 0 10 | speech transcribe - --model hi-general-v2-8khz"
  ],
  operands: {
    name: "FILE…",
    description: "Recordings. - is standard input. If there are several, each line begins with its file.",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    completes: "file"
  },
  options: {
    model: required("--model NAME", text, modelWords, { example: modelExample }),
    aux: flag("--aux", "Request timings and confidences. --json prints them."),
    ...recognition,
    transactionId: optional("--transaction-id UUID", text, "Your id for the request. For one recording only.", {
      default: "a random UUID"
    }),
    telephony,
    format: oneOf("--format FORMAT", transcriptFormats, "What to print. srt and vtt are for one recording.", {
      default: "text"
    }),
    long: flag("--long", "Cut each recording at pauses. Default: those whose header states more than a piece."),
    pieceMinutes: cutting.pieceMinutes,
    pieces: optional("--pieces FOLDER", text, "Cache of paid pieces until the command is done. Run again to resume.", {
      default: "no cache",
      completes: "folder"
    }),
    segmentFields: cutting.segmentFields,
    concurrency: concurrencyOf("Recordings, or pieces of long ones,"),
    timeout,
    retries,
    allowInsecureHttp,
    json
  }
} satisfies Command
