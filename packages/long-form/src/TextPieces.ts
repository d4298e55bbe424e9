/**
 * Splits a text of any length into pieces that the service takes, at the best places near the limit.
 */

/**
 * The boundary at which a piece ends. The best comes first.
 *
 * | value       | the piece ends |
 * | ----------- | -------------- |
 * | `end`       | with the text or the passage |
 * | `paragraph` | before a blank line |
 * | `line`      | with a line |
 * | `sentence`  | with a sentence |
 * | `clause`    | after a comma, a semicolon or a dash |
 * | `word`      | between two words |
 * | `cluster`   | inside a word that is longer than the limit |
 */
export type Boundary = "end" | "paragraph" | "line" | "sentence" | "clause" | "word" | "cluster"

export interface TextPiece {
  /** Counts from 0. */
  readonly index: number
  /** The piece with all its spaces: the texts of all pieces together are the whole text. */
  readonly text: string
  /** Offset of its first character in the whole text, in UTF-16 units. */
  readonly start: number
  /** Offset after its last character, in UTF-16 units. */
  readonly end: number
  /** Its length in Unicode code points, the unit of billing. */
  readonly codePoints: number
  readonly boundary: Boundary
  /** Whether it has anything to speak: a letter, a digit or a symbol. A piece without is not sent, and becomes silence. */
  readonly speakable: boolean
}

export interface SplitOptions {
  /** Largest number of code points in a piece, 1 to 10,000. Default: 2,000. */
  readonly maximum?: number | undefined
  /** Largest number of code points in the first piece; each next may have twice as many, up to `maximum`. Default: 250. */
  readonly first?: number | undefined
  /** Language code of the text, for its abbreviations. Default: the abbreviations of all languages. */
  readonly lang?: string | undefined
}
