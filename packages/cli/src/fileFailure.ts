/**
 * What the command says about a file that can't be read or written. The code of the system decides, not its words.
 */
import type { PlatformError, SystemError } from "@effect/platform/Error"
import { codeOrName, isTooManyOpenFiles } from "@effect-speech/common/SystemCode"
import { InputFailed, OutputFailed } from "./failure.js"

/** The end of a sentence about a file. `undefined`: the code has another cause. */
export const tooManyOpenFiles = (code: string): string | undefined =>
  isTooManyOpenFiles(code)
    ? `the process has too many open files (${code}). Raise the limit of open files (ulimit -n).`
    : undefined

/** A file that a package could not open, read or write. */
export const describeSystemError = (error: SystemError): string => {
  const file = String(error.pathOrDescriptor)
  switch (error.reason) {
    case "NotFound":
      return `${file} does not exist; check the path.`
    case "PermissionDenied":
      return `${file} can't be read or written: this process has no permission.`
    default: {
      const code = codeOrName(error)
      const tooMany = tooManyOpenFiles(code)
      return tooMany === undefined
        ? `${file} can't be read or written (${code}); it must be a file.`
        : `${file} can't be opened: ${tooMany}`
    }
  }
}

const readProblems: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist; check the path."],
  ["EISDIR", "is a folder; give a file."],
  ["EACCES", "can't be read: this process has no permission."],
  ["EPERM", "can't be read: this process has no permission."]
])

/** A text that could not be read. */
export const readFailed = (name: string, error: unknown): InputFailed => {
  const code = codeOrName(error)
  const tooMany = tooManyOpenFiles(code)
  const other = tooMany === undefined ? `can't be read (${code}).` : `can't be opened: ${tooMany}`
  return new InputFailed({ message: `${name} ${readProblems.get(code) ?? other}` })
}

const fullDisk = "the disk is full. Free some space, or write to another disk."

const writeProblems: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", fullDisk],
  ["EDQUOT", fullDisk],
  ["EFBIG", "it may not be longer. Raise the limit of this process (ulimit -f), or write to another disk."],
  ["ENAMETOOLONG", "its name is too long for this system; choose a shorter one."]
])

/** A file that could not be written. */
export const writeFailed = (path: string, error: PlatformError): OutputFailed => {
  const code = codeOrName(error)
  const problem = writeProblems.get(code) ?? tooManyOpenFiles(code)
  const reason = problem === undefined ? ` (${code}): write to a file in another folder.` : `: ${problem}`
  return new OutputFailed({ message: `${path} can't be written${reason}` })
}

/** {@link writeFailed} for audio that was requested, and is lost. */
export const audioLost = (path: string, error: PlatformError): OutputFailed =>
  new OutputFailed({
    message: `${writeFailed(path, error).message} Its audio is lost, and may have been billed. With --pieces FOLDER audio is kept.`
  })
