import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The tags of the warnings of a result, as the table has them. */
export const warningsOf = (result: unknown): string | null =>
  Option.match(decodeWarned(result), {
    onNone: () => null,
    onSome: ({ warnings }) => (warnings.length === 0 ? null : warnings.join(","))
  })
const decodeWarned = Schema.decodeUnknownOption(Schema.Struct({ warnings: Schema.Array(Schema.String) }))
