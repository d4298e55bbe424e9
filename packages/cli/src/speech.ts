/**
 * The `speech` command: from its arguments to its exit code.
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
import { type Printed, parse, type Run } from "./parse.js"
import { safeConsole } from "./safeConsole.js"

/** Runs the command with the arguments of a process (`process.argv`). The result is the exit code. */
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> => run(parse(argv.slice(2)))

export const run = (invocation: Printed | Run): Effect.Effect<number> =>
  invocation._tag === "Printed" ? print(invocation) : runCommand(invocation)

const print = ({ code, stream, text }: Printed): Effect.Effect<number> =>
  Effect.as(stream === "stdout" ? Console.log(text) : Console.error(text), code)

/** A command is loaded when it runs. */
const load = async (invocation: Run): Promise<Effect.Effect<void, CommandError, FileSystem>> => {
  switch (invocation.name) {
    case "synthesize":
      return (await import("./commands/synthesize.js")).synthesize(invocation.given)
    case "transcribe":
      return (await import("./commands/transcribe.js")).transcribe(invocation.given)
    case "archive run":
      return (await import("./commands/archive.js")).run(invocation.given)
    case "archive status":
      return (await import("./commands/archive.js")).status(invocation.given)
    case "archive pause":
      return (await import("./commands/archive.js")).pause(invocation.given)
    case "archive resume":
      return (await import("./commands/archive.js")).resume(invocation.given)
    case "archive retry":
      return (await import("./commands/archive.js")).retry(invocation.given)
    case "archive export":
      return (await import("./commands/archive.js")).exportResults(invocation.given)
    case "archive repair":
      return (await import("./commands/archive.js")).repair(invocation.given)
    case "archive work":
      return (await import("./commands/archive.js")).joinMachines(invocation.given)
    case "serve":
      return (await import("./commands/serve.js")).serve(invocation.given)
    case "run":
      return (await import("./commands/run.js")).run(invocation.given)
    case "doctor":
      return (await import("./commands/doctor.js")).doctor(invocation.given)
  }
}

const minimumLevel = (level: Run["logLevel"] = "info") =>
  Logger.minimumLogLevel(
    LogLevel.fromLiteral(`${level.charAt(0).toUpperCase()}${level.slice(1)}` as LogLevel.LogLevel["_tag"])
  )

const runCommand = (invocation: Run): Effect.Effect<number> =>
  Effect.flatten(Effect.promise(() => load(invocation))).pipe(
    Effect.as(ExitCode.done),
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      return Effect.flatMap(
        Effect.promise(() => import("./report.js")),
        ({ report, reportDefect }) => {
          const error = Cause.failureOption(cause)
          return error._tag === "None" ? reportDefect(cause, invocation) : report(error.value, invocation)
        }
      )
    }),
    Effect.provide(NodeFileSystem.layer),
    // Standard output has the result alone. The console would escape the colors.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true, colors: false }))),
    Effect.provide(minimumLevel(invocation.logLevel)),
    (command) => Console.consoleWith((console) => Effect.withConsole(command, safeConsole(console, invocation)))
  )
