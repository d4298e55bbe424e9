/**
 * The `speech` command, declared once: its commands, options and operands. The parser, the help, the suggestions, the
 * completions and the tables of the README are made from it. It imports types alone, so that `speech --help` starts fast.
 */
import type { LongTranscriptionWarning } from "@effect-speech/long-form/LongTranscription"
import type { SegmentFields } from "@effect-speech/long-form/SegmentReader"
import type { Boundary } from "@effect-speech/long-form/TextPieces"
import type { OutputFormat } from "@effect-speech/tts/TtsContract"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
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
  /** Options of earlier versions: they are read, and neither described nor completed. */
  readonly former?: Readonly<Record<string, Option<unknown>>>
}

export const summary = "Speak texts and transcribe recordings."

const shells = ["bash", "zsh", "fish"] as const
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

const lang = optional("lang", text, { value: "CODE", description: "Language of the text, such as en.", default: "hi" })

const voice = optional("voice", text, {
  value: "ID",
  description: "Voice.",
  default: "default_female"
})

const speed = optional("speed", number(), { value: "RATE", description: "Speaking rate, 0.25 to 4." })

const outputFormat = optional("output-format", choice(outputFormats), {
  value: "FORMAT",
  description: "Sample rate in Hz and encoding.",
  choices: outputFormats,
  default: "24000:float32"
})

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

const model = {
  value: "NAME",
  description: "Model, such as hi-general-v2-8khz. It decides the language.",
  example: "hi-general-v2-8khz"
}

/** How a recording is recognised. */
const recognition = {
  parseNumber: flag("parse-number", "Write spoken numbers as digits, with hi, ml, kn, gu and mr models."),
  hotwords: repeatable("hotword", text, {
    value: "PHRASE[:SCORE]",
    description: "Phrase to listen for. The text after the last colon is the score, if it is a number."
  })
}

/** How a long recording is cut. */
const cutting = {
  pieceMinutes: optional("piece-minutes", number({ from: 0.1, to: 60 }), {
    value: "N",
    description: "Longest piece of a long recording, up to 60.",
    default: "5"
  }),
  segmentFields: optional("segment-fields", segmentFields, {
    value: "NAME=FIELD,…",
    description: "Fields of a segment in the response. The unit is seconds or millis.",
    default: "start=start,end=end,text=text,unit=seconds"
  })
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
    model: required("model", text, model),
    aux: flag("aux", "Request timings and confidences. --json prints them."),
    ...recognition,
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
    long: flag("long", "Cut each recording in pauses. Default: those whose header states more than a piece."),
    pieceMinutes: cutting.pieceMinutes,
    pieces: optional("pieces", text, {
      value: "FOLDER",
      description: "Folder that keeps paid pieces until the command is done. The same command goes on.",
      default: "they are not kept",
      completes: "folder"
    }),
    segmentFields: cutting.segmentFields,
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
  hostNames: repeatable("host-name", text, {
    value: "NAME",
    description: "Name that other machines use for this one."
  }),
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
  examples: ["speech serve", "speech serve --open", "speech serve --port 8100 --data-dir speech-data"],
  options: {
    ...service,
    shell: optional("shell", choice(settingShells), {
      value: "SHELL",
      description: "Shell for which to print the lines that set the environment.",
      choices: settingShells,
      default: "the one in SHELL; on Windows, the one that runs the command"
    }),
    open: flag("open", "Open the console in your browser."),
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

const archiveFormats = ["txt", "json", "srt", "vtt", "wav"] as const
export type ArchiveFormat = (typeof archiveFormats)[number]

const unanswered = ["hold", "repeat"] as const

/** The options that find a run. */
const place = {
  out: optional("out", text, { value: "DIR", description: "Folder of the results of the run.", completes: "folder" }),
  store: optional("store", text, {
    value: "STORE",
    description: "File, or postgresql:// address. With a password, set SPEECH_ARCHIVE_STORE.",
    default: "archive.db in --out",
    completes: "file"
  })
}

const archiveFormat = (description: string, inWords: string) =>
  optional("format", choice(archiveFormats), {
    value: "FORMAT",
    description,
    choices: archiveFormats,
    default: inWords
  })

/** The limits of a run, over all machines. */
const limits = {
  rate: optional("rate", number({ above: 0 }), {
    value: "N",
    description: "Calls that begin in a second, on all machines together.",
    default: "no limit"
  }),
  maxFiles: optional("max-files", number({ from: 0, integer: true }), {
    value: "N",
    description: "Suspend the run when it has called for so many files.",
    default: "no limit"
  }),
  maxCredits: optional("max-credits", number({ from: 0, integer: true }), {
    value: "N",
    description: "Suspend the run before it costs more: a second of audio or a code point is 1.",
    default: "no limit"
  })
}

/** The tags of the warnings that a result can have. */
const warnings: Readonly<Record<LongTranscriptionWarning["_tag"] | TtsWarning["_tag"], true>> = {
  NothingRecognised: true,
  NothingButSilence: true,
  RecordingEndsEarly: true,
  MoreThanOneChannel: true,
  SampleRateFarFrom8kHz: true,
  ParseNumberWithoutEffect: true,
  HotwordNotSpoken: true,
  SegmentTimesUnread: true,
  SegmentTextsDiffer: true,
  FormatDiffers: true,
  DurationMissing: true,
  RequestIdMissing: true,
  RequestIdDiffers: true
}

const failOn = repeatable("fail-on", choice(Object.keys(warnings)), {
  value: "WARNING",
  description: "End with exit code 41 if a done file has this warning, such as NothingRecognised."
})

/** The options of a process that makes calls. */
const machine = {
  concurrency: optional("concurrency", number({ from: 1, to: 1000, integer: true }), {
    value: "N",
    description: "Calls of this machine at the same time.",
    default: "16"
  }),
  allowInsecureHttp
}

const workHere = flag("work", "Work on the run here, too. With a file for a store, this process always does.")

/** Machines meet in the database, and need neither. */
const formerAddress = {
  host: optional("host", text, { value: "NAME", description: "Ignored." }),
  port: optional("port", text, { value: "N", description: "Ignored." })
}

const modelOfRun = optional("model", text, { ...model, description: `${model.description} Required to transcribe.` })

/** The options of `archive run` for recordings, and for texts. */
export const onlyForRecordings = { model: modelOfRun, ...recognition, ...cutting }
export const onlyForTexts = { lang, voice, outputFormat, speed }

const archiveRun = {
  summary: "Transcribe many recordings, or speak many texts. The same command goes on.",
  examples: [
    "speech archive run calls --model hi-general-v2-8khz --out transcripts",
    "speech archive run 'calls/**/*.mp3' --model hi-general-v2-8khz --out subtitles --format srt",
    "speech archive run prompts.csv --lang ta --out prompts",
    "speech archive run calls --model hi-general-v2-8khz --out transcripts --dry-run"
  ],
  operands: {
    name: "SOURCE",
    description: "Folder, pattern in quotes, or list of paths. To speak: a .jsonl or .csv of texts.",
    min: 1,
    max: 1,
    completes: "file",
    several: "Give a folder, or put quotes around the pattern."
  },
  options: {
    model: modelOfRun,
    out: required("out", text, {
      value: "DIR",
      description: "Folder for the results.",
      example: "transcripts",
      completes: "folder"
    }),
    format: archiveFormat("Format of the results.", "txt, or wav for a synthesis"),
    store: place.store,
    byContent: flag("by-content", "Know a file by its content, not by its size and time of change."),
    afterCrash: optional("after-crash", choice(unanswered), {
      value: "WHAT",
      description: "What to do with a file that may have been billed and has no result, as after a crash.",
      choices: unanswered,
      default: "hold"
    }),
    dryRun: flag("dry-run", "Print what a run would send. Nothing is stored or sent."),
    ...limits,
    failOn,
    ...recognition,
    ...cutting,
    ...onlyForTexts,
    ...machine,
    work: workHere,
    json
  },
  former: {
    ...formerAddress,
    unanswered: optional("unanswered", choice(unanswered), {
      value: "WHAT",
      description: "--after-crash.",
      choices: unanswered
    })
  }
} satisfies Command

const archiveStatus = {
  summary: "Print how far a run is.",
  examples: ["speech archive status --out transcripts", "speech archive status --out transcripts --watch"],
  options: {
    ...place,
    watch: flag("watch", "Go on until the run is paused, suspended or ended. With --json: a line for each change."),
    failOn,
    json
  }
} satisfies Command

const archivePause = {
  summary: "Pause a run. Calls in progress finish.",
  examples: ["speech archive pause --out transcripts"],
  options: { ...place, json }
} satisfies Command

const archiveResume = {
  summary: "Go on with a run that was paused or suspended.",
  examples: ["speech archive resume --out transcripts", "speech archive resume --out transcripts --max-credits 500000"],
  options: { ...place, ...limits, failOn, ...machine, work: workHere, json },
  former: formerAddress
} satisfies Command

const archiveRetry = {
  summary: "Call the failed files of a run again.",
  examples: ["speech archive retry --out transcripts", "speech archive retry --out transcripts --only AnswerUnknown"],
  options: {
    ...place,
    only: optional("only", text, {
      value: "TAG",
      description: "Only files with this error. A held file may be billed again; those of a crash have AnswerUnknown.",
      default: "all failed files, but no held ones"
    }),
    failOn,
    ...machine,
    work: workHere,
    json
  },
  former: formerAddress
} satisfies Command

const archiveExport = {
  summary: "Write the results of a run from its archive. Nothing is sent.",
  examples: [
    "speech archive export --out transcripts",
    "speech archive export --out transcripts --to subtitles --format srt"
  ],
  options: {
    ...place,
    to: optional("to", text, {
      value: "DIR",
      description: "Folder to write to.",
      default: "--out, where only files that are missing or differ are written",
      completes: "folder"
    }),
    format: archiveFormat("Format of the results.", "that of the run"),
    json
  }
} satisfies Command

const archiveRepair = {
  summary: "Write again what is missing or differs in the output of a run.",
  examples: ["speech archive repair --out transcripts", "speech archive repair --out prompts --synthesize"],
  options: {
    ...place,
    synthesize: flag("synthesize", "Synthesize the audio that is missing or differs. It is billed again."),
    failOn,
    ...machine,
    work: workHere,
    json
  }
} satisfies Command

const archiveWork = {
  summary: "Work on the runs in a PostgreSQL beside other machines, until Ctrl-C.",
  examples: ["speech archive work --store postgresql://db.internal/speech"],
  options: {
    store: optional("store", text, {
      value: "URL",
      description: "postgresql:// address. With a password, set SPEECH_ARCHIVE_STORE.",
      default: "SPEECH_ARCHIVE_STORE"
    }),
    ...machine,
    json
  },
  former: formerAddress
} satisfies Command

export const commands = {
  synthesize,
  transcribe,
  "archive run": archiveRun,
  "archive status": archiveStatus,
  "archive pause": archivePause,
  "archive resume": archiveResume,
  "archive retry": archiveRetry,
  "archive export": archiveExport,
  "archive repair": archiveRepair,
  "archive work": archiveWork,
  serve,
  run,
  doctor
}

export type CommandName = keyof typeof commands
export const commandNames = Object.keys(commands) as ReadonlyArray<CommandName>

const groupIn = (name: string): string | undefined => (name.includes(" ") ? name.replace(/ .*/, "") : undefined)

/** The first words of commands of two words. */
export const groupNames: ReadonlyArray<string> = [...new Set(commandNames.flatMap((name) => groupIn(name) ?? []))]

/** The first words of all commands. */
export const firstWords: ReadonlyArray<string> = [...new Set(commandNames.map((name) => groupIn(name) ?? name))]

/** The second words of the commands of a group. */
export const secondWords = (group: string): ReadonlyArray<string> =>
  commandNames.flatMap((name) => (groupIn(name) === group ? name.slice(group.length + 1) : []))

type Values<Options> = { readonly [Key in keyof Options]: Options[Key] extends Option<infer A> ? A : never }

/** What the arguments give a command: the value of each option, and the operands. */
export type Given<Name extends CommandName> = Values<(typeof commands)[Name]["options"]> &
  ((typeof commands)[Name] extends { readonly former: infer Former } ? Values<Former> : unknown) & {
    readonly operands: ReadonlyArray<string>
  }

export const commandOf = (name: string | undefined): Command | undefined =>
  commandNames.includes(name as CommandName) ? commands[name as CommandName] : undefined

/** The options of a command, its own first. */
export const optionsOf = (command: Command | undefined): ReadonlyArray<Option<unknown>> => [
  ...Object.values(command?.options ?? {}),
  ...Object.values(commonOptions)
]

/** The options that a command reads: those of earlier versions, too. */
export const readBy = (command: Command | undefined): ReadonlyArray<Option<unknown>> => [
  ...optionsOf(command),
  ...Object.values(command?.former ?? {})
]

/** Every option of any command, each name once. */
export const allOptions: ReadonlyMap<string, Option<unknown>> = new Map(
  [...commandNames.map((name) => commands[name]), undefined].flatMap((command: Command | undefined) =>
    optionsOf(command).map((option) => [option.name, option] as const)
  )
)
