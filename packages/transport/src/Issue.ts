/**
 * What a schema finds wrong with a message, in words.
 */
import * as ParseResult from "effect/ParseResult"

export interface Issue {
  /** The path of the field, such as `hotwords.0.phrase`; `request` for the whole. */
  readonly field: string
  /** The rule it breaks: what follows the name of the field in a sentence. */
  readonly problem: string
}

/** The first thing that is wrong. */
export const first = (error: ParseResult.ParseError): Issue => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return { field: issue?.path.join(".") || "request", problem: issue?.message ?? "is not valid" }
}

/** The names of all fields that are wrong, without what they held. */
export const fields = (error: ParseResult.ParseError): ReadonlyArray<string> => {
  const paths = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join("."))
  return [...new Set(paths)].filter((path) => path !== "")
}
