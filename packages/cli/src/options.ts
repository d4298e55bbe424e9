import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"

/** For programs: one JSON value on standard output, for a result and for a failure. */
export const json = Options.boolean("json").pipe(
  Options.withDescription("Print the result, or the failure, as one JSON value on standard output.")
)

/**
 * Standard input or output in place of a file. People write `-`, which the parser would take for an option, so it
 * is given this instead, which no argument of a process can be.
 */
export const standardStream = "\0"

/** The arguments of a process as the parser takes them. */
export const readableArguments = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv.map((argument) => (argument === "-" ? standardStream : argument))

/** A value that is no file: there `-` is a dash. */
export const literal = (value: string): string => (value === standardStream ? "-" : value)

export const text = (name: string) => Options.map(Options.text(name), literal)

export const textArgument = (name: string) => Args.map(Args.text({ name }), literal)
