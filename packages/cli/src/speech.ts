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
import type { CommandName, Given } from "./declaration.js"
import * as ExitCode from "./exitCode.js"
import type { CommandError } from "./failure.js"
import { isQuiet } from "./message.js"
import { type Invocation, type Printed, parse, type Run } from "./parse.js"
import { safeConsole } from "./safeConsole.js"
import { withSettings } from "./settings.js"

/** Runs the command with the arguments of a process (`process.argv`). The result is the exit code. */
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> => run(parse(argv.slice(2)))

export const run = (invocation: Printed | Run): Effect.Effect<number> =>
  invocation._tag === "Printed" ? print(invocation) : runCommand(invocation)

const print = ({ code, stream, text }: Printed): Effect.Effect<number> =>
  Effect.as(stream === "stdout" ? Console.log(text) : Console.error(text), code)

/** Each command is loaded when it runs. */
const archive = () => import("./commands/archive.js")
const loaders: {
  readonly [Name in CommandName]: () => Promise<(given: Given<Name>) => Effect.Effect<void, CommandError, FileSystem>>
} = {
  synthesize: async () => (await import("./commands/synthesize.js")).synthesize,
  transcribe: async () => (await import("./commands/transcribe.js")).transcribe,
  "listen-back": async () => (await import("./commands/listenBack.js")).listenBack,
  "archive run": async () => (await archive()).run,
  "archive status": async () => (await archive()).status,
  "archive pause": async () => (await archive()).pause,
  "archive resume": async () => (await archive()).resume,
  "archive retry": async () => (await archive()).retry,
  "archive export": async () => (await archive()).exportResults,
  "archive repair": async () => (await archive()).repair,
  "archive work": async () => (await archive()).joinMachines,
  serve: async () => (await import("./commands/serve.js")).serve,
  run: async () => (await import("./commands/run.js")).run,
  models: async () => (await import("./commands/offers.js")).models,
  voices: async () => (await import("./commands/offers.js")).voices,
  doctor: async () => (await import("./commands/doctor.js")).doctor
}

const load = async <Name extends CommandName>({ given, name }: Invocation<Name>) => (await loaders[name]())(given)

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

const runCommand = (invocation: Run): Effect.Effect<number> =>
  Effect.flatten(Effect.promise(() => load(invocation))).pipe(
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
