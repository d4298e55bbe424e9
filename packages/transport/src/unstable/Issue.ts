/**
 * Schema errors as sentences, without the values of the message, which may be private.
 */
import * as Either from "effect/Either"
import * as Hash from "effect/Hash"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { AST, ParseOptions } from "effect/SchemaAST"

/**
 * The first problem of a value: where it is, and the rule that it breaks.
 *
 * @since 0.1.0
 * @category models
 */
export interface Issue {
  /** Path of the field, such as `hotwords.0.phrase`. `request` is the whole message. */
  readonly field: string
  /** The rule that the field breaks: the words after its name in a sentence. */
  readonly problem: string
}

/**
 * The problem of a text that UTF-8 can't encode. `undefined`: there is none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const inText = (text: string): string | undefined =>
  /\p{Surrogate}/u.test(text) ? "holds half of a surrogate pair, which is not a character" : undefined

const isPlain = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * A schema of a record that takes plain objects only, and does not change what is in them. Others, such as a `Map`, may have content that is not in their fields. The
 * annotations need a `jsonSchema` and an `arbitrary`: a declaration has none of its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const plainObject = <A>(
  record: Schema.Schema<A>,
  annotations: Required<Pick<Schema.Annotations.Schema<NoInfer<A>>, "jsonSchema" | "arbitrary">>
): Schema.Schema<A> => {
  const decode = ParseResult.decodeUnknown(record)
  const parse = () => (value: unknown, options: ParseOptions, ast: AST) =>
    isPlain(value)
      ? // The copy of the record's own parser has no field `__proto__`, which JSON may have.
        ParseResult.map(decode(value, options), () => ({ ...value }) as A)
      : ParseResult.fail(new ParseResult.Type(ast, value, "must be a plain object"))
  return Schema.declare([], { decode: parse, encode: parse }, annotations)
}

/** A name may be a symbol. An empty name is quoted, because an empty path stands for the whole message. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((name) => (name === "" ? '""' : String(name))).join(".")

/**
 * The first issue. `unknownField` is the problem of a field that the schema does not have. Default: that of a request of the
 * clients, whose option `additionalFields` sends such a field.
 *
 * @since 0.1.0
 * @category combinators
 */
export const first = (
  issue: ParseResult.ParseIssue,
  unknownField = "is not a known field; see additionalFields"
): Issue => {
  const all = ParseResult.ArrayFormatter.formatIssueSync(issue)
  const field = pathOf(all[0]?.path ?? [])
  // The schema reports one issue for each allowed value of a field.
  const values = all
    .filter(({ path }) => pathOf(path) === field)
    .flatMap(({ message }) => /^Expected ("[^"]*"), actual /.exec(message)?.[1] ?? [])
  const problem =
    values.length > 1
      ? `must be one of ${values.join(", ")}`
      : toProblem(all[0]?.message ?? "is not valid", unknownField)
  return { field: field || "request", problem }
}

/** A copy without the cached hashes that the issue names. `undefined`: there are none. */
const withoutHashes = (value: unknown, issue: ParseResult.ParseIssue): unknown => {
  const paths = ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ path }) => path)
  const ofHashes = paths.filter((path) => path.at(-1) === Hash.symbol)
  return ofHashes.length === 0 ? undefined : ofHashes.reduce(without, value)
}

/** A copy without the key at the end of the path. */
const without = (value: unknown, [key, ...rest]: ReadonlyArray<PropertyKey>): unknown => {
  if (Array.isArray(value)) return value.map((element, index) => (index === key ? without(element, rest) : element))
  const { [key as never]: inner, ...others } = value as object
  return rest.length === 0 ? others : { ...others, [key as never]: without(inner, rest) }
}

/**
 * Decodes a message that has only the fields of the schema. A value of `Data` that was compared has its hash in a field besides, which is
 * left out. `unknownField` is that of {@link first}.
 *
 * @since 0.1.0
 * @category combinators
 */
export const strictly = <A, I>(
  schema: Schema.Schema<A, I>,
  unknownField?: string
): ((message: unknown) => Either.Either<A, Issue>) => {
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })
  const decodeAll = Schema.decodeUnknownEither(schema, { onExcessProperty: "error", errors: "all" })
  return (message) => {
    const decoded = Either.orElse(decode(message), (error) => {
      const all = Either.flip(decodeAll(message))
      const rest = Either.isRight(all) ? withoutHashes(message, all.right.issue) : undefined
      return rest === undefined ? Either.left(error) : decode(rest)
    })
    return Either.mapLeft(decoded, ({ issue }) => first(issue, unknownField))
  }
}

/**
 * The paths of all fields with an issue, without duplicates.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/** The problem in plain words. The schema's own message quotes the value. */
const toProblem = (message: string, unknownField: string): string => {
  if (message.startsWith("is unexpected")) return unknownField
  const expected = /^Expected (.+?), actual /s.exec(message)?.[1]
  if (expected === undefined) return message
  if (/[{<[]/.test(expected)) return "has the wrong form"
  return `must be ${kinds[expected] ?? expected}`
}
