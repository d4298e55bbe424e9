/**
 * One file of the tree: what it holds, and how it is written, whole or not at all.
 */
import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { isPlatformError, type PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Files from "@effect-speech/common/Files"
import * as Printable from "@effect-speech/common/Printable"
import { isTooManyOpenFiles, systemCode } from "@effect-speech/common/SystemCode"
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ArchiveOutputFailed } from "../../ArchiveError.js"
import { pathOf, TranscriptionResult } from "../../Output.js"
import type { FileRecord, Format, Output, RunSettings } from "../../Run.js"
import { hashFile } from "../source/files.js"
import type { FileOutput, Settlement } from "../store/Store.js"

/** The results are private, as kept pieces are. */
export const fileMode = 0o600
export const folderMode = 0o700

/** The folder with the kept pieces of a file. */
export const piecesOf = (directory: string, callId: string): string => join(directory, ".pieces", callId)

// --- What a file holds ---

const decodeTranscription = Schema.decodeUnknownEither(TranscriptionResult)

/** The result of a transcription as a file of this format. */
const render = ({ segments, ...result }: TranscriptionResult, format: Exclude<Format, "wav">): string => {
  if (format === "txt") return `${result.text}\n`
  if (format === "json") return `${JSON.stringify({ ...result, segments }, null, 2)}\n`
  const { durationMillis, text } = result
  const timed =
    segments.length > 0 || durationMillis === undefined ? segments : [{ start: 0, end: durationMillis, text }]
  const cues = Subtitles.layout(timed.map(({ end, start, text }) => ({ startMillis: start, endMillis: end, text })))
  return format === "srt" ? Subtitles.toSrt(cues) : Subtitles.toVtt(cues)
}

/** The transcript of a file that is done. */
export const transcriptOf = (
  output: Output,
  { path, result }: Pick<FileRecord, "path" | "result">
): Either.Either<string, ArchiveOutputFailed> => {
  const { format } = output
  const decoded = decodeTranscription(result)
  return format !== "wav" && Either.isRight(decoded)
    ? Either.right(render(decoded.right, format))
    : Either.left(
        new ArchiveOutputFailed({
          path: pathOf(output, path),
          message: Printable.line(`The result of ${path} is no transcription, so there is no ${format}.`)
        })
      )
}

/** The first 16 bytes of a SHA-256, as hexadecimal digits. */
const shortened = (sha256: string): string => sha256.slice(0, 32)

/** What the store keeps of a text that is written. */
export const outputOf = (text: string): FileOutput => ({
  size: Buffer.byteLength(text),
  digest: shortened(createHash("sha256").update(text).digest("hex"))
})

export const digestOfFile = (path: string): Effect.Effect<string, unknown> =>
  Effect.map(Effect.tryPromise({ try: () => hashFile(path), catch: (error) => error }), shortened)

/** What the store keeps of a file of the tree. */
export const outputOfFile = (path: string): Effect.Effect<FileOutput, unknown, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const digest = yield* digestOfFile(path)
    return { digest, size: Number((yield* fs.stat(path)).size) }
  })

/** The result of a call, with what will be written for it. A worker that writes a file itself says what it wrote. */
export const withOutput = (
  { file, settings }: { readonly file: Pick<FileRecord, "path">; readonly settings: RunSettings },
  settlement: Settlement
): Settlement => {
  if (settlement._tag !== "Done" || settlement.output !== undefined || settings.output.format === "wav") {
    return settlement
  }
  const transcript = transcriptOf(settings.output, { path: file.path, result: settlement.result })
  return Either.isLeft(transcript) ? settlement : { ...settlement, output: outputOf(transcript.right) }
}

// --- Writing ---

/** What {@link complete} reads of a file. */
export interface Completed extends Pick<FileRecord, "path" | "callId" | "result"> {
  /** It has kept pieces. */
  readonly inPieces?: boolean | undefined
}

/**
 * Writes the file of the tree for a file that is recorded as done, and removes its kept pieces. The `.wav` of a synthesis was written
 * before.
 */
export const complete = (
  output: Output,
  file: Completed
): Effect.Effect<void, ArchiveOutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    if (output.format !== "wav") yield* writeText(pathOf(output, file.path), yield* transcriptOf(output, file))
    if (file.inPieces !== true) return
    const fs = yield* FileSystem.FileSystem
    yield* Effect.ignore(fs.remove(piecesOf(output.directory, file.callId), { recursive: true }))
  })

/** Writes a text. `mode` is that of the file which it replaces, if there is one. */
export const writeText = (path: string, text: string, mode?: number) =>
  replace(path, (temporary, fs) => {
    const written = fs.writeFileString(temporary, text, { flag: "wx", mode: fileMode })
    return mode === undefined ? written : Effect.zipRight(written, fs.chmod(temporary, mode))
  })

/** Copies a file to another place. The copy has the mode of the file. */
export const copy = (from: string, to: string) =>
  recorded(
    to,
    // Its name is random, since a copy would be written into a temporary file that exists.
    Files.replace(to, (temporary, fs) => fs.copyFile(from, temporary), { folderMode })
  )

/**
 * Replaces a file of the tree. Its folder is made if it is missing. The name of the temporary file is made from that of the file, so
 * that the next write removes what a killed process left.
 */
export const replace = <E, R>(
  path: string,
  write: (temporary: string, fs: FileSystem.FileSystem) => Effect.Effect<void, E | PlatformError, R>
): Effect.Effect<void, Exclude<E, PlatformError> | ArchiveOutputFailed, R | FileSystem.FileSystem> => {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 32)
  return recorded(path, Files.replace(path, write, { folderMode, temporary: join(dirname(path), `.${name}.part`) }))
}

/** Names the error of a file whose result is in the store. */
const recorded = <E, R>(path: string, written: Effect.Effect<void, E | PlatformError, R>) =>
  Effect.mapError(written, (error) =>
    isPlatformError(error) ? outputFailed(path, error, "recorded") : (error as Exclude<E, PlatformError>)
  )

// --- What to do about a failure ---

const afterwards = {
  recorded: "The result is recorded: repair writes it again, without a call.",
  lost: "Its audio may have been billed: resume the run, and retry the files of this tag to call again.",
  kept: "Its audio is kept in pieces: resume the run.",
  unsent: "Nothing was sent for it: resume the run."
} as const

const tooManyOpenFiles = (code: string | undefined): string =>
  `the process has too many open files (${code}). Raise the limit of open files (ulimit -n).`

/** A file of the tree can't be read, so it is not known whether it is the one that was written. */
export const outputUnreadable = (path: string, error: unknown): ArchiveOutputFailed => {
  const code = systemCode(error)
  const message = isTooManyOpenFiles(code)
    ? `${path} can't be read, and so not compared: ${tooManyOpenFiles(code)}`
    : `${path} can't be read (${code ?? "unknown"}), and so not compared. Check its permissions and its disk.`
  return new ArchiveOutputFailed({ path, code, message: Printable.line(message) })
}

/**
 * `recorded`: the result is in the store. `lost`: the audio was requested, and not saved. `kept`: its pieces are in the piece store.
 * `unsent`: nothing was requested.
 */
export const outputFailed = (
  path: string,
  error: unknown,
  result: keyof typeof afterwards = "unsent"
): ArchiveOutputFailed => {
  const code = systemCode(error)
  const message = `${path} can't be written: ${adviceFor(code)} ${afterwards[result]}`
  return new ArchiveOutputFailed({ path, code, message: Printable.line(message) })
}

const adviceFor = (code: string | undefined): string => {
  if (isTooManyOpenFiles(code)) return tooManyOpenFiles(code)
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
