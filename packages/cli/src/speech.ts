/**
 * The `speech` command: from its arguments to its exit code.
 */
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as ExitCode from "./exitCode.js"
import { report } from "./failure.js"
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
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> =>
  run(readableArguments(argv)).pipe(
    Effect.as(ExitCode.done),
    Effect.catchAll((error) =>
      // A usage that the parser refuses has been explained by the parser.
      ValidationError.isValidationError(error)
        ? Effect.succeed(ExitCode.invalid)
        : report(error, { json: argv.includes("--json") })
    ),
    Effect.provide(NodeContext.layer)
  )
