/**
 * The files of `speech transcribe --out-dir`: one for each recording, under the name of the recording.
 */
import { basename, extname, join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { checkOutput, checkOutputFolder } from "./checkOutput.js"
import type { TranscriptFormat } from "./declaration.js"
import { type OutputFailed, refuse, type UsageError } from "./failure.js"
import { writeFailed } from "./fileFailure.js"
import { isSameFile } from "./fileIdentity.js"

const extensionOf = (format: TranscriptFormat): string => (format === "text" ? "txt" : format)

/** `calls/call.wav` becomes `DIR/call.srt`. */
const pathOf = (folder: string, file: string, format: TranscriptFormat): string => {
  const name = file === "-" ? "stdin" : basename(file, extname(file))
  return join(folder, `${name}.${extensionOf(format)}`)
}

/** Names that differ in case or in their Unicode form are the same on some file systems, and here. */
const sameName = (path: string): string => path.normalize("NFC").toLowerCase()

/**
 * The file of each recording. Creates the folder. Fails before anything is sent if two recordings would have one file, if a file would
 * replace its recording, or if one can't be written.
 */
export const transcriptFiles = (
  folder: string,
  files: ReadonlyArray<string>,
  format: TranscriptFormat
): Effect.Effect<ReadonlyMap<string, string>, UsageError | OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = new Map<string, string>()
    const owners = new Map<string, string>()
    for (const file of files) {
      const path = pathOf(folder, file, format)
      const other = owners.get(sameName(path))
      if (other !== undefined) {
        return yield* refuse(`${other} and ${file} would both be ${path}: give them to two commands with two folders.`)
      }
      if (file !== "-" && isSameFile(file, path)) return yield* refuse(`--out-dir would replace the recording ${file}.`)
      owners.set(sameName(path), file)
      paths.set(file, path)
    }
    yield* checkOutputFolder(folder, "--out-dir")
    yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), (error) => writeFailed(folder, error))
    for (const path of paths.values()) yield* checkOutput(path, "--out-dir")
    return paths
  })
