import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A file that is open until the scope ends. */
export interface OpenFile {
  readonly file: FileSystem.File
  readonly info: FileSystem.File.Info
}

/** Opens a file, unless `refuse` fails. */
export const openFile = <E>(
  path: string,
  refuse: (info: FileSystem.File.Info) => Effect.Effect<void, E>,
  options?: FileSystem.OpenFileOptions
): Effect.Effect<OpenFile, E | PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    // Before it is opened: opening a pipe unblocks its writer, and some file systems wait for a writer.
    yield* refuse(yield* fs.stat(path))
    const file = yield* fs.open(path, options)
    const info = yield* file.stat
    // The path may name something else by now.
    yield* refuse(info)
    return { file, info }
  })
