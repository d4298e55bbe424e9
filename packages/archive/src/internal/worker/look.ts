import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Container from "@effect-speech/audio-codec/Container"
import { systemCode } from "@effect-speech/transport/Failure"
import * as Printable from "@effect-speech/transport/Printable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hashFile } from "../source/files.js"
import type { ClaimedFile } from "../store/Store.js"
import type { FileProblem } from "./settlement.js"

/** Looks at a file again before its call, and reads its header: it must be the one that was listed. */
export const look = (
  path: string,
  { content, modifiedMillis, size }: ClaimedFile
): Effect.Effect<Container.Header, FileProblem, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const info = yield* Effect.catchAll(fs.stat(path), (error) => unreadable(path, error))
    if (info.type !== "File") {
      return yield* problem("NotAFile", `${path} is not a file any more. Put the recording there, and run again.`)
    }
    const found = Number(info.size)
    if (found === 0)
      return yield* problem("FileEmpty", `${path} is empty. Nothing was sent. Record it again, or remove it.`)
    const isSame =
      found === size &&
      (Option.getOrUndefined(info.mtime)?.getTime() === modifiedMillis ||
        (content !== undefined &&
          (yield* Effect.orElseSucceed(
            Effect.tryPromise(() => hashFile(path)),
            () => undefined
          )) === content))
    if (!isSame) {
      return yield* problem(
        "FileChanged",
        `${path} changed after it was listed. Nothing was sent. Run again: it is listed as a new file.`
      )
    }
    return yield* Effect.catchAll(readHeader(path, size), (error) => unreadable(path, error))
  })

/** What the header of a file states. */
export const readHeader = (path: string, byteLength: number) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.open(path)).pipe(
    Effect.flatMap((file) => Container.readHeader(Container.fromFile(file, byteLength))),
    Effect.scoped
  )

const unreadable = (path: string, error: PlatformError): Effect.Effect<never, FileProblem> => {
  if (error._tag === "SystemError" && error.reason === "NotFound") {
    return problem(
      "FileGone",
      `${path} does not exist any more. Nothing was sent now. Restore it, and retry the files of this tag.`
    )
  }
  const code = systemCode(error) ?? error._tag
  return problem(
    "FileUnreadable",
    `${path} can't be read (${code}). Nothing was sent now. Check its permissions and its disk, and retry the files of this tag.`
  )
}

export const problem = (tag: string, message: string): Effect.Effect<never, FileProblem> =>
  Effect.fail({ _tag: "FileProblem", tag, message: Printable.line(message) })
