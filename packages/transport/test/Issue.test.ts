import { SystemError } from "@effect/platform/Error"
import { describe, expect, it } from "@effect/vitest"
import { Failure, Issue } from "@effect-speech/transport"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

describe("an issue", () => {
  const Message = Schema.Struct({
    name: Schema.String,
    title: Schema.optional(Schema.NonEmptyString),
    size: Schema.optional(Schema.Number),
    score: Schema.optional(Schema.Finite),
    isNew: Schema.optional(Schema.Boolean),
    kind: Schema.optional(Schema.Literal("large", "small")),
    only: Schema.optional(Schema.Literal("this")),
    parts: Schema.optional(Schema.Array(Schema.Struct({ phrase: Schema.String }))),
    even: Schema.optional(Schema.Number.pipe(Schema.filter((number) => number % 2 === 0 || "must be even")))
  })
  const decode = Schema.decodeUnknownEither(Message, { onExcessProperty: "error", errors: "all" })
  const issueIn = (message: unknown) => Either.getOrThrow(Either.flip(decode(message))).issue

  it.each([
    { message: { name: 1 }, field: "name", problem: "must be a string" },
    { message: {}, field: "name", problem: "is missing" },
    { message: { name: "n", title: "" }, field: "title", problem: "must be a string that is not empty" },
    { message: { name: "n", size: "1" }, field: "size", problem: "must be a number" },
    { message: { name: "n", size: "1, actual secret" }, field: "size", problem: "must be a number" },
    { message: { name: "n", score: Number.NaN }, field: "score", problem: "must be a finite number" },
    { message: { name: "n", isNew: "yes" }, field: "isNew", problem: "must be true or false" },
    { message: { name: "n", kind: "secret" }, field: "kind", problem: 'must be one of "large", "small"' },
    { message: { name: "n", only: "secret" }, field: "only", problem: 'must be "this"' },
    { message: { name: "n", kind: "secret", only: 7 }, field: "kind", problem: 'must be one of "large", "small"' },
    { message: { name: "n", "": 7 }, field: '""', problem: "is not a known field; see additionalFields" },
    { message: { name: "n", parts: [{ phrase: "" }, {}] }, field: "parts.1.phrase", problem: "is missing" },
    { message: { name: "n", parts: "secret\nsecret" }, field: "parts", problem: "has the wrong form" },
    { message: { name: "n", even: 1 }, field: "even", problem: "must be even" },
    { message: "secret", field: "request", problem: "has the wrong form" },
    { message: { name: "n", secret: 1 }, field: "secret", problem: "is not a known field; see additionalFields" }
  ])("of $message is: $field $problem", ({ field, message, problem }) => {
    expect(Issue.first(issueIn(message))).toEqual({ field, problem })
  })

  it("names each field once, and no field for a message of another type", () => {
    expect(Issue.fields(issueIn({ name: 1, kind: "other" }))).toEqual(["name", "kind"])
    expect(Issue.fields(issueIn({ name: "n", "": 7 }))).toEqual(['""'])
    expect(Issue.fields(issueIn("secret"))).toEqual([])
  })
})

describe("the name of an error of another library", () => {
  class Custom extends Error {
    override readonly name = "Custom"
  }
  it.each([
    { error: new Custom("the key is a.b"), name: "Custom" },
    { error: { _tag: "Tagged", message: "a.b" }, name: "Tagged" },
    { error: Object.assign(new Error("a.b"), { _tag: "Tagged" }), name: "Tagged" },
    { error: { name: "a.b" }, name: "object" },
    { error: { _tag: "the key is a.b" }, name: "object" },
    { error: { _tag: "a.b" }, name: "object" },
    { error: { _tag: "" }, name: "object" },
    { error: { _tag: "k".repeat(65) }, name: "object" },
    { error: { _tag: 1 }, name: "object" },
    { error: "a.b", name: "string" },
    { error: undefined, name: "undefined" },
    { error: null, name: "object" },
    {
      error: new SystemError({ reason: "NotFound", module: "FileSystem", method: "open", pathOrDescriptor: "a.b" }),
      name: "SystemError: NotFound"
    }
  ])("of $error is $name, without its content", ({ error, name }) => {
    expect(Failure.errorName(error)).toBe(name)
  })
})

describe("the code of an error of another library", () => {
  it.each([
    { error: { code: "ECONNREFUSED" }, code: "ECONNREFUSED" },
    { error: new AggregateError([{ code: "EHOSTUNREACH" }]), code: "EHOSTUNREACH" },
    { error: { code: "prefix.topsecret was refused", cause: { code: "ECONNRESET" } }, code: "ECONNRESET" },
    { error: { code: "k".repeat(65) }, code: undefined },
    { error: { code: 42 }, code: undefined }
  ])("of $error is $code, which is no text of that library", ({ code, error }) => {
    expect(Failure.systemCode(error)).toBe(code)
  })
})
