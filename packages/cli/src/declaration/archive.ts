/**
 * The commands of an archive.
 */
import type { Warning } from "@effect-speech/long-form/LongTranscription"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import { type Command, choice, flag, number, oneOf, optional, repeatable, required, text } from "../option.js"
import { cutting, modelExample, modelWords, recognition } from "./recognising.js"
import { allowInsecureHttp, json } from "./shared.js"
import { lang, outputFormat, speed, voice } from "./speaking.js"

const archiveFormats = ["txt", "json", "srt", "vtt", "wav"] as const
export type ArchiveFormat = (typeof archiveFormats)[number]

const unanswered = ["hold", "repeat"] as const

/** The options that find a run. */
const place = {
  out: optional("--out DIR", text, "Folder of the results of the run.", { completes: "folder", short: "o" }),
  store: optional(
    "--store STORE",
    text,
    "File, or postgresql:// address. If it has a password, set SPEECH_ARCHIVE_STORE instead.",
    { default: "archive.db in --out", completes: "file" }
  )
}

const archiveFormat = (description: string, inWords: string) =>
  oneOf("--format FORMAT", archiveFormats, description, { default: inWords })

/** The limits of a run, over all machines. */
const limits = {
  rate: optional("--rate N", number({ above: 0 }), "Most calls that begin in a second, on all machines together.", {
    default: "no limit"
  }),
  maxFiles: optional(
    "--max-files N",
    number({ from: 0, integer: true }),
    "Suspend the run when it has made calls for this many files.",
    { default: "no limit" }
  ),
  maxCredits: optional(
    "--max-credits N",
    number({ from: 0, integer: true }),
    "Suspend the run before it costs more. A second of audio, or a code point, costs 1.",
    { default: "no limit" }
  )
}

/** The tags of the warnings that a result can have. */
const warnings: Readonly<Record<Warning["_tag"] | TtsWarning["_tag"], true>> = {
  NothingRecognised: true,
  NothingButSilence: true,
  RecordingEndsEarly: true,
  MoreThanOneChannel: true,
  SampleRateFarFrom8kHz: true,
  ParseNumberWithoutEffect: true,
  HotwordNotSpoken: true,
  HotwordsIgnored: true,
  SegmentTimesUnread: true,
  SegmentTextsDiffer: true,
  FormatDiffers: true,
  DurationMissing: true,
  RequestIdMissing: true,
  RequestIdDiffers: true
}

const failOn = repeatable(
  "--fail-on WARNING",
  choice(Object.keys(warnings)),
  "End with exit code 41 if a done file has this warning, such as NothingRecognised."
)

/** The options of a process that makes calls. */
const machine = {
  concurrency: optional(
    "--concurrency N",
    number({ from: 1, to: 1000, integer: true }),
    "Calls of this machine at the same time.",
    { default: "16" }
  ),
  allowInsecureHttp
}

/** The options of a command that goes on with a run. */
const work = {
  failOn,
  ...machine,
  work: flag("--work", "Work on the run here too. If the store is a file, this process always does."),
  json
}

/** Machines meet in the database, and need neither. */
const formerAddress = {
  host: optional("--host NAME", text, "Ignored."),
  port: optional("--port N", text, "Ignored.")
}

const modelOfRun = optional("--model NAME", text, `${modelWords} Required to transcribe.`, { example: modelExample })

/** The options of `archive run` for recordings, and for texts. */
export const onlyForRecordings = { model: modelOfRun, ...recognition, ...cutting }
export const onlyForTexts = { lang, voice, outputFormat, speed }

export const archiveRun = {
  summary: "Transcribe many recordings, or speak many texts. Run it again to resume.",
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
    out: required("--out DIR", text, "Folder for the results.", {
      example: "transcripts",
      completes: "folder",
      short: "o"
    }),
    format: archiveFormat("Format of the results.", "txt, or wav for a synthesis"),
    store: place.store,
    byContent: flag("--by-content", "Identify a file by its content, not by its size and time of change."),
    afterCrash: oneOf(
      "--after-crash WHAT",
      unanswered,
      "What to do with a file that may have been billed and has no result, as after a crash.",
      { default: "hold" }
    ),
    dryRun: flag("--dry-run", "Print what a run would send. Nothing is stored or sent."),
    ...limits,
    failOn,
    ...recognition,
    ...cutting,
    ...onlyForTexts,
    ...machine,
    work: work.work,
    json
  },
  former: {
    ...formerAddress,
    unanswered: oneOf("--unanswered WHAT", unanswered, "--after-crash.")
  }
} satisfies Command

/** A command on a run that is there. Its first options find the run. */
const ofRun = <const Options extends Command["options"]>(
  summary: string,
  examples: ReadonlyArray<string>,
  options: Options
) => ({ summary, examples, options: { ...place, ...options } })

export const archiveStatus = ofRun(
  "Print how far a run is.",
  ["speech archive status --out transcripts", "speech archive status --out transcripts --watch"],
  {
    watch: flag(
      "--watch",
      "Watch the run until it is paused, suspended or ended. With --json: a line for each change."
    ),
    failOn,
    json
  }
)

export const archivePause = ofRun(
  "Pause a run. Calls in progress finish.",
  ["speech archive pause --out transcripts"],
  { json }
)

export const archiveResume = {
  ...ofRun(
    "Resume a run that was paused or suspended.",
    ["speech archive resume --out transcripts", "speech archive resume --out transcripts --max-credits 500000"],
    { ...limits, ...work }
  ),
  former: formerAddress
}

export const archiveRetry = {
  ...ofRun(
    "Call the failed files of a run again.",
    ["speech archive retry --out transcripts", "speech archive retry --out transcripts --only AnswerUnknown"],
    {
      only: optional(
        "--only TAG",
        text,
        "Only files with this error. A held file may be billed again; those of a crash have AnswerUnknown.",
        { default: "all failed files, but no held ones" }
      ),
      ...work
    }
  ),
  former: formerAddress
}

export const archiveExport = ofRun(
  "Write the results of a run from its archive. Nothing is sent.",
  ["speech archive export --out transcripts", "speech archive export --out transcripts --to subtitles --format srt"],
  {
    to: optional("--to DIR", text, "Folder to write to.", {
      default: "--out, where only files that are missing or differ are written",
      completes: "folder"
    }),
    format: archiveFormat("Format of the results.", "that of the run"),
    json
  }
)

export const archiveRepair = ofRun(
  "Write again what is missing or differs in the output of a run.",
  ["speech archive repair --out transcripts", "speech archive repair --out prompts --synthesize"],
  {
    synthesize: flag("--synthesize", "Synthesize the audio that is missing or differs. It is billed again."),
    ...work
  }
)

export const archiveWork = {
  summary: "Work on the runs in a PostgreSQL together with other machines, until Ctrl-C.",
  examples: ["speech archive work --store postgresql://db.internal/speech"],
  options: {
    store: optional(
      "--store URL",
      text,
      "postgresql:// address. If it has a password, set SPEECH_ARCHIVE_STORE instead.",
      { default: "SPEECH_ARCHIVE_STORE" }
    ),
    ...machine,
    json
  },
  former: formerAddress
} satisfies Command
