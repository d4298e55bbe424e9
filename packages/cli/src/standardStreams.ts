/**
 * Ends a process whose standard output can't be written.
 */
import * as ExitCode from "./exitCode.js"

/**
 * Ends with the exit code of a file that can't be written once standard output fails. A reader that stops early
 * (`| head`) needs no message; a full disk does. Errors of standard error are ignored: there is nowhere to report them.
 */
export const reportUnwritable = (onFailure: () => void): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // The last line may fail when the command is done already.
    if (process.exitCode === ExitCode.fileFailed) return
    process.exitCode = ExitCode.fileFailed
    if (error.code !== "EPIPE") process.stderr.write(`speech: Standard output can't be written (${error.code}).\n`)
    onFailure()
  })
  process.stderr.on("error", () => {})
}
