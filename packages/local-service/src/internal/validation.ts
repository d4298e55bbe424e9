import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Effect from "effect/Effect"
import type { ParseIssue } from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The first broken rule of a message. The service takes no fields that it does not know. */
export const firstIssue = (issue: ParseIssue): Issue.Issue => Issue.first(issue, "is not a known field")

/** The message of a schema, whichever of its rules is broken. */
export const mustBe = (what: string) => ({ message: () => ({ message: `must be ${what}`, override: true }) })

/** Checks an argument of the handle by the schema that the HTTP API uses. A wrong argument is a defect of the program. */
export const validateOrDie = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Effect.Effect<A> =>
  Effect.catchTag(Schema.validate(schema, { onExcessProperty: "error" })(value), "ParseError", ({ issue }) => {
    const { field, problem } = firstIssue(issue)
    return Effect.die(new TypeError(`${field} ${problem}`))
  })
