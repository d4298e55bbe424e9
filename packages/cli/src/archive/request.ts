/**
 * What `speech archive run` asks for, from its options: the source, the operation, the output and the limits.
 */
import { resolve } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import type { RunRequest } from "@effect-speech/archive/Archive"
import type { ArchiveSourceFailed } from "@effect-speech/archive/ArchiveError"
import * as Operation from "@effect-speech/archive/Operation"
import type { LimitChanges } from "@effect-speech/archive/Run"
import * as Source from "@effect-speech/archive/Source"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import * as Recording from "@effect-speech/stt/Recording"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { toHotword } from "../commands/transcribe.js"
import { autoLang } from "../declaration/speaking.js"
import { type Given, onlyForRecordings, onlyForTexts } from "../declaration.js"
import { InputFailed, refuse, type UsageError } from "../failure.js"

/** What a run is given is a folder, a pattern, a list of recordings, or texts. */
type Kind = "folder" | "pattern" | "list" | "jsonl" | "csv"

const isTexts = (kind: Kind): kind is "jsonl" | "csv" => kind === "jsonl" || kind === "csv"

const kindOf = (source: string): Effect.Effect<Kind, InputFailed | UsageError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const type = yield* Effect.option(Effect.map(fs.stat(source), (info) => info.type))
    if (type._tag === "None") {
      if (/[*?[{]/.test(source)) return "pattern"
      return yield* new InputFailed({ message: `${source} does not exist; check the path.` })
    }
    if (type.value === "Directory") return "folder"
    if (type.value !== "File") {
      return yield* new InputFailed({
        message: `${source} is a pipe or a device, and a run reads its source again when it goes on: write the list into a file.`
      })
    }
    const ending = source.toLowerCase().replace(/^.*\./s, "")
    if (ending === "jsonl" || ending === "csv") return ending
    const recording = Recording.inspect(AudioSource.fromPath(source))
    const isRecording = Effect.match(recording, {
      onFailure: () => false,
      onSuccess: ({ container }) => container !== undefined
    })
    if (Source.audioExtensions.some((each) => each === ending) || (yield* isRecording)) {
      return yield* refuse(`${source} is one recording: give the folder that it is in, or use speech transcribe.`)
    }
    return "list"
  })

/** A wrong combination of options, before anything is listed. */
const check = (given: Given<"archive run">, kind: Kind): Effect.Effect<void, UsageError> => {
  const values: Readonly<Record<string, unknown>> = given
  const wasGiven = (value: unknown) =>
    !(value === undefined || value === false || (Array.isArray(value) && value.length === 0))
  for (const [key, { name }] of Object.entries(isTexts(kind) ? onlyForRecordings : onlyForTexts)) {
    if (!wasGiven(values[key])) continue
    return refuse(
      isTexts(kind)
        ? `--${name} is for recordings, but SOURCE is a file of texts to speak.`
        : `--${name} is for texts: give a SOURCE that ends in .jsonl or .csv.`
    )
  }
  if (!isTexts(kind) && given.model === undefined) {
    return refuse("--model is required to transcribe, such as --model hi-general-v2-8khz.")
  }
  if (given.lang === autoLang) {
    return refuse(
      "--lang auto is for speech synthesize. In an archive, give --lang a code, or each text its own in a field lang."
    )
  }
  if (given.byContent && isTexts(kind)) return refuse("--by-content is for recordings: a text is always known by it.")
  return Effect.void
}

const sourceOf = (
  path: string,
  kind: Kind,
  byContent: boolean
): Effect.Effect<Source.Source<FileSystem.FileSystem>, ArchiveSourceFailed, FileSystem.FileSystem> => {
  switch (kind) {
    case "folder":
      return Source.folder(path, { byContent })
    case "pattern":
      return Source.glob(path, { byContent })
    case "list":
      return Effect.succeed(Source.list(path, { byContent }))
    case "jsonl":
      return Effect.succeed(Source.jsonl(path))
    case "csv":
      return Effect.succeed(Source.csv(path))
  }
}

const transcription = ({ hotwords, model = "", parseNumber, pieceMinutes, segmentFields }: Given<"archive run">) =>
  Operation.transcribe({
    model,
    parseNumber: parseNumber ? true : undefined,
    hotwords: hotwords.length === 0 ? undefined : hotwords.map(toHotword),
    maximum: pieceMinutes === undefined ? undefined : Duration.minutes(pieceMinutes),
    segmentFields
  })

/** The limits that are given. The run keeps the others. */
export const limitsOf = ({ maxCredits, maxFiles, rate }: Given<"archive run" | "archive resume">): LimitChanges => ({
  callsPerSecond: rate,
  maxFiles,
  maxCredits
})

export const requestOf = (
  given: Given<"archive run">
): Effect.Effect<
  RunRequest<FileSystem.FileSystem>,
  InputFailed | UsageError | ArchiveSourceFailed,
  FileSystem.FileSystem
> =>
  Effect.gen(function* () {
    const [path = ""] = given.operands
    const kind = yield* kindOf(path)
    yield* check(given, kind)
    const { afterCrash, byContent, format, lang, out, outputFormat, speed, unanswered, voice } = given
    return {
      source: yield* sourceOf(path, kind, byContent),
      operation: isTexts(kind) ? Operation.synthesize({ lang, voice, outputFormat, speed }) : transcription(given),
      output: { directory: resolve(out), format },
      limits: limitsOf(given),
      unanswered: afterCrash ?? unanswered
    }
  })
