/**
 * Files of variables, such as `.env`.
 */
import { execFile } from "node:child_process"
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import { parseEnv } from "node:util"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Files from "@effect-speech/common/Files"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InputFailed, type OutputFailed } from "./failure.js"
import { readFailed, writeFailed } from "./fileFailure.js"

/** Longer than any file of variables, so that a device or a recording does not fill the memory. */
const longestFile = 1024 * 1024

/** The text of a file, of which only ASCII is interpreted: other bytes stay as they are. */
const encoding = "latin1"

/** The line that sets a variable, with its line break. */
const lineOf = (name: string): RegExp => new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*(?:\\r?\\n|$)`, "gm")

/**
 * Sets variables in the text of a file. It replaces the first line of each, removes others that set it too, and adds a line at the end if there is
 * none. `undefined`: another variable would change, such as one whose value has several lines.
 */
export const setVariables = (text: string, variables: Readonly<Record<string, string>>): string | undefined => {
  const lineBreak = /\r\n/.test(text) ? "\r\n" : "\n"
  let changed = text
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${value}${lineBreak}`
    let isSet = false
    changed = changed.replace(lineOf(name), () => {
      const replaced = isSet ? "" : line
      isSet = true
      return replaced
    })
    if (!isSet) changed += `${changed === "" || changed.endsWith("\n") ? "" : lineBreak}${line}`
  }
  const expected = { ...parseEnv(text), ...variables }
  const found = parseEnv(changed)
  const names = Object.keys({ ...expected, ...found })
  return names.every((name) => expected[name] === found[name]) ? changed : undefined
}

/** Sets variables in a file that only its owner can read from then on. It appears whole or not at all. */
export const writeEnvFile = (
  path: string,
  variables: Readonly<Record<string, string>>
): Effect.Effect<void, InputFailed | OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const found = yield* Effect.option(fs.stat(path))
    const text = Option.isNone(found) ? "" : yield* readText(path, Number(found.value.size))
    const changed = setVariables(text, variables)
    if (changed === undefined) {
      return yield* new InputFailed({
        message: `${path} can't be changed without changing its other variables: add the settings yourself, or give another --dotenv.`
      })
    }
    const replaced = Option.isSome(found) ? yield* Effect.orElseSucceed(fs.realPath(path), () => path) : path
    yield* Files.replace(replaced, (temporary) =>
      fs.writeFile(temporary, Buffer.from(changed, encoding), { flag: "wx", mode: 0o600 })
    ).pipe(Effect.mapError((error) => writeFailed(path, error)))
  })

const tooLarge = (path: string) =>
  new InputFailed({ message: `${path} is larger than 1 MiB: give a file of variables.` })

const readText = (path: string, size: number): Effect.Effect<string, InputFailed, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    size > longestFile
      ? tooLarge(path)
      : Effect.mapBoth(fs.readFile(path), {
          onFailure: (error) => readFailed(path, error),
          onSuccess: (bytes) => Buffer.from(bytes).toString(encoding)
        })
  )

/** The variables of a file, which may be a pipe, such as that of a program that keeps secrets. */
export const readEnvFile = (path: string): Effect.Effect<NodeJS.Dict<string>, InputFailed> =>
  Effect.try({
    try: () => readBeginning(path),
    catch: (error) => readFailed(path, error)
  }).pipe(
    Effect.filterOrFail(
      ({ length }) => length <= longestFile,
      () => tooLarge(path)
    ),
    // An editor of Windows writes a mark before the first name.
    Effect.map((bytes) => parseEnv(bytes.toString("utf8").replace(/^\ufeff/, "")))
  )

/** Reads a file, and a byte more than the longest at most. */
const readBeginning = (path: string): Buffer => {
  const bytes = Buffer.alloc(longestFile + 1)
  const file = openSync(path, "r")
  try {
    let length = 0
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null)
      length += read
      if (read === 0 || length === bytes.length) return bytes.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}

/** Whether neither this user nor the system owns a file. The administrator may read each. */
export const belongsToAnother = (path: string): boolean => {
  const user = process.geteuid?.() ?? 0
  return user !== 0 && ![user, 0].includes(statSync(path).uid)
}

const git = (folder: string, ...args: ReadonlyArray<string>): Effect.Effect<number> =>
  Effect.async((resume) => {
    // A folder may name a program for git to run, which is not wanted here.
    execFile("git", ["-C", folder, "-c", "core.fsmonitor=false", ...args], (error) =>
      resume(Effect.succeed(error === null ? 0 : typeof error.code === "number" ? error.code : 128))
    )
  })

/** A sentence if the next commit may have the file. Without git, or outside of its folders, there is none. */
export const describeExposure = (path: string): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const [folder, name] = [dirname(path), basename(path)]
    if ((yield* git(folder, "ls-files", "--error-unmatch", "--", name)) === 0) {
      return `git tracks ${path}, which has a key now: remove it with git rm --cached, and name it in .gitignore.`
    }
    return (yield* git(folder, "check-ignore", "-q", "--", name)) === 1
      ? `git does not ignore ${path}, which has a key now: name it in .gitignore.`
      : undefined
  })
