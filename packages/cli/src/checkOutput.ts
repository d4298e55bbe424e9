/**
 * Checks that an output can be written, before anything is sent and billed for it.
 *
 * A file is written beside the output, and takes its name. Only a trial shows whether a file can be written there: it knows the
 * permissions of every system, a full disk and a quota. It does not show whether an older output can be replaced, and to try that
 * would replace it. So what forbids it is looked up: the permissions of the file, its mount, its owner in a folder such as /tmp.
 */
import { dirname, join, resolve } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Files from "@effect-speech/common/Files"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { OutputFailed } from "./failure.js"
import { writeFailed } from "./fileFailure.js"

const refuse = (message: string) => new OutputFailed({ message })

const notPermitted = (path: string, written: string) =>
  refuse(`${path} can't be written: this process has no permission to write to ${written}.`)

/** Fails with what forbids to write the file of an option. */
export const checkOutput = (
  path: string,
  option: "--out" | "--out-dir" | "--subtitles" | "--faults-report" | "--dotenv" = "--out"
): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const target = yield* Effect.asSome(fs.stat(path)).pipe(
      Effect.catchAll((error) => (Files.isMissing(error) ? Effect.succeedNone : writeFailed(path, error)))
    )
    const type = Option.isSome(target) ? target.value.type : "File"
    if (type === "Directory" || /[/\\]$/.test(path))
      return yield* refuse(`${path} is a folder; give ${option} the name of a file in it.`)
    if (type !== "File" && type !== "CharacterDevice") {
      const advice = option === "--out" ? `write to it with --out - > ${path}` : `give ${option} another name.`
      return yield* refuse(`${path} is not a file; ${advice}`)
    }
    // A device is written in place.
    if (type === "CharacterDevice") {
      return yield* Effect.mapError(fs.access(path, { writable: true }), () => notPermitted(path, path))
    }
    // A link is followed: the file that it leads to is replaced.
    const replaced = Option.isSome(target)
      ? yield* Effect.mapError(fs.realPath(path), (error) => writeFailed(path, error))
      : path
    const folder = dirname(replaced)
    const folderInfo = yield* Effect.mapError(fs.stat(folder), () =>
      refuse(`The folder ${folder} does not exist; create it first.`)
    )
    if (Option.isSome(target)) {
      const problem = yield* whatForbidsToReplace(replaced, target.value, folderInfo)
      if (problem !== undefined) return yield* refuse(`${path} ${problem} give ${option} another name.`)
    }
    yield* writeTrial(path, folder)
  })

/** What follows the name of the file in a sentence, and ends before an advice. `undefined`: nothing forbids it. */
const whatForbidsToReplace = (
  file: string,
  { mode, uid }: FileSystem.File.Info,
  folder: FileSystem.File.Info
): Effect.Effect<string | undefined, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const isLocked = yield* Effect.match(fs.access(file, { writable: true }), {
      onSuccess: () => false,
      // An immutable file, or one of a read-only disk. Without EACCES: the file is replaced, not written.
      onFailure: (error) => systemCode(error) !== "EACCES"
    })
    if (isLocked || (mode & 0o222) === 0) return "is read-only; make it writable, or"
    if (yield* isMountPoint(file)) return "is mounted on its own; mount its folder instead, or"
    const user = process.geteuid?.() ?? 0
    const owners = [uid, folder.uid].map(Option.getOrUndefined)
    return user !== 0 && (folder.mode & sticky) !== 0 && !owners.includes(user)
      ? `belongs to another user, and in ${dirname(file)} only its owner can replace it;`
      : undefined
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

/** Writes a file beside the output, and removes it. */
const writeTrial = (path: string, folder: string): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => {
    const trial = join(folder, `.speech-${crypto.randomUUID()}.part`)
    return Effect.scoped(fs.open(trial, { flag: "wx" })).pipe(
      Effect.zipRight(fs.remove(trial)),
      Effect.uninterruptible,
      Effect.mapError((error) =>
        ["EACCES", "EPERM", "EROFS"].includes(systemCode(error) ?? "")
          ? notPermitted(path, folder)
          : writeFailed(path, error)
      )
    )
  })

const kinds: { readonly [Type in FileSystem.File.Type]?: string } = {
  File: "a file",
  CharacterDevice: "a device",
  BlockDevice: "a device",
  FIFO: "a pipe",
  Socket: "a socket"
}

/** Fails if the folder of an option is something else, or can't be made. */
export const checkOutputFolder = (
  path: string,
  option: "--out" | "--out-dir" = "--out"
): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    // The nearest thing that is there: the folders below it are made.
    for (let place = resolve(path); ; place = dirname(place)) {
      const type = yield* Effect.option(Effect.map(fs.stat(place), (info) => info.type))
      if (Option.contains(type, "Directory")) return
      const link = Option.isSome(type) ? Option.none() : yield* Effect.option(fs.readLink(place))
      const what = Option.match(type, {
        onNone: () => Option.getOrUndefined(Option.map(link, (target) => `a link to ${target}, which does not exist`)),
        onSome: (type) => kinds[type] ?? "no folder"
      })
      const subject = place === resolve(path) ? `${option} ${path} is` : `${option} ${path} can't be made: ${place} is`
      if (what !== undefined) return yield* refuse(`${subject} ${what}. Give the name of a folder.`)
      if (place === dirname(place)) return
    }
  })
