/**
 * The `speech` command: from its arguments to its exit code.
 */
import { createRequire } from "node:module"
import { stripVTControlCharacters } from "node:util"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { commandOf, inOneForm, optionProblem } from "./arguments.js"
import { doctor } from "./commands/doctor.js"
import { serve } from "./commands/serve.js"
import { synthesize } from "./commands/synthesize.js"
import { transcribe } from "./commands/transcribe.js"
import * as ExitCode from "./exitCode.js"
import { help, knownOptions, nameOf } from "./help.js"

const { version } = createRequire(import.meta.url)("../package.json") as { readonly version: string }

const subcommands = [synthesize, transcribe, serve, doctor] as const
const names = subcommands.map(nameOf)

const command = Command.make("speech").pipe(
  Command.withDescription("Speaks texts and transcribes recordings."),
  Command.withSubcommands(subcommands)
)

/**
 * Runs the command with the arguments of a process, and gives its exit code. What a command works with is loaded once it
 * runs, and what tells of a failure once there is one: `--help` needs none of them.
 */
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const given = argv.slice(2)
  const options = given.slice(0, given.includes("--") ? given.indexOf("--") : undefined)
  const asked = commandOf(given, knownOptions(command, subcommands, undefined))
  if (given.length === 0 || options.includes("--help") || options.includes("-h")) {
    return Effect.as(Console.log(help(command, subcommands, asked, version)), ExitCode.done)
  }
  const json = options.some((option) => /^--json(=|$)/.test(option))
  const known = knownOptions(command, subcommands, asked)
  // What is no command is told by the parser.
  const problem = asked === undefined || names.includes(asked) ? optionProblem(given, known) : undefined
  return Effect.consoleWith((console) => {
    const work = Command.transformHandler(command, Effect.withConsole(console))
    // Why the parser refuses something is told as any other failure is.
    const parserConsole = { ...console, error: () => Effect.void }
    const parsed =
      problem === undefined
        ? Command.run(work, { name: "speech", version })([...argv.slice(0, 2), ...inOneForm(given, known)])
        : Effect.fail(ValidationError.invalidValue(HelpDoc.p(problem)))
    return parsed.pipe(
      Effect.withConsole(parserConsole),
      Effect.as(ExitCode.done),
      Effect.catchAllCause((cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        return Effect.flatMap(
          Effect.promise(() => import("./failure.js")),
          ({ report, reportDefect, UsageError }) => {
            const error = Cause.failureOption(cause)
            if (error._tag === "None") return reportDefect(cause, { json })
            if (!ValidationError.isValidationError(error.value)) return report(error.value, { json })
            return report(new UsageError({ message: usageProblem(error.value, asked) }), { json })
          }
        )
      })
    )
  }).pipe(
    Effect.provide([NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer]),
    // Standard output has the result alone.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true })))
  )
}

const usageProblem = (error: ValidationError.ValidationError, asked: string | undefined): string => {
  const problem = stripVTControlCharacters(HelpDoc.toAnsiText(error.error))
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/[^.?]$/, "$&.")
  return `${problem} See speech ${asked !== undefined && names.includes(asked) ? `${asked} ` : ""}--help.`
}
