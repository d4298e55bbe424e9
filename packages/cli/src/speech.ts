/**
 * The `speech` command in this process: from its arguments to its exit code.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type Printed, parse } from "./parse.js"
import { load } from "./programs.js"
import { run } from "./run.js"

/** Runs the command with the arguments of a process (`process.argv`). The result is the exit code. */
export const speech = (argv: ReadonlyArray<string>): Effect.Effect<number> =>
  Effect.suspend(() => {
    const invocation = parse(argv.slice(2))
    if (invocation._tag === "Printed") return print(invocation)
    return Effect.flatMap(
      Effect.promise(() => load(invocation)),
      ({ start }) => run(invocation, start)
    )
  })

const print = ({ code, stream, text }: Printed): Effect.Effect<number> =>
  Effect.as(stream === "stdout" ? Console.log(text) : Console.error(text), code)
