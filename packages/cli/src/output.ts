import { dirname } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { OutputFailed } from "./failure.js"

/** Finds out before anything is asked of the service, and billed, whether a file can be written. */
export const checkOutput = (path: string): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const refuse = (message: string) => new OutputFailed({ message })
    const target = yield* Effect.option(fs.stat(path))
    const type = target._tag === "Some" ? target.value.type : "File"
    if (type === "Directory") return yield* refuse(`${path} is a folder; give --out the name of a file in it.`)
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
