/**
 * The `speech` command: from its arguments to its exit code.
 */
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as ExitCode from "./exitCode.js"
import { report, UsageError } from "./failure.js"
import { readableArguments } from "./options.js"
import { serve } from "./serve.js"
import { synthesize } from "./synthesize.js"
import { transcribe } from "./transcribe.js"

const command = Command.make("speech").pipe(
  Command.withDescription("Speaks texts and transcribes recordings."),
  Command.withSubcommands([synthesize, transcribe, serve])
)

const run = Command.run(command, { name: "speech", version: "0.0.0" })

/** Runs the command with the arguments of a process, and gives its exit code. */
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const json = argv.includes("--json")
  return run(readableArguments(argv)).pipe(
    Effect.as(ExitCode.done),
    Effect.catchAll((error) =>
      ValidationError.isValidationError(error) ? refuseUsage(error, { json }) : report(error, { json })
    ),
    Effect.provide(NodeContext.layer)
  )
}

/** A usage that the parser refuses has been explained on stderr by the parser, which knows no JSON. */
const refuseUsage = (error: ValidationError.ValidationError, { json }: { readonly json: boolean }) =>
  json
    ? report(new UsageError({ message: HelpDoc.toAnsiText(error.error).replace(ansi, "").trim() }), { json })
    : Effect.succeed(ExitCode.invalid)

/** The colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ansi = /\u001b\[[\d;]*m/g
