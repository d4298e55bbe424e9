import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { firstIssue } from "./firstIssue.js"

/** Checks an argument of the handle by the schema that the HTTP API uses. A wrong argument is a defect of the program. */
export const validateOrDie = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Effect.Effect<A> =>
  Effect.catchTag(Schema.validate(schema, { onExcessProperty: "error" })(value), "ParseError", ({ issue }) => {
    const { field, problem } = firstIssue(issue)
    return Effect.die(new TypeError(`${field} ${problem}`))
  })
