#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as ExitCode from "./exitCode.js"
import { speech } from "./speech.js"

NodeRuntime.runMain(speech(process.argv), {
  teardown: (exit, onExit) =>
    onExit(
      Exit.match(exit, {
        onSuccess: (code) => (typeof code === "number" ? code : ExitCode.done),
        onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? ExitCode.interrupted : ExitCode.defect)
      })
    )
})
