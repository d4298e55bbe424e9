import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { type JsonLimits, JsonReader, readJson } from "../src/internal/readJson.js"

const asItIs = (text: string) => text

/** Reads a text that comes in pieces of these lengths, and its rest. */
const read = (text: string, lengths: ReadonlyArray<number>) =>
  Either.try(() => {
    const reader = new JsonReader(asItIs)
    let at = 0
    for (const length of lengths) {
      reader.push(text.slice(at, at + length))
      at += length
    }
    reader.push(text.slice(at))
    return reader.end()
  })

const parse = (text: string) => Either.try((): unknown => JSON.parse(text))

/** A body of the bytes of some chunks. */
const readBody = (chunks: ReadonlyArray<string>, limits?: JsonLimits) => {
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk))
  return readJson(
    Effect.sync(() => left.shift()),
    asItIs,
    limits
  )
}

const lengths = FastCheck.array(FastCheck.integer({ min: 0, max: 9 }), { maxLength: 30 })
const spaced = FastCheck.tuple(FastCheck.jsonValue({ maxDepth: 4 }), FastCheck.constantFrom(0, 1, "\t\r\n ")).map(
  ([value, space]) => JSON.stringify(value, null, space)
)
const escaped = FastCheck.string({ unit: "binary" }).map((text) =>
  JSON.stringify({ [text]: text }).replace(/[^\\"{}:]/g, (each) =>
    each.charCodeAt(0) % 3 === 0 ? `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}` : each
  )
)
/** Texts that are nearly JSON, or JSON again. */
const broken = FastCheck.tuple(
  FastCheck.oneof(spaced, escaped),
  FastCheck.nat(),
  FastCheck.nat(3),
  FastCheck.stringMatching(/^[[\]{},:"\\u0-9eE+.\-tnl \n]{0,4}$/)
).map(([text, at, count, added]) => {
  const start = at % (text.length + 1)
  return text.slice(0, start) + added + text.slice(start + count)
})

describe("a body of JSON", () => {
  it("gives the value that JSON.parse gives, wherever its pieces end, and fails where it fails", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(spaced, escaped, broken), lengths, (text, pieces) => {
        const expected = parse(text)
        const given = read(text, pieces)
        expect(Either.isRight(given)).toBe(Either.isRight(expected))
        if (Either.isRight(given)) expect(given.right).toEqual(Either.getOrThrow(expected))
      }),
      { numRuns: 1000 }
    )
  })

  it.each([
    ...["", " ", "[1,]", "[,1]", '{"a":1,}', '{"a"}', '{"a":}', "{a:1}"],
    ...['{"a":1]', "[1}", "[1 2]", "1 2", "[]]", '"a', '"\\u12"', '"\n"'],
    ...["[01]", "[1.]", "+1", "nul", "NaN", '["a":1]', ":", "\u00a01"]
  ])("that is %j is not JSON", (text) => {
    for (const pieces of [[], [1, 1, 1], [2, 1]]) expect(Either.isLeft(read(text, pieces))).toBe(true)
  })

  it.effect("may have a character in two chunks, and begin with a byte order mark", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode('\ufeff"नमस्ते"')
      const left = Array.from(bytes, (byte) => Uint8Array.of(byte))
      const body = readJson(
        Effect.sync(() => left.shift()),
        asItIs
      )
      expect(yield* body).toEqual(Either.right("नमस्ते"))
    })
  )

  it.effect("keeps a byte order mark that is within a text", () =>
    Effect.gen(function* () {
      expect(yield* readBody(['\ufeff"a', '\ufeffb"'])).toEqual(Either.right("a\ufeffb"))
    })
  )

  const few = { bytes: 2000, values: 20, objectsAndArrays: 10, fields: 4, levels: 5 }
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
  const objects = (count: number) => `[${"{},".repeat(count - 1)}{}]`
  const fields = (count: number) => `[{"a":{}},{${Array.from({ length: count }, (_, at) => `"${at}":{}`).join()}}]`
  const numbers = (count: number) => `[${"0,".repeat(count - 1)}0]`

  it.effect.each([
    ["levels", nested(5), nested(6), "it is nested more than 5 levels deep"],
    ["objects and arrays", objects(9), objects(10), "it has more than 10 objects and arrays"],
    ["fields of an object", fields(4), fields(5), "an object has more than 4 fields"],
    ["values", numbers(19), numbers(20), "it has more than 20 values"],
    ["bytes", `"${"a".repeat(1998)}"`, `"${"a".repeat(1999)}"`, "it is longer than 2000 bytes"]
  ] as const)("has a limit of its %s", ([_, inside, outside, problem]) =>
    Effect.gen(function* () {
      expect(Either.isRight(yield* readBody([inside], few))).toBe(true)
      expect(yield* readBody([outside], few)).toEqual(Either.left(problem))
    })
  )

  it.effect.each([
    ["beyond a limit", "[", "it is nested more than 5 levels deep", 6],
    ["not JSON", "[1}", "it is not JSON", 1]
  ] as const)("that is %s is not read further", ([_, chunk, problem, read]) =>
    Effect.gen(function* () {
      let chunks = 0
      const endless = Effect.sync(() => {
        chunks++
        return new TextEncoder().encode(chunk)
      })
      expect(yield* readJson(endless, asItIs, few)).toEqual(Either.left(problem))
      expect(chunks).toBe(read)
    })
  )

  it.effect("that is large lets timers run while it is read", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      setTimeout(() => order.push("a timer"), 0)
      yield* readBody([objects(500_000)])
      order.push("the end of the body")
      expect(order).toEqual(["a timer", "the end of the body"])
    })
  )
})
