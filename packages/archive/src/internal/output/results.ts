/**
 * `results.jsonl`: a line for each file that is done, failed or held.
 */
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { makeFolder } from "@effect-speech/common/Files"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ArchiveOutputFailed } from "../../ArchiveError.js"
import type { FileRecord } from "../../Run.js"
import { fileMode, folderMode, outputFailed, replace } from "./write.js"

/**
 * Writes `results.jsonl`, in the order of the run. It has neither times nor ids, so that the same results give the same bytes. A file that
 * is there keeps its mode.
 */
export const writeResults = <E, R>(
  directory: string,
  files: Stream.Stream<FileRecord, E, R>
): Effect.Effect<void, E | ArchiveOutputFailed, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = join(directory, "results.jsonl")
    // Made first, so that the files are read once.
    yield* Effect.mapError(makeFolder(directory, folderMode), (error) => outputFailed(path, error, "recorded"))
    const existing = yield* Effect.option(fs.stat(path))
    const encoder = new TextEncoder()
    yield* replace(path, (temporary) =>
      Effect.gen(function* () {
        const file = yield* fs.open(temporary, { flag: "wx", mode: fileMode })
        yield* Stream.runForEachChunk(files, (chunk) => {
          const lines = Chunk.toReadonlyArray(chunk).flatMap(lineOf)
          // A write of no bytes counts as one that failed.
          return lines.length === 0 ? Effect.void : file.writeAll(encoder.encode(lines.join("")))
        })
        if (Option.isSome(existing)) yield* fs.chmod(temporary, existing.value.mode & 0o777)
      }).pipe(Effect.scoped)
    )
  }) as Effect.Effect<void, E | ArchiveOutputFailed, R | FileSystem.FileSystem>

const lineOf = ({ error, path, result, state }: FileRecord): ReadonlyArray<string> =>
  state === "done" || state === "failed" || state === "held"
    ? [`${JSON.stringify({ path, state, ...(state === "done" ? { result } : { error }) })}\n`]
    : []
