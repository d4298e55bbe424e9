import { fstatSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { OutputFailed, systemCode } from "./failure.js"

/** A file could not be written. */
export const writeFailed = (path: string, { cause }: PlatformError): OutputFailed => {
  const code = systemCode(cause)
  return new OutputFailed({ message: `${path} can't be written${reasons.get(code) ?? ` (${code}).`}` })
}

const reasons: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOSPC", ": the disk is full."],
  ["EDQUOT", ": the disk is full."],
  ["ENAMETOOLONG", ": its name is too long for this system; choose a shorter one."]
])

/** Takes audio. */
export const standardOutput = NodeSink.fromWritable<OutputFailed, Uint8Array>(
  () => process.stdout,
  (error) => new OutputFailed({ message: `Standard output can't be written (${systemCode(error)}).` }),
  { endOnDone: false }
)

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
    const temporary = join(dirname(replaced), `.speech-${crypto.randomUUID()}.part`)
    yield* fs.writeFileString(temporary, text, { flag: "wx", ...mode }).pipe(
      Effect.zipRight(fs.rename(temporary, replaced)),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(fs.remove(temporary))))
    )
  }).pipe(Effect.mapError((error) => writeFailed(path, error)))

/** A file by what it is, not by its name. `undefined`: there is none, or it is no regular file. */
const identityOf = (file: string | number): string | undefined => {
  try {
    const stats = typeof file === "number" ? fstatSync(file, exact) : statSync(file, exact)
    // Some network file systems number no files.
    return stats.isFile() && stats.ino !== 0n ? `${stats.dev} ${stats.ino}` : undefined
  } catch {
    return undefined
  }
}

/** The number of a file may be too large for a double. */
const exact = { bigint: true } as const

/** A path is compared by its name too, since some file systems number no files. */
const isSamePath = (input: string, output: string): boolean => {
  try {
    return resolve(input) === resolve(output)
  } catch {
    // A relative path leads nowhere: the working directory was deleted.
    return false
  }
}

/** Whether a result would replace its own input. A dash is standard input or output, which may be redirected to a file. */
export const isSameFile = (input: string, output: string): boolean => {
  if (input !== "-" && isSamePath(input, output)) return true
  const identity = identityOf(input === "-" ? 0 : input)
  return identity !== undefined && identity === identityOf(output === "-" ? 1 : output)
}

/**
 * Checks that a file can be written, before a request is sent and billed: what `Wav.writeFile` does at the end, a new file
 * beside it and a rename, must be possible.
 */
export const checkOutput = (
  path: string,
  option: "--out" | "--subtitles" = "--out"
): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
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
      return yield* refuse(`${path} is a folder; give ${option} the name of a file in it.`)
    if (type !== "File" && type !== "CharacterDevice") {
      return yield* refuse(
        `${path} is not a file; ${option === "--out" ? `write to it with --out - > ${path}` : `give ${option} another name.`}`
      )
    }
    const denied = (written: string) =>
      `${path} can't be written: this process has no permission to write to ${written}.`
    // A device is written in place.
    if (type === "CharacterDevice") {
      return yield* Effect.mapError(fs.access(path, { writable: true }), () => refuse(denied(path)))
    }
    // A link is followed: the file that it leads to is replaced.
    const replaced = Option.isSome(target)
      ? yield* Effect.mapError(fs.realPath(path), (error) => writeFailed(path, error))
      : path
    const folder = dirname(replaced)
    const { mode, uid } = yield* Effect.mapError(fs.stat(folder), () =>
      refuse(`The folder ${folder} does not exist; create it first.`)
    )
    if (Option.isSome(target)) {
      const isLocked = yield* Effect.match(fs.access(replaced, { writable: true }), {
        onSuccess: () => false,
        // An immutable file, or one of a read-only disk. Without EACCES: the file is replaced, not written.
        onFailure: ({ cause }) => systemCode(cause) !== "EACCES"
      })
      if (isLocked || (target.value.mode & 0o222) === 0) {
        return yield* refuse(`${path} is read-only; make it writable, or give ${option} another name.`)
      }
      if (yield* isMountPoint(replaced)) {
        return yield* refuse(`${path} is mounted on its own; mount its folder instead, or give ${option} another name.`)
      }
      const user = process.geteuid?.() ?? 0
      const owners = [target.value.uid, uid].map(Option.getOrUndefined)
      if (user !== 0 && (mode & sticky) !== 0 && !owners.includes(user)) {
        return yield* refuse(
          `${path} belongs to another user, and in ${folder} only its owner can replace it; give ${option} another name.`
        )
      }
    }
    // Only trying it shows the permissions of every system, a full disk, and a quota.
    const trial = join(folder, `.speech-${crypto.randomUUID()}.part`)
    yield* Effect.scoped(fs.open(trial, { flag: "wx" })).pipe(
      Effect.zipRight(fs.remove(trial)),
      Effect.uninterruptible,
      Effect.mapError((error) =>
        ["EACCES", "EPERM", "EROFS"].includes(systemCode(error.cause))
          ? refuse(denied(folder))
          : writeFailed(path, error)
      )
    )
  })

/** In a folder of this mode, such as /tmp, only the owner of a file or of the folder can rename or replace the file. */
const sticky = 0o1000

/** Whether a file is mounted on its own, as containers do it: it can't be replaced. Only Linux says so. */
const isMountPoint = (path: string): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const mounts = yield* Effect.orElseSucceed(fs.readFileString("/proc/self/mountinfo"), () => "")
    const inOctal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`
    const written = path.replace(/[ \t\n\\]/g, inOctal)
    return mounts.split("\n").some((mount) => mount.split(" ")[4] === written)
  })
