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
import { doctor } from "./commands/doctor.js"
import { serve } from "./commands/serve.js"
import { synthesize } from "./commands/synthesize.js"
import { transcribe } from "./commands/transcribe.js"
import * as ExitCode from "./exitCode.js"
import { help, optionProblem } from "./help.js"
import { readableArguments } from "./options.js"

const { version } = createRequire(import.meta.url)("../package.json") as { readonly version: string }

const subcommands = [synthesize, transcribe, serve, doctor] as const

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
  if (given.length === 0 || options.includes("--help") || options.includes("-h")) {
    return Effect.as(Console.log(help(command, subcommands, given[0], version)), ExitCode.done)
  }
  const json = options.includes("--json")
  const problem = optionProblem(command, subcommands, options)
  return Effect.consoleWith((console) => {
    const work = Command.transformHandler(command, Effect.withConsole(console))
    // Why the parser refuses something is told as any other failure is.
    const parserConsole = { ...console, error: () => Effect.void }
    const parsed =
      problem === undefined
        ? Command.run(work, { name: "speech", version })(readableArguments(argv))
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
            return report(new UsageError({ message: usageProblem(error.value, options) }), { json })
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

const usageProblem = (error: ValidationError.ValidationError, options: ReadonlyArray<string>): string => {
  const problem = stripVTControlCharacters(HelpDoc.toAnsiText(error.error))
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/[^.?]$/, "$&.")
  const name = ["synthesize", "transcribe", "serve", "doctor"].find((each) => each === options[0])
  const help = `See speech ${name === undefined ? "" : `${name} `}--help.`
  // The parser takes a text for an option when it begins with a dash, and then says little or nothing.
  const dashed = options.some((option) => /^-[^-]|^--.*\s/.test(option) && option !== "-h")
  const hint = dashed ? "What begins with a dash and is no option goes last, after --." : ""
  return [problem, hint, help].filter((part) => part !== "").join(" ")
}
