import { describe, expect, it } from "@effect/vitest"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as Hash from "effect/Hash"
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

  it("is none of a value that was compared: its hash is no field, at any depth", () => {
    const check = Issue.strictly(Message)
    const parts = [Data.struct({ phrase: "one" }), Data.struct({ phrase: "two" })]
    const other = Data.struct({ name: "n", parts, secret: 1 })
    const message = Data.struct({ name: "n", parts })
    for (const value of [...parts, message, other]) Hash.hash(value)
    expect(check(message)).toEqual(Either.right({ name: "n", parts: [{ phrase: "one" }, { phrase: "two" }] }))
    const unknown = { field: "secret", problem: "is not a known field; see additionalFields" }
    expect(check(other)).toEqual(Either.left(unknown))
  })

  it("names each field once, and no field for a message of another type", () => {
    expect(Issue.fields(issueIn({ name: 1, kind: "other" }))).toEqual(["name", "kind"])
    expect(Issue.fields(issueIn({ name: "n", "": 7 }))).toEqual(['""'])
    expect(Issue.fields(issueIn("secret"))).toEqual([])
  })
})
