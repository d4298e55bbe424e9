/**
 * Runs a command as the whole of a process: its signals, its exit code, its end.
 */
import { isatty } from "node:tty"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ExitCode from "./exitCode.js"
import type { Run } from "./parse.js"
import { run } from "./speech.js"
import { reportUnwritable } from "./standardStreams.js"

/** Interrupts the command when standard output can't be written, so that it cleans up. */
const outputFailed = Effect.async<number>((resume) =>
  reportUnwritable(() => resume(Effect.succeed(ExitCode.fileFailed)))
)

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** From here on the system ends the process at a signal. */
const removeSignalHandlers = (): void => {
  for (const signal of signals) process.removeAllListeners(signal)
}

/** How long the command may clean up after a first Ctrl-C, before a second one kills it. */
const cleanUpMillis = 1000

/**
 * `runMain` interrupts at the first signal and removes its handler, so that a second one would kill at once. This handler
 * stays for a second. It also treats a closed terminal (SIGHUP) as an interruption.
 */
const handleSignals = (): void => {
  let interruptedAt: number | undefined
  for (const signal of signals) {
    process.on(signal, () => {
      const now = performance.now()
      if (interruptedAt !== undefined && now - interruptedAt > cleanUpMillis) {
        removeSignalHandlers()
        process.kill(process.pid, signal)
      }
      interruptedAt ??= now
      if (signal === "SIGHUP") process.kill(process.pid, "SIGTERM")
    })
  }
}

export const main = (invocation: Run): void => {
  handleSignals()
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  NodeRuntime.runMain(Effect.raceFirst(run(invocation), outputFailed), {
    // The command has a logger of its own, which leaves standard output to the result.
    disablePrettyLogger: true,
    teardown: (exit, onExit) => {
      // Everything is cleaned up, but Node's own end may still wait, such as for a pipe that has no reader.
      removeSignalHandlers()
      // Node would abort if its terminal is gone, so the signal that reports this ends it.
      if (!terminals.every((descriptor) => isatty(descriptor))) process.kill(process.pid, "SIGHUP")
      onExit(
        Exit.match(exit, {
          onSuccess: (code) => (typeof code === "number" ? code : ExitCode.done),
          onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? ExitCode.interrupted : ExitCode.defect)
        })
      )
    }
  })
}
