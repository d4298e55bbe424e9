import { dirname } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { codeOf, OutputFailed } from "./failure.js"

/** Why a file could not be written. */
export const writeProblem = (path: string, { cause }: PlatformError): OutputFailed => {
  const code = codeOf(cause)
  return new OutputFailed({
    message: code === "ENOSPC" ? `${path} can't be written: the disk is full.` : `${path} can't be written (${code}).`
  })
}

/** Finds out before anything is asked of the service, and billed, whether a file can be written. */
export const checkOutput = (path: string): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const refuse = (message: string) => new OutputFailed({ message })
    const target = yield* Effect.asSome(fs.stat(path)).pipe(
      Effect.catchAll((error) =>
        error._tag === "SystemError" && error.reason === "NotFound" ? Effect.succeedNone : writeProblem(path, error)
      )
    )
    const type = Option.isSome(target) ? target.value.type : "File"
    if (type === "Directory" || /[/\\]$/.test(path))
      return yield* refuse(`${path} is a folder; give --out the name of a file in it.`)
    if (type !== "File" && type !== "CharacterDevice") {
      return yield* refuse(`${path} is not a file; write to it with --out - > ${path}`)
    }
    const folder = dirname(path)
    yield* Effect.mapError(fs.access(folder), () => refuse(`The folder ${folder} does not exist; create it first.`))
    // A device is written itself; a file is replaced, which is a matter of its folder.
    const written = type === "File" ? folder : path
    yield* Effect.mapError(fs.access(written, { writable: true }), () =>
      refuse(`${path} can't be written: this process may not write to ${written}.`)
    )
  })
