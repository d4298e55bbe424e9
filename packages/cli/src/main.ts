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
import { run, type StartedCommand } from "./run.js"
import { handleSignals, removeSignalHandlers } from "./signals.js"
import { reportUnwritable } from "./standardStreams.js"

/** Interrupts the command when standard output can't be written, so that it cleans up. */
const outputFailed = Effect.async<number>((resume) =>
  reportUnwritable(() => resume(Effect.succeed(ExitCode.fileFailed)))
)

export const main = (invocation: Run, start: StartedCommand): void => {
  handleSignals()
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  NodeRuntime.runMain(Effect.raceFirst(run(invocation, start), outputFailed), {
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
