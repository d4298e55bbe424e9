import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as Schema from "effect/Schema"

/** For programs: JSON on standard output, for a result and for a failure. */
export const json = Options.boolean("json").pipe(
  Options.withDescription("Print the result, or the failure, as JSON on one line of standard output.")
)

/** A number, refused by the name of its option. */
export const number = (
  name: string,
  value: string,
  rule: { readonly above?: number; readonly integer?: boolean } = {}
) => {
  const kind = rule.integer === true ? "a whole number" : "a number"
  const above = rule.above === undefined ? "" : ` above ${rule.above}`
  const refusal = { message: () => ({ message: `--${name} must be ${kind}${above}`, override: true }) }
  const valid = (given: number) =>
    (rule.integer !== true || Number.isInteger(given)) && (rule.above === undefined || given > rule.above)
  return Options.text(name).pipe(
    Options.withPseudoName(value),
    Options.withSchema(Schema.NumberFromString.pipe(Schema.filter(valid)).annotations(refusal))
  )
}

export const timeout = number("timeout", "SECONDS", { above: 0 }).pipe(
  Options.withDescription(
    "Give up after so long, all attempts counted. Without it only a call that stands still ends."
  ),
  Options.optional
)

export const allowInsecureHttp = Options.boolean("allow-insecure-http").pipe(
  Options.withDescription("Also send over plain http to another machine, a container say. It shows the key on the way.")
)

/**
 * Standard input or output in place of a file. People write `-`, which the parser would take for an option, so it
 * is given this instead, which no argument of a process can be.
 */
export const standardStream = "\0"

/** A value that is no file: there `-` is a dash. */
export const literal = (value: string): string => (value === standardStream ? "-" : value)

export const text = (name: string, value: string) =>
  Options.text(name).pipe(Options.withPseudoName(value), Options.map(literal))

/** One that may be given several times. */
export const texts = (name: string, value: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(value),
    Options.withDescription(description),
    Options.repeated,
    Options.map((values) => values.map(literal))
  )

export const textArgument = (name: string) => Args.map(Args.text({ name }), literal)

/** What a command does, and how it is called. */
export const describe = (what: string, examples: ReadonlyArray<string>): HelpDoc.HelpDoc =>
  HelpDoc.blocks([HelpDoc.p(what), ...examples.map((example) => HelpDoc.p(`  $ ${example}`))])
