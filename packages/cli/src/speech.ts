/**
 * The `speech` command: from its arguments to its exit code.
 */
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Effect from "effect/Effect"
import { serve } from "./commands/serve.js"
import { synthesize } from "./commands/synthesize.js"
import { transcribe } from "./commands/transcribe.js"
import * as ExitCode from "./exitCode.js"
import { readableArguments } from "./options.js"

const command = Command.make("speech").pipe(
  Command.withDescription("Speaks texts and transcribes recordings."),
  Command.withSubcommands([synthesize, transcribe, serve])
)

const run = Command.run(command, { name: "speech", version: "0.0.0" })

/**
 * Runs the command with the arguments of a process, and gives its exit code. What a command works with is loaded once it
 * runs, and what tells of a failure once there is one: `--help` needs none of them.
 */
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const json = argv.includes("--json")
  return run(readableArguments(argv)).pipe(
    Effect.as(ExitCode.done),
    Effect.catchAll((error) =>
      Effect.flatMap(
        Effect.promise(() => import("./failure.js")),
        ({ report, UsageError }) => {
          if (!ValidationError.isValidationError(error)) return report(error, { json })
          // What the parser refuses it has explained on stderr; it knows no JSON.
          const message = HelpDoc.toAnsiText(error.error).replace(ansi, "").trim()
          return json ? report(new UsageError({ message }), { json }) : Effect.succeed(ExitCode.invalid)
        }
      )
    ),
    Effect.provide([NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer])
  )
}

/** The colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ansi = /\u001b\[[\d;]*m/g
