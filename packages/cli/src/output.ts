import { dirname } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { OutputFailed, systemCode } from "./failure.js"

/** A file could not be written. */
export const writeFailed = (path: string, { cause }: PlatformError): OutputFailed => {
  const code = systemCode(cause)
  return new OutputFailed({
    message: code === "ENOSPC" ? `${path} can't be written: the disk is full.` : `${path} can't be written (${code}).`
  })
}

/** Checks that a file can be written, before a request is sent and billed. */
export const checkOutput = (path: string): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const refuse = (message: string) => new OutputFailed({ message })
    const target = yield* Effect.asSome(fs.stat(path)).pipe(
      Effect.catchAll((error) =>
        error._tag === "SystemError" && error.reason === "NotFound" ? Effect.succeedNone : writeFailed(path, error)
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
    // A device is written in place. A file is replaced, so its folder must be writable.
    const written = type === "File" ? folder : path
    yield* Effect.mapError(fs.access(written, { writable: true }), () =>
      refuse(`${path} can't be written: this process has no permission to write to ${written}.`)
    )
  })
