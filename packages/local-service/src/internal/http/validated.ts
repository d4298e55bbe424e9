import * as Issue from "@effect-speech/transport/Issue"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** What a program gives in process, held to the schema that it is held to over HTTP. To break it is a defect of the program. */
export const validated = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Effect.Effect<A> =>
  Effect.catchTag(Schema.validate(schema, { onExcessProperty: "error" })(value), "ParseError", ({ issue }) => {
    const { field, problem } = Issue.first(issue)
    return Effect.die(new TypeError(`${field} ${problem}`))
  })
