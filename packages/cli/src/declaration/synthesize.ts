import type { Boundary } from "@effect-speech/long-form/TextPieces"
import { flag, Invalid, jsonObject, number, optional, pairs, type Read, required, text } from "../option.js"
import type { Command } from "./command.js"
import { allowInsecureHttp, json, retries, timeout } from "./shared.js"
import { lang, outputFormat, speed, voice } from "./speaking.js"

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
    out: required("out", text, {
      value: "FILE",
      description: "WAV file to write. - is standard output, if that is not a terminal.",
      example: "speech.wav",
      completes: "file"
    }),
    textFile: optional("text-file", text, {
      value: "FILE",
      description: "Read the text from this UTF-8 file, without the line break at its end. - is standard input.",
      completes: "file"
    }),
    lang,
    voice,
    outputFormat,
    speed,
    numStep: optional("num-step", number(), { value: "N", description: "Flow-matching steps of the model, 1 to 100." }),
    g2pOverrides: optional("g2p-overrides", jsonObject, {
      value: "JSON",
      description: "Pronunciations: a JSON object from a word to its tokens."
    }),
    requestId: optional("request-id", text, {
      value: "ID",
      description: "Your id for the request: 1 to 64 letters, digits, dots, underscores, colons or dashes.",
      default: "a random UUID"
    }),
    dryRun: flag("dry-run", "Print the number of pieces and their highest cost. Nothing is sent."),
    subtitles: optional("subtitles", text, {
      value: "FILE",
      description: "Write subtitles too. The name ends in .srt or .vtt.",
      completes: "file"
    }),
    pauses: optional("pause", pauses, {
      value: "NAME=MILLIS,…",
      description: "Silence after a piece, by what ends the piece.",
      default: "paragraph=600,line=400,sentence=250,clause=120"
    }),
    concurrency: optional("concurrency", number({ from: 1, integer: true }), {
      value: "N",
      description: "Pieces of a long text to send at the same time.",
      default: "4"
    }),
    pieces: optional("pieces", text, {
      value: "FOLDER",
      description: "Cache of paid pieces until the file is complete. Run again to resume.",
      default: "FILE.pieces beside --out",
      completes: "folder"
    }),
    timeout,
    retries,
    allowInsecureHttp,
    json
  }
} satisfies Command
