import type { Boundary } from "@effect-speech/long-form/TextPieces"
import {
  type Command,
  flag,
  Invalid,
  jsonObject,
  number,
  optional,
  pairs,
  type Read,
  required,
  text
} from "../option.js"
import { allowInsecureHttp, json, retries, timeout } from "./shared.js"
import { outputFormat, speed, voice } from "./speaking.js"

/** In milliseconds, by the boundary at which a piece ends. */
const pauses: Read<Partial<Record<Boundary, number>>> = (given) => {
  const found = pairs(["paragraph", "line", "sentence", "clause"])(given)
  if (found instanceof Invalid) return found
  const millis = number({ from: 0, to: 60_000, integer: true })
  const read: Partial<Record<Boundary, number>> = {}
  for (const [name, value] of Object.entries(found)) {
    const pause = millis(value)
    if (pause instanceof Invalid) return new Invalid(`has a ${name} that ${pause.rule}, in milliseconds`)
    read[name as Boundary] = pause
  }
  return read
}

export const synthesize = {
  summary: "Speak a text of any length into a WAV file.",
  examples: [
    'speech synthesize "नमस्ते" --out namaste.wav',
    "speech synthesize --text-file news.txt --lang en --output-format 8000:pcm16 --out news.wav",
    "speech synthesize --text-file book.txt --subtitles book.srt --out book.wav",
    'speech synthesize "नमस्ते" --out - | ffmpeg -i - prompt.mp3'
  ],
  operands: {
    name: "TEXT",
    description: "Text to speak. Put -- before a text that begins with a dash.",
    min: 0,
    max: 1,
    several: "Put quotes around a text that has spaces, and --out before the name of the file."
  },
  options: {
    out: required("--out FILE", text, "WAV file to write. - is standard output, if that is not a terminal.", {
      example: "speech.wav",
      completes: "file",
      short: "o"
    }),
    textFile: optional(
      "--text-file FILE",
      text,
      "Read the text from this UTF-8 file, without the line break at its end. - is standard input.",
      { completes: "file" }
    ),
    lang: optional(
      "--lang CODE",
      text,
      "Language of the text, such as en. With auto, each sentence has the language of its script.",
      { default: "hi" }
    ),
    voice,
    outputFormat,
    speed,
    numStep: optional("--num-step N", number(), "Flow-matching steps of the model, 1 to 100."),
    g2pOverrides: optional(
      "--g2p-overrides JSON",
      jsonObject,
      "Pronunciations: a JSON object from a word to its tokens."
    ),
    requestId: optional(
      "--request-id ID",
      text,
      "Your id for the request: 1 to 64 letters, digits, dots, underscores, colons or dashes.",
      { default: "a random UUID" }
    ),
    dryRun: flag("--dry-run", "Print the number of pieces and their highest cost. Nothing is sent."),
    subtitles: optional("--subtitles FILE", text, "Write subtitles too. The name ends in .srt or .vtt.", {
      completes: "file"
    }),
    pauses: optional("--pause NAME=MILLIS,…", pauses, "Silence after a piece, by what ends the piece.", {
      default: "paragraph=600,line=400,sentence=250,clause=120"
    }),
    concurrency: optional(
      "--concurrency N",
      number({ from: 1, integer: true }),
      "Pieces of a long text to send at the same time.",
      { default: "4" }
    ),
    pieces: optional("--pieces FOLDER", text, "Cache of paid pieces until the file is complete. Run again to resume.", {
      default: "FILE.pieces beside --out",
      completes: "folder"
    }),
    timeout,
    retries,
    allowInsecureHttp,
    json
  }
} satisfies Command
