/**
 * Makes a folder, and those above it that do not exist. Node's own recursive `mkdir` never ends if the system answers ENOENT although
 * the folder above exists, as in `/proc`.
 */
import { chmodSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** `mode` is that of each folder that this makes. */
export const makeFolder = (folder: string, mode: number): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const make = fs.makeDirectory(folder, { mode })
    const above = dirname(folder)
    yield* make.pipe(
      Effect.catchIf(
        (error) => above !== folder && error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.zipRight(makeFolder(above, mode), make)
      ),
      Effect.catchAll((error) =>
        Effect.flatMap(Effect.option(fs.stat(folder)), (found) =>
          Option.exists(found, ({ type }) => type === "Directory") ? Effect.void : Effect.fail(error)
        )
      )
    )
  })

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The same before there is a `FileSystem`. `mode` holds whatever the umask is. */
export const makeFolderSync = (folder: string, mode: number): void => {
  if (isFolder(folder)) return
  const above = dirname(folder)
  if (above !== folder) makeFolderSync(above, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process was faster.
    if (isFolder(folder)) return
    throw error
  }
  chmodSync(folder, mode)
}
