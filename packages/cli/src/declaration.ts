/**
 * The `speech` command, declared once: its commands, options and operands. The parser, the help, the suggestions, the
 * completions and the tables of the README are made from it. It imports types alone, so that `speech --help` starts fast.
 */
import type { SegmentFields } from "@effect-speech/long-form/SegmentReader"
import type { Boundary } from "@effect-speech/long-form/TextPieces"
import type { OutputFormat } from "@effect-speech/tts/TtsContract"
import {
  choice,
  flag,
  Invalid,
  jsonObject,
  number,
  type Operands,
  type Option,
  optional,
  pairs,
  type Read,
  repeatable,
  required,
  text
} from "./option.js"

export interface Command {
  /** One sentence, in the imperative. */
  readonly summary: string
  readonly examples: ReadonlyArray<string>
  readonly operands?: Operands
  /** By the name that the code gives each value. For a field of a request it is the field's. */
  readonly options: Readonly<Record<string, Option<unknown>>>
}

export const summary = "Speak texts and transcribe recordings."

const shells = ["bash", "zsh", "fish", "sh"] as const
export type Shell = (typeof shells)[number]

const settingShells = ["sh", "bash", "zsh", "fish", "powershell", "cmd"] as const
/** A shell for which `speech serve` prints lines. */
export type SettingShell = (typeof settingShells)[number]

const logLevels = ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"] as const
export type LogLevel = (typeof logLevels)[number]

/** The options of every command. */
export const commonOptions = {
  help: flag("help", "Print this help, or the help of a command. Short: -h."),
  version: flag("version", "Print the version."),
  completions: optional("completions", choice(shells), {
    value: "SHELL",
    description: "Print a script that completes commands and options in your shell.",
    choices: shells
  }),
  logLevel: optional("log-level", choice(logLevels), {
    value: "LEVEL",
    description: "Log this level and above to standard error.",
    choices: logLevels,
    default: "info"
  })
}

const json = flag("json", "Print the result, or the failure, as one line of JSON on standard output.")

const timeout = optional("timeout", number({ above: 0 }), {
  value: "SECONDS",
  description: "End each call after this time, all its attempts together.",
  default: "no limit, but a call that makes no progress ends"
})

const retries = optional("retries", number({ from: 0, integer: true }), {
  value: "N",
  description: "Retry a failed call so many times, if that may help. The delays grow up to 8 seconds.",
  default: "2"
})

const allowInsecureHttp = flag(
  "allow-insecure-http",
  "Allow plain http to another machine, such as a container. Anyone on the way can then read the key."
)

const everyFormat: Record<OutputFormat, true> = {
  "8000:pcm16": true,
  "8000:float32": true,
  "16000:pcm16": true,
  "16000:float32": true,
  "24000:pcm16": true,
  "24000:float32": true
}
const outputFormats = Object.keys(everyFormat) as ReadonlyArray<OutputFormat>

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

const synthesize = {
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
    max: 1
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
    lang: optional("lang", text, { value: "CODE", description: "Language of the text, such as en.", default: "hi" }),
    voice: optional("voice", text, { value: "ID", description: "Voice.", default: "the service's for the language" }),
    outputFormat: optional("output-format", choice(outputFormats), {
      value: "FORMAT",
      description: "Sample rate in Hz and encoding.",
      choices: outputFormats,
      default: "24000:float32"
    }),
    speed: optional("speed", number(), { value: "RATE", description: "Speaking rate, 0.25 to 4." }),
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
    dryRun: flag("dry-run", "Print the number of pieces and what they cost at most. Nothing is sent."),
    subtitles: optional("subtitles", text, {
      value: "FILE",
      description: "Write subtitles too. The name ends in .srt or .vtt.",
      completes: "file"
    }),
    pauses: optional("pause", pauses, {
      value: "NAME=MILLIS,…",
      description: "Silence between two pieces, by what ends the first.",
      default: "paragraph=600,line=400,sentence=250,clause=120"
    }),
    concurrency: optional("concurrency", number({ from: 1, integer: true }), {
      value: "N",
      description: "Pieces of a long text to send at the same time.",
      default: "4"
    }),
    pieces: optional("pieces", text, {
      value: "FOLDER",
      description: "Folder that keeps paid pieces until the file is complete. The same command goes on.",
      default: "FILE.pieces beside --out",
      completes: "folder"
    }),
    timeout,
    retries,
    allowInsecureHttp,
    json
  }
} satisfies Command

const transcriptFormats = ["text", "json", "srt", "vtt"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

const segmentFields: Read<SegmentFields> = (given) => {
  const found = pairs(["start", "end", "text", "unit"])(given)
  if (found instanceof Invalid) return found
  const { end, start, text, unit } = found
  if (start === undefined || end === undefined || (unit !== "seconds" && unit !== "millis")) {
    return new Invalid("must have start, end and unit, which is seconds or millis")
  }
  return { start, end, text, unit }
}

const transcribe = {
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
    model: required("model", text, {
      value: "NAME",
      description: "Model, such as hi-general-v2-8khz. It decides the language.",
      example: "hi-general-v2-8khz"
    }),
    aux: flag("aux", "Request timings and confidences. --json prints them."),
    parseNumber: flag("parse-number", "Write spoken numbers as digits, with hi, ml, kn, gu and mr models."),
    hotwords: repeatable("hotword", {
      value: "PHRASE[:SCORE]",
      description: "Phrase to listen for. The text after the last colon is the score, if it is a number."
    }),
    transactionId: optional("transaction-id", text, {
      value: "UUID",
      description: "Your id for the request. For one recording only.",
      default: "a random UUID"
    }),
    telephony: flag("telephony", "Convert WAV recordings to mono, 8 kHz and 16 bits before sending. Other files fail."),
    format: optional("format", choice(transcriptFormats), {
      value: "FORMAT",
      description: "What to print. srt and vtt are for one recording.",
      choices: transcriptFormats,
      default: "text"
    }),
    long: flag(
      "long",
      "Cut recordings in pauses. Without it, those are cut that are longer than a piece by their header."
    ),
    pieceMinutes: optional("piece-minutes", number({ from: 0.1, to: 60 }), {
      value: "N",
      description: "Longest piece of a long recording, up to 60.",
      default: "5"
    }),
    pieces: optional("pieces", text, {
      value: "FOLDER",
      description: "Folder that keeps paid pieces until the command is done. The same command goes on.",
      default: "they are not kept",
      completes: "folder"
    }),
    segmentFields: optional("segment-fields", segmentFields, {
      value: "NAME=FIELD,…",
      description: "Fields of a segment in the response. The unit is seconds or millis.",
      default: "start=start,end=end,text=text,unit=seconds"
    }),
    concurrency: optional("concurrency", number({ above: 0, integer: true }), {
      value: "N",
      description: "Recordings, or pieces of long ones, to send at the same time.",
      default: "4"
    }),
    timeout,
    retries,
    allowInsecureHttp,
    json
  }
} satisfies Command

/** The options of the service on this machine. */
const service = {
  port: optional("port", number({ integer: true }), {
    value: "N",
    description: "Port of transcription. Synthesis and the platform use the next two.",
    default: "any three free ports"
  }),
  host: optional("host", text, {
    value: "ADDRESS",
    description: "Address to listen on, such as 0.0.0.0 in a container.",
    default: "127.0.0.1, for this machine only"
  }),
  hostNames: repeatable("host-name", { value: "NAME", description: "Name that other machines use for this one." }),
  credits: optional("credits", number(), {
    value: "N",
    description: "Credit of the account at the start.",
    default: "1,000,000"
  }),
  dataDir: optional("data-dir", text, {
    value: "FOLDER",
    description: "Keep keys, credit and usage in this folder. It is created if it does not exist.",
    default: "they are lost when the service ends",
    completes: "folder"
  }),
  newKey: flag("new-key", "Create a key and revoke the key of --data-dir. A key is shown once."),
  recordings: optional("recordings", text, {
    value: "FOLDER",
    description:
      "Folder of recordings to recognise: NAME.wav with what is said in NAME.srt, NAME.vtt or NAME.txt. Those in a subfolder hi are only for Hindi models.",
    completes: "folder"
  }),
  capacity: optional("capacity", number(), {
    value: "HOURS",
    description:
      "Hours of speech and recordings to recognise. Beyond that the oldest are forgotten. An hour takes 64 MB.",
    default: "2"
  })
}

const serve = {
  summary: "Run the service on this machine: no network, no key, no credit.",
  examples: ["speech serve", "speech serve --port 8100 --data-dir speech-data"],
  options: {
    ...service,
    shell: optional("shell", choice(settingShells), {
      value: "SHELL",
      description: "Shell for which to print the lines that set the environment.",
      choices: settingShells,
      default: "the one in SHELL; on Windows, the one that runs the command"
    }),
    json
  }
} satisfies Command

const run = {
  summary: "Run a command with a service of its own on this machine.",
  examples: ["speech run -- npm test", "speech run --credits 100 --recordings calls -- node app.js"],
  operands: {
    name: "COMMAND…",
    description: "Command and its arguments, after --. The service ends with it.",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    completes: "command",
    followDashes: true
  },
  options: service
} satisfies Command

const doctor = {
  summary: "Check the settings, both hosts and the key. It costs no credit.",
  examples: ["speech doctor"],
  options: { allowInsecureHttp, json }
} satisfies Command

export const commands = { synthesize, transcribe, serve, run, doctor }

export type CommandName = keyof typeof commands
export const commandNames = Object.keys(commands) as ReadonlyArray<CommandName>

type Values<Options> = { readonly [Key in keyof Options]: Options[Key] extends Option<infer A> ? A : never }

/** What the arguments give a command: the value of each option, and the operands. */
export type Given<Name extends CommandName> = Values<(typeof commands)[Name]["options"]> & {
  readonly operands: ReadonlyArray<string>
}

export const commandOf = (name: string | undefined): Command | undefined =>
  commandNames.includes(name as CommandName) ? commands[name as CommandName] : undefined

/** The options of a command, its own first. */
export const optionsOf = (command: Command | undefined): ReadonlyArray<Option<unknown>> => [
  ...Object.values(command?.options ?? {}),
  ...Object.values(commonOptions)
]

/** Every option of any command, each name once. */
export const allOptions: ReadonlyMap<string, Option<unknown>> = new Map(
  [...commandNames.map((name) => commands[name]), undefined].flatMap((command: Command | undefined) =>
    optionsOf(command).map((option) => [option.name, option] as const)
  )
)
