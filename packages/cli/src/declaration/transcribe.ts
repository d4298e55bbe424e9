import { type Command, flag, group, oneOf, optional, required, text } from "../option.js"
import { cutting, modelDetails, modelWords, recognition, telephony } from "./recognising.js"
import { allowInsecureHttp, concurrencyOf, dotenv, json, retries, timeout } from "./shared.js"

const transcriptFormats = ["text", "txt", "json", "srt", "vtt"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

export const transcribe = {
  summary: "Print what is said in recordings.",
  details:
    "WAV, MP3, M4A, FLAC, OGG and WebM are accepted. A long recording is cut at pauses, and its transcripts are joined.",
  examples: [
    "speech transcribe call.wav --model hi-general-v2-8khz",
    "speech transcribe day.mp3 --model hi-general-v2-8khz --format srt > day.srt",
    "speech transcribe *.wav --model hi-general-v2-8khz --out-dir . --format srt",
    "speech transcribe calls/*.wav --model hi-general-v2-8khz --telephony --json",
    "speech transcribe day.mp3 --model hi-general-v2-8khz --pieces kept > day.txt",
    "arecord -f S16_LE -d 5 | speech transcribe - --model hi-general-v2-8khz"
  ],
  operands: {
    name: "FILE…",
    description: "Recordings. - is standard input. If there are several, each line begins with its file.",
    min: 1,
    standardInput: "-",
    max: Number.POSITIVE_INFINITY,
    completes: "file"
  },
  options: {
    ...group("Recognition", {
      model: required("--model NAME", text, modelWords, modelDetails),
      ...recognition,
      telephony,
      aux: flag("--aux", "Request timings and confidences. --json prints them.")
    }),
    ...group("Output", {
      format: oneOf(
        "--format FORMAT",
        transcriptFormats,
        "What to print or write. Without --out-dir, srt and vtt are for one recording.",
        { default: "text" }
      ),
      outDir: optional(
        "--out-dir DIR",
        text,
        "Write a file for each recording into this folder: call.txt for call.wav.",
        {
          default: "the transcripts are printed",
          completes: "folder"
        }
      ),
      json
    }),
    ...group("Long recordings", {
      long: flag("--long", "Cut each recording. Default: only those that are longer than a piece."),
      pieceMinutes: cutting.pieceMinutes,
      pieces: optional(
        "--pieces FOLDER",
        text,
        "Keep the paid pieces in this folder until the command is done. Run it again to send only what is missing.",
        { default: "nothing is kept", completes: "folder" }
      ),
      segmentFields: cutting.segmentFields
    }),
    ...group("Calls", {
      concurrency: concurrencyOf("Recordings, or pieces of long ones,"),
      transactionId: optional("--transaction-id UUID", text, "Your id for the request. For one recording only.", {
        default: "a random UUID"
      }),
      timeout,
      retries,
      dotenv,
      allowInsecureHttp
    })
  },
  mostUsed: ["model", "format", "outDir", "json", "hotwords", "parseNumber", "telephony", "pieces", "concurrency"]
} satisfies Command
