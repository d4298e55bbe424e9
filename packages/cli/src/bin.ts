#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as ExitCode from "./exitCode.js"
import { speech } from "./speech.js"

// A reader that has had enough (`| head`) is no reason to complain; a disk that is full is.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.stderr.write(`speech: Standard output can't be written (${error.code}).\n`)
  process.exit(ExitCode.fileFailed)
})

// A terminal that is closed interrupts, and what was begun is tidied up as after Ctrl-C.
process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))

NodeRuntime.runMain(speech(process.argv), {
  // The command has a logger of its own, which leaves standard output to the result.
  disablePrettyLogger: true,
  teardown: (exit, onExit) =>
    onExit(
      Exit.match(exit, {
        onSuccess: (code) => (typeof code === "number" ? code : ExitCode.done),
        onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? ExitCode.interrupted : ExitCode.defect)
      })
    )
})
