/**
 * The files of a run: `results.jsonl`, and a tree that mirrors the source, with the result of `a/b.wav` in `a/b.wav.txt`. Each file
 * appears whole or not at all.
 */
import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { isPlatformError, type PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import { systemCode } from "@effect-speech/transport/Failure"
import * as Printable from "@effect-speech/transport/Printable"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { OutputFailed } from "./ArchiveError.js"
import { pathProblem } from "./internal/pathProblem.js"
import type { FileRecord, Format, Output, RunSettings } from "./Run.js"

/** The recorded result of a transcription. */
export const TranscriptionResult = Schema.Struct({
  text: Schema.String,
  /** Absent if the recording does not state it. */
  durationMillis: Schema.optional(Schema.Number),
  /** From 0 to 1, if the service states it. */
  confidence: Schema.optional(Schema.Number),
  /** In milliseconds. Empty if the service states no times. */
  segments: Schema.Array(
    Schema.Struct({
      start: Schema.Number,
      end: Schema.Number,
      text: Schema.String,
      confidence: Schema.optional(Schema.Number)
    })
  ),
  /** The tags of the warnings. */
  warnings: Schema.Array(Schema.String)
})
export type TranscriptionResult = typeof TranscriptionResult.Type

/** The recorded result of a synthesis. Its audio is in the `.wav` file alone. */
export const SynthesisResult = Schema.Struct({
  durationMillis: Schema.Number,
  /** In Hz. */
  sampleRate: Schema.Number,
  encoding: Schema.String,
  /** Size of the samples. */
  bytes: Schema.Number,
  /** The tags of the warnings. */
  warnings: Schema.Array(Schema.String)
})
export type SynthesisResult = typeof SynthesisResult.Type

/** Of a name on most file systems, in bytes. */
const longestName = 255

/** The name with its ending. If it is too long for a file system, its end becomes a digest of it. */
const nameOf = (name: string, ending: string): string => {
  const whole = name + ending
  if (Buffer.byteLength(whole) <= longestName) return whole
  const digest = `~${createHash("sha256").update(name).digest("hex").slice(0, 16)}${ending}`
  let beginning = ""
  let left = longestName - Buffer.byteLength(digest)
  for (const character of name) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    beginning += character
  }
  return beginning + digest
}

/**
 * The path of the result of a file. The ending is added to the whole name, so that `a.wav` and `a.mp3` have different results. A
 * name that would be longer than 255 bytes is shortened, and ends with a digest of itself.
 *
 * @throws RangeError if the path leads out of the folder. No source gives such a path.
 */
export const pathOf = ({ directory, format }: Output, path: string): string => {
  const problem = pathProblem(path)
  if (problem !== undefined) throw new RangeError(`The path ${problem}.`)
  const parts = path.split("/")
  return join(directory, ...parts.map((part, index) => nameOf(part, index === parts.length - 1 ? `.${format}` : "")))
}

/** The folder with the kept pieces of a file. */
export const piecesOf = (directory: string, callId: string): string => join(directory, ".pieces", callId)

const decodeTranscription = Schema.decodeUnknown(TranscriptionResult)

/** The result of a transcription as a file of this format. */
const render = ({ segments, ...result }: TranscriptionResult, format: Exclude<Format, "wav">): string => {
  if (format === "txt") return `${result.text}\n`
  if (format === "json") return `${JSON.stringify({ ...result, segments }, null, 2)}\n`
  const { durationMillis, text } = result
  const timed =
    segments.length > 0 || durationMillis === undefined ? segments : [{ start: 0, end: durationMillis, text }]
  const cues = Subtitles.layout(timed)
  return format === "srt" ? Subtitles.toSrt(cues) : Subtitles.toVtt(cues)
}

/** What {@link complete} reads of a file. */
export interface Completed extends Pick<FileRecord, "path" | "callId" | "result"> {
  /** It has kept pieces. */
  readonly inPieces?: boolean | undefined
}

/**
 * Writes the file of the tree for a file that is recorded as done, and removes its kept pieces. The `.wav` of a synthesis was written
 * before.
 */
export const complete = (output: Output, file: Completed): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    if (output.format !== "wav") yield* writeTranscription(output, file, output.format)
    if (file.inPieces !== true) return
    const fs = yield* FileSystem.FileSystem
    yield* Effect.ignore(fs.remove(piecesOf(output.directory, file.callId), { recursive: true }))
  })

const writeTranscription = (output: Output, { path, result }: Completed, format: Exclude<Format, "wav">) =>
  Effect.gen(function* () {
    const target = pathOf(output, path)
    const decoded = yield* Effect.mapError(
      decodeTranscription(result),
      () =>
        new OutputFailed({
          path: target,
          message: `The result of ${path} is no transcription, so there is no ${format}.`
        })
    )
    yield* replace(target, (temporary, fs) => fs.writeFileString(temporary, render(decoded, format)))
  })

/**
 * Writes a temporary file beside `path`, which then takes its name. Its folder is made if it is missing. By default the name is made
 * from the target, so that the next write replaces what a killed process left. The result of the file is in the store.
 */
const replace = <E, R>(
  path: string,
  write: (temporary: string, fs: FileSystem.FileSystem) => Effect.Effect<void, E | PlatformError, R>,
  name = createHash("sha256").update(path).digest("hex").slice(0, 32)
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = dirname(path)
    const temporary = join(folder, `.${name}.part`)
    const written = write(temporary, fs)
    // Most folders exist: to look each time would take as long as to write.
    yield* Effect.catchIf(written, isNotFound, () =>
      Effect.zipRight(fs.makeDirectory(folder, { recursive: true }), written)
    ).pipe(
      Effect.zipRight(fs.rename(temporary, path)),
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true })))
    )
  }).pipe(
    Effect.mapError((error) =>
      isPlatformError(error) ? outputFailed(path, error, "recorded") : (error as Exclude<E, PlatformError>)
    )
  )

const isNotFound = (error: unknown): error is PlatformError =>
  isPlatformError(error) && error._tag === "SystemError" && error.reason === "NotFound"

/**
 * Writes `results.jsonl`: a line for each file that is done, failed or held, in the order of the run. It has neither times nor ids, so
 * that the same results give the same bytes. Returns the number of lines.
 */
export const writeResults = <E, R>(
  directory: string,
  files: Stream.Stream<FileRecord, E, R>
): Effect.Effect<number, E | OutputFailed, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    let count = 0
    const encoder = new TextEncoder()
    const path = join(directory, "results.jsonl")
    yield* replace(
      path,
      (temporary, fs) =>
        Effect.scoped(
          Effect.gen(function* () {
            const file = yield* fs.open(temporary, { flag: "w" })
            yield* Stream.runForEachChunk(files, (chunk) => {
              const lines = Chunk.toReadonlyArray(chunk).flatMap(lineOf)
              count += lines.length
              // A write of no bytes counts as one that failed.
              if (lines.length === 0) return Effect.void
              return file.writeAll(encoder.encode(lines.join("")))
            })
          })
        ),
      // Several machines may write it at the same time.
      crypto.randomUUID()
    )
    return count
  })

const lineOf = ({ error, path, result, state }: FileRecord): ReadonlyArray<string> =>
  state === "done" || state === "failed" || state === "held"
    ? [`${JSON.stringify({ path, state, ...(state === "done" ? { result } : { error }) })}\n`]
    : []

/**
 * Writes `results.jsonl`, and each file of the tree that is missing. The `.wav` files of a synthesis are copied from the output of the
 * run, if the folder is another one. Returns the number of files that are done.
 */
export const exportTo = <E, R>(
  output: Output,
  settings: RunSettings,
  files: Stream.Stream<FileRecord, E, R>
): Effect.Effect<number, E | OutputFailed, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { format } = output
    if ((format === "wav") !== (settings.output.format === "wav")) {
      return yield* new OutputFailed({
        path: output.directory,
        message: `A run of ${settings.operation._tag} has no ${format} files. Choose another format.`
      })
    }
    yield* writeResults(output.directory, files)
    const write = (file: FileRecord) =>
      Effect.gen(function* () {
        const target = pathOf(output, file.path)
        if (yield* isFile(fs, target)) return
        if (format !== "wav") return yield* writeTranscription(output, file, format)
        const original = pathOf(settings.output, file.path)
        if (original === target || !(yield* isFile(fs, original))) {
          return yield* new OutputFailed({
            path: target,
            code: "ENOENT",
            message: Printable.line(
              `${original} does not exist, and the store has no audio. Restore the file, or synthesize its text in another run.`
            )
          })
        }
        yield* replace(target, (temporary) => fs.copyFile(original, temporary))
      })
    return yield* files.pipe(
      Stream.filter(({ state }) => state === "done"),
      Stream.mapEffect(write, { concurrency: 8, unordered: true }),
      Stream.runCount
    )
  })

const isFile = (fs: FileSystem.FileSystem, path: string): Effect.Effect<boolean> =>
  Effect.match(fs.stat(path), { onFailure: () => false, onSuccess: ({ type }) => type === "File" })

const afterwards = {
  recorded: "The result is recorded: export writes it again, without a call.",
  lost: "Its audio may have been billed: resume the run, and retry the files of this tag to call again.",
  kept: "Its audio is kept in pieces: resume the run.",
  unsent: "Nothing was sent for it: resume the run."
} as const

/**
 * `recorded`: the result is in the store. `lost`: the audio was requested, and not saved. `kept`: its pieces are in the piece store.
 * `unsent`: nothing was requested.
 */
export const outputFailed = (
  path: string,
  error: unknown,
  result: keyof typeof afterwards = "unsent"
): OutputFailed => {
  const code = systemCode(error)
  const message = `${path} can't be written: ${adviceFor(code)} ${afterwards[result]}`
  return new OutputFailed({ path, code, message: Printable.line(message) })
}

const adviceFor = (code: string | undefined): string => {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full. Free some space."
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "this process has no permission to write there. Change the permissions of the folder."
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
      return "another file has the name of its folder, or a folder has its name. Rename one of them."
    case "ENAMETOOLONG":
      return "its path is too long for this system. Choose an output folder with a shorter path."
    default:
      return `writing failed (${code ?? "unknown"}). Check the disk.`
  }
}
