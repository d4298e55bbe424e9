#!/usr/bin/env node
import { isatty } from "node:tty"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ExitCode from "./exitCode.js"
import { speech } from "./speech.js"

/**
 * Ends the command when standard output can't be written, after what was begun is tidied up. A reader that has had enough
 * (`| head`) is no reason to complain; a disk that is full is.
 */
const outputFailed = Effect.async<number>((resume) => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // What was printed last may fail when the command is done already.
    if (process.exitCode === ExitCode.fileFailed) return
    process.exitCode = ExitCode.fileFailed
    if (error.code !== "EPIPE") process.stderr.write(`speech: Standard output can't be written (${error.code}).\n`)
    resume(Effect.succeed(ExitCode.fileFailed))
  })
})

// Where standard error can't be written there is nobody to be told.
process.stderr.on("error", () => {})

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** From here on the system ends the process at a signal. */
const leaveSignals = (): void => {
  for (const signal of signals) process.removeAllListeners(signal)
}

/** How long a second Ctrl-C waits for what is tidied up after the first. */
const patienceMillis = 1000
let interruptedAt: number | undefined

// `runMain` interrupts at the first signal, and would leave the second to the system, which kills. A terminal that is
// closed interrupts as well.
for (const signal of signals) {
  process.on(signal, () => {
    const now = performance.now()
    if (interruptedAt !== undefined && now - interruptedAt > patienceMillis) {
      leaveSignals()
      process.kill(process.pid, signal)
    }
    interruptedAt ??= now
    if (signal === "SIGHUP") process.kill(process.pid, "SIGTERM")
  })
}

const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))

NodeRuntime.runMain(Effect.raceFirst(speech(process.argv), outputFailed), {
  // The command has a logger of its own, which leaves standard output to the result.
  disablePrettyLogger: true,
  teardown: (exit, onExit) => {
    // All is tidied up, and Node's own end may still wait: for a pipe, say, that nobody opens on its other side.
    leaveSignals()
    // Where its terminal is gone Node would abort, so it is ended by the signal that told of that.
    if (!terminals.every((descriptor) => isatty(descriptor))) process.kill(process.pid, "SIGHUP")
    onExit(
      Exit.match(exit, {
        onSuccess: (code) => (typeof code === "number" ? code : ExitCode.done),
        onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? ExitCode.interrupted : ExitCode.defect)
      })
    )
  }
})
