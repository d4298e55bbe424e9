/**
 * The command as it is built, in a process of its own.
 */
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

export const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url))

type Environment = Readonly<Record<string, string>>

/** Starts a program in a folder. The scope kills it. */
const startProgram = (folder: string, file: string, args: ReadonlyArray<string>, environment: Environment) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(file, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const output = { stdout: "", stderr: "" }
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream].setEncoding("utf8").on("data", (text: string) => (output[stream] += text))
      }
      const ended = new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
        child.on("close", (code, signal) =>
          // As a shell says it: a signal is 128 and its number.
          resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), ...output })
        )
      )
      return Object.assign(child, { ended: Effect.promise(() => ended), stderrSoFar: Effect.sync(() => output.stderr) })
    }
  )

/** Starts and runs the command in a folder. The scope kills it. */
export const commandIn = (folder: () => string, command = bin) => {
  const start = (args: ReadonlyArray<string>, environment: Environment) =>
    startProgram(folder(), process.execPath, [command, ...args], environment)
  return {
    start,
    run: (args: ReadonlyArray<string>, environment: Environment) =>
      Effect.scoped(Effect.flatMap(start(args, environment), ({ ended }) => ended)),
    /** Runs a line of a shell: in it, `"$0" "$1"` is the command, and `"$@"` is the command with further arguments. */
    runShell: (line: string, args: ReadonlyArray<string>, environment: Environment) =>
      Effect.scoped(
        Effect.flatMap(
          startProgram(folder(), "sh", ["-c", line, process.execPath, command, ...args], environment),
          ({ ended }) => ended
        )
      )
  }
}

/** Waits until something is so. */
export const until = <A, E, R>(read: Effect.Effect<A, E, R>, isSo: (value: A) => boolean) =>
  Effect.repeat(read, { until: isSo, schedule: Schedule.spaced(20) })
