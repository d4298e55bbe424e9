import * as Schema from "effect/Schema"

/**
 * The boundary at which a piece ends, as a type.
 *
 * @since 0.1.0
 * @category schemas
 */
export type Boundary = typeof Boundary.Type

/**
 * The boundary at which a piece ends. The best comes first.
 *
 * | value       | the piece ends |
 * | ----------- | -------------- |
 * | `end`       | with the text |
 * | `paragraph` | before a blank line |
 * | `line`      | with a line |
 * | `sentence`  | with a sentence |
 * | `clause`    | after a comma, a semicolon, a colon or a dash |
 * | `word`      | between two words |
 * | `cluster`   | inside a word that is longer than the limit |
 *
 * @example
 * ```ts
 * import { TextPieces } from "@effect-speech/long-form"
 *
 * export const best = TextPieces.Boundary.literals[0] // "end"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Boundary: Schema.Literal<["end", "paragraph", "line", "sentence", "clause", "word", "cluster"]> =
  Schema.Literal("end", "paragraph", "line", "sentence", "clause", "word", "cluster")
