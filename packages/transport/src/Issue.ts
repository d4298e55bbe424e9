/**
 * What a schema finds wrong with a message, in words, and without what the message held: it may be a text or a phrase of
 * somebody's.
 */
import * as ParseResult from "effect/ParseResult"

export interface Issue {
  /** The path of the field, such as `hotwords.0.phrase`; `request` for the whole. */
  readonly field: string
  /** The rule it breaks: what follows the name of the field in a sentence. */
  readonly problem: string
}

/** What is wrong with a text that UTF-8 can't carry. */
export const inText = (text: string): string | undefined =>
  /\p{Surrogate}/u.test(text) ? "holds half of a surrogate pair, which is no character" : undefined

/** Of any names: one may be a symbol, and one that is empty would be taken for the whole. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((name) => (name === "" ? '""' : String(name))).join(".")

/** The first thing that is wrong. */
export const first = (issue: ParseResult.ParseIssue): Issue => {
  const all = ParseResult.ArrayFormatter.formatIssueSync(issue)
  const field = pathOf(all[0]?.path ?? [])
  // Each value that a field may have is an issue of its own.
  const values = all
    .filter(({ path }) => pathOf(path) === field)
    .flatMap(({ message }) => /^Expected ("[^"]*"), actual /.exec(message)?.[1] ?? [])
  const problem = values.length > 1 ? `must be one of ${values.join(", ")}` : inWords(all[0]?.message ?? "is not valid")
  return { field: field || "request", problem }
}

/** The names of all fields that are wrong. */
export const fields = (issue: ParseResult.ParseIssue): ReadonlyArray<string> => {
  const paths = ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ path }) => pathOf(path))
  return [...new Set(paths)].filter((path) => path !== "")
}

const kinds: Record<string, string> = {
  string: "a string",
  "a non empty string": "a string that is not empty",
  number: "a number",
  Finite: "a finite number",
  boolean: "true or false"
}

/** A schema's own words are for developers, and quote the value. */
const inWords = (message: string): string => {
  if (message.startsWith("is unexpected")) return "is not a field that is known here; see additionalFields"
  const expected = /^Expected (.+), actual /s.exec(message)?.[1]
  if (expected === undefined) return message
  if (/[{<[]/.test(expected)) return "has the wrong form"
  return `must be ${kinds[expected] ?? expected}`
}
