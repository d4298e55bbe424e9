import { structural } from "@effect-speech/common/Structural"
import * as Schema from "effect/Schema"

/**
 * How many words or characters of the reference were heard, and how many were not.
 *
 * @example
 * ```ts
 * import { WordErrors } from "@effect-speech/long-form"
 *
 * const counts = new WordErrors.Counts({ hits: 8, substitutions: 1, deletions: 1, insertions: 0 })
 * export const rate = counts.rate // 0.2: 2 errors in 10 words
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Counts extends structural(
  Schema.Class<Counts>("WordErrorCounts")({
    /** Heard as the reference has them. */
    hits: Schema.Int,
    /** Heard as another one. */
    substitutions: Schema.Int,
    /** In the reference, but not heard. */
    deletions: Schema.Int,
    /** Heard, but not in the reference. */
    insertions: Schema.Int
  })
) {
  /** How many the reference has: hits, substitutions and deletions. */
  get reference(): number {
    return this.hits + this.substitutions + this.deletions
  }

  /** How many were heard: hits, substitutions and insertions. */
  get heard(): number {
    return this.hits + this.substitutions + this.insertions
  }

  /** Substitutions, deletions and insertions. */
  get errors(): number {
    return this.substitutions + this.deletions + this.insertions
  }

  /** The errors divided by the number of the reference. It can be above 1. If the reference has none: 0 without errors, else `Infinity`. */
  get rate(): number {
    return this.errors === 0 ? 0 : this.errors / this.reference
  }
}

/**
 * A word of the reference and the word that was heard in its place, both in the form in which they are compared.
 *
 * @example
 * ```ts
 * import { WordErrors } from "@effect-speech/long-form"
 *
 * export const show = (pair: WordErrors.Pair) =>
 *   pair.kind === "deleted" ? `-${pair.reference}` : pair.kind === "inserted" ? `+${pair.heard}` : pair.heard
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export const Pair = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("same", "substituted"), reference: Schema.String, heard: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("deleted"), reference: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("inserted"), heard: Schema.String })
)
/**
 * @since 0.1.0
 * @category models
 */
export type Pair = typeof Pair.Type

/**
 * The errors of a transcript: the counts of its words and characters, and the alignment of its words.
 *
 * @example
 * ```ts
 * import { WordErrors } from "@effect-speech/long-form"
 *
 * export const differences = ({ pairs }: WordErrors.Comparison) => pairs.filter(({ kind }) => kind !== "same")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Comparison extends structural(
  Schema.Class<Comparison>("WordErrorComparison")({
    /** The counts of the words. */
    words: Counts,
    /** The counts of the grapheme clusters of all words. */
    characters: Counts,
    /** The alignment: all words of the reference and all that were heard, each in order. */
    pairs: Schema.Array(Pair)
  })
) {}
