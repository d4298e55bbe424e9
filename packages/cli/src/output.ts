/**
 * Where results go: standard output, and files that appear whole or not at all.
 */
import { fstatSync, readSync, statSync } from "node:fs"
import { devNull } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as Files from "@effect-speech/common/Files"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { OutputFailed } from "./failure.js"
import { writeFailed } from "./fileFailure.js"

/** Takes audio. */
export const standardOutput = NodeSink.fromWritable<OutputFailed, Uint8Array>(
  () => process.stdout,
  (error) => new OutputFailed({ message: `Standard output can't be written (${codeOrName(error)}).` }),
  { endOnDone: false }
)

/**
 * Fails if standard output is closed, before anything is sent for a result that has no other place. Node then opens the null
 * device in its place, to read and write. A shell opens it to write alone (`> /dev/null`), which says that the result is not
 * wanted.
 */
export const checkStandardOutput: Effect.Effect<void, OutputFailed> = Effect.suspend(() =>
  isClosed()
    ? new OutputFailed({
        message:
          "Nothing was sent: standard output is closed, and the result would be lost. Write it to a file (> FILE), or discard it (> /dev/null)."
      })
    : Effect.void
)

const isClosed = (): boolean => {
  try {
    if (fstatSync(1).rdev !== statSync(devNull).rdev || !fstatSync(1).isCharacterDevice()) return false
    readSync(1, new Uint8Array(1))
    return true
  } catch {
    return false
  }
}

/** Waits until standard output has taken all text. `false`: it failed. */
export const isPrinted: Effect.Effect<boolean> = Effect.async((resume) => {
  process.stdout.write("", (error) => resume(Effect.succeed(error === undefined || error === null)))
})

/** Writes a text file. It replaces an older file, and appears whole or not at all. */
export const writeText = (path: string, text: string): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const target = yield* Effect.option(fs.stat(path))
    // A device is written in place.
    if (Option.exists(target, ({ type }) => type !== "File")) return yield* fs.writeFileString(path, text)
    const replaced = Option.isSome(target) ? yield* fs.realPath(path) : path
    const mode = Option.isSome(target) ? { mode: target.value.mode & 0o777 } : {}
    yield* Files.replace(replaced, (temporary) => fs.writeFileString(temporary, text, { flag: "wx", ...mode }))
  }).pipe(Effect.mapError((error) => writeFailed(path, error)))
