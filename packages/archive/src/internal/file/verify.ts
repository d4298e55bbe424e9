import { existsSync } from "node:fs"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Printable from "@effect-speech/common/Printable"
import { systemCode } from "@effect-speech/common/SystemCode"
import { type ReadSmallFile, readerOf, type SmallFile } from "@effect-speech/transport/unstable/SmallFile"
import * as Effect from "effect/Effect"
import { type FileIdentity, identityOf, isSame } from "../model/identity.js"
import { hashFile, isOfProcess } from "../source/files.js"
import type { ClaimedFile } from "../store/Store.js"
import type { FileProblem } from "./failure.js"

/** A file that is the one that was listed. */
export interface Looked extends Container.Header {
  /** What the file must still be when it is sent. */
  readonly version: FileIdentity
}

/** A file that is the one that was listed, to be sent. */
export interface Read extends Looked {
  /** All of it, if it is small. A file that is larger, or that has been copied since it was listed, is read as it is sent. */
  readonly bytes?: Uint8Array | undefined
}

/** In bytes. So much of each file that is called stays in memory during its call. */
const smallFile = 256 * 1024

/** Looks at a file before its call as {@link look} does. A small one is read at once, so that it is opened only here. */
export const read = (root: string, listed: ClaimedFile): Effect.Effect<Read, FileProblem, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const readFile = readerOf(yield* FileSystem.FileSystem)
    if (readFile === undefined || listed.size > smallFile) return yield* look(root, listed)
    const { bytes, modifiedMillis } = (yield* readAtOnce(readFile, join(root, listed.path))) ?? {}
    if (bytes === undefined || modifiedMillis === undefined) return yield* look(root, listed)
    const version = identityOf({ size: bytes.byteLength, mtimeMs: modifiedMillis })
    if (!isSame(listed, version)) return yield* look(root, listed)
    const header = yield* Container.readHeader(Container.fromBytes(bytes, bytes.byteLength))
    return { ...header, version, bytes }
  })

/** `undefined`: {@link look} says why. */
const readAtOnce = (readFile: ReadSmallFile, path: string): Effect.Effect<SmallFile | undefined> =>
  Effect.async((resume) => readFile(path, smallFile, (file) => resume(Effect.succeed(file))))

/** Looks at a file again, and reads its header: it must be the one that was listed. */
export const look = (root: string, listed: ClaimedFile): Effect.Effect<Looked, FileProblem, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const path = join(root, listed.path)
    const stats = yield* Effect.catchAll(
      attempt(path, () => stat(path)),
      (error) => (error.tag === "FileGone" && !existsSync(root) ? sourceGone(root) : Effect.fail(error))
    )
    if (!stats.isFile()) {
      return yield* problem(
        "NotAFile",
        `${path} is not a file any more. Nothing was sent now. Put the recording there, and run again. ${orRetry}`
      )
    }
    const found = identityOf(stats)
    if (found.size === 0)
      return yield* problem(
        "FileEmpty",
        `${path} is empty. Nothing was sent now. Record it again, or remove it, and run again. ${orRetry}`
      )
    const mayBeSame = listed.content !== undefined && listed.size === found.size
    const isListed =
      isSame(listed, found) ||
      (mayBeSame && isSame(listed, { ...found, content: yield* attempt(path, () => hashFile(path)) }))
    if (!isListed) {
      return yield* problem(
        "FileChanged",
        `${path} changed after it was listed. Nothing was sent now. Run again: it is listed as a new file.`
      )
    }
    const header = yield* Effect.catchAll(readHeader(path, found.size), (error) => unreadable(path, error))
    return { ...header, version: found }
  })

/** A file is new if its time or size is another than that of the listing. Else it is one that has failed. */
const orRetry = "If that does not call it, retry the files of this tag."

const attempt = <A>(path: string, read: () => Promise<A>): Effect.Effect<A, FileProblem> =>
  Effect.catchAll(Effect.tryPromise({ try: read, catch: (error) => error }), (error) => unreadable(path, error))

/** What the header of a file states. */
export const readHeader = (path: string, byteLength: number) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.open(path)).pipe(
    Effect.flatMap((file) => Container.readHeader(Container.fromFile(file, byteLength))),
    Effect.scoped
  )

const unreadable = (path: string, error: unknown): Effect.Effect<never, FileProblem> => {
  const code = systemCode(error)
  if (code === "ENOENT") {
    return problem(
      "FileGone",
      `${path} does not exist any more. Nothing was sent now. Restore it, and run again. ${orRetry}`
    )
  }
  if (isOfProcess(code)) {
    const message = `${path} can't be opened: this process has too many open files (${code}). Raise its limit (ulimit -n).`
    return problem("TooManyOpenFiles", message, "process")
  }
  return problem(
    "FileUnreadable",
    `${path} can't be read (${code ?? "unknown"}). Nothing was sent now. Check its permissions and its disk, and run again. ${orRetry}`
  )
}

/** A share that is not mounted any more would fail each file, so it suspends the run. */
const sourceGone = (root: string) =>
  problem(
    "SourceGone",
    `${root} does not exist any more. Restore it, such as by mounting its share, and resume the run; or if you moved it, start the run again with its new path.`,
    "source"
  )

export const problem = (
  tag: string,
  message: string,
  concern: FileProblem["concern"] = "file"
): Effect.Effect<never, FileProblem> =>
  Effect.fail({ _tag: "FileProblem", concern, tag, message: Printable.line(message) })
