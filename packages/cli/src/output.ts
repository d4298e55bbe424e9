import { fstatSync, lstatSync, readlinkSync, readSync, realpathSync, statSync } from "node:fs"
import { devNull } from "node:os"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as Files from "@effect-speech/common/Files"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { OutputFailed } from "./failure.js"
import { lockName } from "./pieceFolder.js"

/** A file could not be written. */
export const writeFailed = (path: string, { cause }: PlatformError): OutputFailed => {
  const code = codeOrName(cause)
  const reason = reasons.get(code) ?? ` (${code}): write to a file in another folder.`
  return new OutputFailed({ message: `${path} can't be written${reason}` })
}

/** The same for audio that was requested, and is lost. */
export const audioLost = (path: string, error: PlatformError): OutputFailed =>
  new OutputFailed({
    message: `${writeFailed(path, error).message} Its audio is lost, and may have been billed. With --pieces FOLDER audio is kept.`
  })

const reasons: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOSPC", ": the disk is full. Free some space, or write to another disk."],
  ["EDQUOT", ": the disk is full. Free some space, or write to another disk."],
  ["EFBIG", ": it may not be longer. Raise the limit of this process (ulimit -f), or write to another disk."],
  ["ENAMETOOLONG", ": its name is too long for this system; choose a shorter one."]
])

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

/** Whether a path is a link itself. */
export const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** How many links a system follows. */
const mostLinks = 40

/** The file beside an output by which a command that writes it locks it. */
export const lockOf = (out: string): string => {
  const file = leadsTo(out)
  return join(dirname(file), `.${basename(file)}${lockName}`)
}

/** The file that a path leads to, through every link, also if it does not exist yet. */
export const leadsTo = (path: string): string => {
  let reached = path
  for (let links = 0; links < mostLinks; links++) {
    try {
      // Unlike `resolve`, the system takes `..` behind a link as the folder above its target.
      return realpathSync.native(reached)
    } catch {
      try {
        const folder = realpathSync.native(dirname(reached))
        reached = join(folder, basename(reached))
        const target = readlinkSync(reached)
        reached = isAbsolute(target) ? target : `${folder}/${target}`
      } catch {
        return reached
      }
    }
  }
  return reached
}

/**
 * Whether two results would be one file, also if neither exists yet. Names that differ in case or in their Unicode form are the
 * same on some file systems, and here.
 */
export const isSameOutput = (one: string, other: string): boolean => {
  if (isSameFile(one, other)) return true
  const [first, second] = [leadsTo(one), leadsTo(other)]
  const nameOf = (path: string) => basename(path).normalize("NFC").toLowerCase()
  return isSameFolder(dirname(first), dirname(second)) && nameOf(first) === nameOf(second)
}

const isSameFolder = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((path) => statSync(path, { ...exact, throwIfNoEntry: false }))
  return (
    one === other || (first !== undefined && first.ino !== 0n && first.ino === second?.ino && first.dev === second.dev)
  )
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
        onFailure: ({ cause }) => codeOrName(cause) !== "EACCES"
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
        ["EACCES", "EPERM", "EROFS"].includes(codeOrName(error.cause))
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
