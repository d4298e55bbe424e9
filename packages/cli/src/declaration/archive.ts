/**
 * The commands of an archive.
 */
import type { Warning } from "@effect-speech/long-form/LongTranscription"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import {
  type Command,
  choice,
  flag,
  group,
  number,
  oneOf,
  optional,
  orNone,
  repeatable,
  required,
  text
} from "../option.js"
import { cutting, modelDetails, modelWords, recognition } from "./recognising.js"
import { allowInsecureHttp, dotenv, json } from "./shared.js"
import { lang, outputFormat, speed, voice } from "./speaking.js"

const archiveFormats = ["txt", "json", "srt", "vtt", "wav"] as const
export type ArchiveFormat = (typeof archiveFormats)[number]

const unanswered = ["hold", "repeat"] as const

/** The options that find a run. */
const place = {
  out: optional("--out DIR", text, "Folder with the results of the run.", { completes: "folder", short: "o" }),
  store: optional(
    "--store STORE",
    text,
    "Table of files: a file, or a postgresql:// address. If the address has a password, set SPEECH_ARCHIVE_STORE instead.",
    { default: "archive.db in --out", completes: "file" }
  )
}

const archiveFormat = (description: string, inWords: string) =>
  oneOf("--format FORMAT", archiveFormats, description, { default: inWords })

/** The limits of a run, over all machines. */
const limits = (inWords: string) => ({
  rate: optional(
    "--rate N",
    orNone(number({ above: 0 })),
    "Most files to begin in a second, on all machines together, or none. Pieces of a file do not count.",
    { default: inWords }
  ),
  maxFiles: optional(
    "--max-files N",
    orNone(number({ from: 0, integer: true })),
    "Suspend the run after calls for this many files; none removes the limit.",
    { default: inWords }
  ),
  maxCredits: optional(
    "--max-credits N",
    orNone(number({ from: 0, integer: true })),
    "Suspend the run before it costs more; none removes the limit. A started second of audio, or a code point, costs 1.",
    { default: inWords }
  )
})

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
  "End with exit code 41 if a file is done but has this warning, such as NothingRecognised."
)

/** The options of a process that makes calls. */
const machine = {
  concurrency: optional(
    "--concurrency N",
    number({ from: 1, to: 1000, integer: true }),
    "Calls that this machine makes at the same time.",
    { default: "16" }
  ),
  dotenv,
  allowInsecureHttp
}

/** The options of a command that goes on with a run. */
const work = {
  failOn,
  ...machine,
  work: flag("--work", "Make calls on this machine too. If the store is a file, this machine always does."),
  json
}

/** Machines meet in the database, and need neither. */
const formerAddress = {
  host: optional("--host NAME", text, "Ignored."),
  port: optional("--port N", text, "Ignored.")
}

const modelOfRun = optional("--model NAME", text, `${modelWords} Required to transcribe.`, modelDetails)

/** The options of `archive run` for recordings, and for texts. */
export const onlyForRecordings = { model: modelOfRun, ...recognition, ...cutting }
export const onlyForTexts = { lang, voice, outputFormat, speed }

export const archiveRun = {
  summary: "Transcribe or speak many files, and record the result of each.",
  details: "If the command fails or is interrupted, run it again: it sends no file again that is done.",
  examples: [
    "speech archive run calls --model hi-general-v2-8khz --out transcripts",
    "speech archive run prompts.csv --lang ta --out prompts",
    "speech archive run '*.mp3' --model hi-general-v2-8khz --format srt --out a",
    "speech archive run calls --model hi-general-v2-8khz --dry-run --out texts"
  ],
  operands: {
    name: "SOURCE",
    description: "Recordings: a folder, a pattern in quotes, or a list of paths. Texts: a .jsonl or .csv file.",
    min: 1,
    max: 1,
    completes: "file",
    several: "Give a folder, or put quotes around the pattern."
  },
  options: {
    ...group("Output", {
      out: required("--out DIR", text, "Folder for the results.", {
        example: "transcripts",
        completes: "folder",
        short: "o"
      }),
      format: archiveFormat("Format of the results.", "that of the run; at first txt, or wav for a synthesis"),
      failOn,
      json
    }),
    ...group("Run", {
      dryRun: flag(
        "--dry-run",
        "Print the number of files to send, and their cost, as without limits. Send and store nothing."
      ),
      byContent: flag(
        "--by-content",
        "Recognise a file that was moved or touched by its content. Give it from the first run on."
      ),
      afterCrash: oneOf(
        "--after-crash WHAT",
        unanswered,
        "What to do with a file that may have been billed but has no result, such as after a crash.",
        { default: "that of the run; at first hold" }
      ),
      ...limits("the limit of the run; at first none")
    }),
    ...group("Transcription", { model: modelOfRun, ...recognition, ...cutting }),
    ...group("Synthesis", onlyForTexts),
    ...group("Several machines", { store: place.store, work: work.work, concurrency: machine.concurrency }),
    ...group("Calls", { dotenv, allowInsecureHttp })
  },
  mostUsed: ["model", "lang", "voice", "out", "format", "dryRun", "maxCredits", "concurrency", "store", "json"],
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
) => ({ summary, examples, oneOf: "(--out DIR | --store STORE)", options: { ...place, ...options } })

export const archiveStatus = ofRun(
  "Show the progress of a run.",
  ["speech archive status --out transcripts", "speech archive status --out transcripts --watch"],
  {
    watch: flag("--watch", "Show the progress until the run is paused, suspended or ended, or no process works on it."),
    failOn,
    json
  }
)

export const archivePause = ofRun(
  "Pause a run, after the calls in progress.",
  ["speech archive pause --out transcripts"],
  { json }
)

export const archiveResume = {
  ...ofRun(
    "Resume a run that was paused or suspended.",
    ["speech archive resume --out transcripts", "speech archive resume --out transcripts --max-credits 500000"],
    { ...limits("the limit of the run"), ...work }
  ),
  mostUsed: ["out", "store", "maxCredits", "maxFiles", "rate", "concurrency", "work", "failOn", "json"],
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
        "Call only files with this error, failed or held. A held file may be billed again. After a crash, the error is AnswerUnknown.",
        { default: "all failed files, and no held ones" }
      ),
      ...work
    }
  ),
  former: formerAddress
}

export const archiveExport = ofRun(
  "Write the results of a run again, in any format and folder.",
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
  "Restore results that are missing or were changed.",
  ["speech archive repair --out transcripts", "speech archive repair --out prompts --synthesize"],
  {
    synthesize: flag("--synthesize", "Synthesize missing audio again. It is billed again."),
    ...work
  }
)

export const archiveWork = {
  summary: "Work with other machines on all runs of a database.",
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
