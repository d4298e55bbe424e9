/**
 * Runs a command with its settings, its output and its log, and reports its failure.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ExitCode from "./exitCode.js"
import type { CommandError } from "./failure.js"
import { isQuiet } from "./message.js"
import type { Run } from "./parse.js"
import { safeConsole } from "./safeConsole.js"
import { withSettings } from "./settings.js"

/** A command that begins when it is called. */
export type StartedCommand = () => Effect.Effect<void, CommandError, FileSystem>

const minimumLevel = (level: Run["logLevel"] = "info") =>
  Logger.minimumLogLevel(
    LogLevel.fromLiteral(`${level.charAt(0).toUpperCase()}${level.slice(1)}` as LogLevel.LogLevel["_tag"])
  )

/** The exit code of a command, which reports its failure. */
const reporting = <R>(command: Effect.Effect<number, CommandError, R>, invocation: Run) =>
  Effect.catchAllCause(command, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
    return Effect.flatMap(
      Effect.promise(() => import("./report.js")),
      ({ report, reportDefect }) => {
        const error = Cause.failureOption(cause)
        return error._tag === "None" ? reportDefect(cause, invocation) : report(error.value, invocation)
      }
    )
  })

/** A command with the settings of its place, if it calls a service. Its failures name this place. */
const withItsSettings = <A, E, R>(command: Effect.Effect<A, E, R>, { given }: Run) =>
  "dotenv" in given ? withSettings(given.dotenv)(command) : command

/** The result is the exit code. */
export const run = (invocation: Run, start: StartedCommand): Effect.Effect<number> =>
  Effect.suspend(start).pipe(
    Effect.as(ExitCode.done),
    (command) => reporting(command, invocation),
    (command) => withItsSettings(command, invocation),
    (command) => reporting(command, invocation),
    Effect.provide(NodeFileSystem.layer),
    Effect.locally(isQuiet, invocation.quiet),
    // Standard output has the result alone. The console would escape the colors.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true, colors: false }))),
    Effect.provide(minimumLevel(invocation.logLevel)),
    (command) => Console.consoleWith((console) => Effect.withConsole(command, safeConsole(console, invocation)))
  )
