import type { Boundary } from "@effect-speech/long-form/TextPieces"
import {
  type Command,
  flag,
  group,
  Invalid,
  jsonObject,
  number,
  optional,
  pairs,
  type Read,
  required,
  text,
  unless
} from "../option.js"
import { allowInsecureHttp, dotenv, json, retries, timeout } from "./shared.js"
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
  summary: "Speak a text into a WAV file.",
  details:
    "The text may be long: above 10,000 code points it is sent in pieces, and their audio is joined. If such a command is interrupted, run it again: it sends only what is missing.",
  examples: [
    'speech synthesize "नमस्ते" --out namaste.wav',
    "speech synthesize --text-file book.txt --lang en --out book.wav",
    "speech synthesize --text-file a.txt --output-format 8000:pcm16 --out a.wav",
    "speech synthesize --text-file book.txt --subtitles book.srt --out book.wav",
    'speech synthesize "नमस्ते" --play',
    'speech synthesize "नमस्ते" --out - | ffmpeg -i - prompt.mp3'
  ],
  operands: {
    name: "TEXT",
    description: "Text to speak. Put -- before a text that begins with a dash.",
    min: 0,
    max: 1,
    standardInput: "--text-file -",
    several: "Put quotes around a text that has spaces, and --out before the name of the file."
  },
  options: {
    ...group("Text and voice", {
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
        { default: "hi", completes: "languages" }
      ),
      voice,
      speed,
      numStep: optional("--num-step N", number(), "Flow-matching steps of the model, 1 to 100.", {
        default: "that of the voice"
      }),
      g2pOverrides: optional(
        "--g2p-overrides JSON",
        jsonObject,
        "Pronunciations: a JSON object that gives the tokens of each word."
      )
    }),
    ...group("Output", {
      out: unless(
        "play",
        required("--out FILE", text, "WAV file to write. - is standard output, if that is not a terminal.", {
          example: "speech.wav",
          completes: "file",
          short: "o"
        })
      ),
      play: flag("--play", "Play the audio when it is complete, with ffplay or a player of the system."),
      outputFormat,
      subtitles: optional("--subtitles FILE", text, "Write subtitles too. The name ends in .srt or .vtt.", {
        completes: "file"
      }),
      json
    }),
    ...group("Long texts", {
      dryRun: flag("--dry-run", "Print the number of pieces and their highest cost. Send nothing."),
      pauses: optional("--pause NAME=MILLIS,…", pauses, "Silence after each kind of boundary.", {
        default: "paragraph=600,line=400,sentence=250,clause=120"
      }),
      concurrency: optional("--concurrency N", number({ from: 1, integer: true }), "Pieces to send at the same time.", {
        default: "4"
      }),
      pieces: optional("--pieces FOLDER", text, "Keep the paid pieces in this folder until the WAV file is complete.", {
        default: "FILE.pieces beside --out",
        completes: "folder"
      })
    }),
    ...group("Calls", {
      requestId: optional(
        "--request-id ID",
        text,
        "Your id for the request: 1 to 64 letters, digits, dots, underscores, colons or dashes.",
        { default: "a random UUID" }
      ),
      timeout,
      retries,
      dotenv,
      allowInsecureHttp
    })
  },
  mostUsed: ["out", "play", "textFile", "lang", "voice", "speed", "outputFormat", "subtitles", "dryRun", "json"]
} satisfies Command
