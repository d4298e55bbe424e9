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
export const first = (issue: ParseResult.ParseIssue): Issue => {
  const [found] = ParseResult.ArrayFormatter.formatIssueSync(issue)
  return { field: found?.path.join(".") || "request", problem: found?.message ?? "is not valid" }
}

/** The names of all fields that are wrong, without what they held. */
export const fields = (issue: ParseResult.ParseIssue): ReadonlyArray<string> => {
  const paths = ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ path }) => path.join("."))
  return [...new Set(paths)].filter((path) => path !== "")
}
