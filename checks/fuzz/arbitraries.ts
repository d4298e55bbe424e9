/** Arbitraries for invalid and damaged input. */
import * as FastCheck from "effect/FastCheck"

// Without this, fast-check makes nothing longer than about ten, for any maximum.
FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true })

/** Names that an object inherits, or that have a special meaning. */
export const prototypeNames = FastCheck.constantFrom(
  ..."__proto__ constructor prototype toString hasOwnProperty valueOf toJSON then".split(" ")
)

/** Some of the values: each pair is the weight of an arbitrary and the arbitrary. */
export const weighted = <A>(
  ...arbitraries: ReadonlyArray<readonly [weight: number, arbitrary: FastCheck.Arbitrary<A>]>
) => FastCheck.oneof(...arbitraries.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Random bytes. */
export const bytesUpTo = (maxLength: number): FastCheck.Arbitrary<Buffer> =>
  FastCheck.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))

/** A few of the parts, joined. */
export const joined = (
  maxLength: number,
  ...parts: ReadonlyArray<FastCheck.Arbitrary<string | Uint8Array>>
): FastCheck.Arbitrary<Buffer> =>
  FastCheck.array(FastCheck.oneof(...parts), { maxLength }).map((all) =>
    Buffer.concat(all.map((part) => (typeof part === "string" ? Buffer.from(part) : part)))
  )

/** Strings of any code units, lone surrogates included. */
const ofCodeUnits = FastCheck.array(
  FastCheck.oneof(
    FastCheck.integer({ min: 0, max: 0x7f }),
    FastCheck.integer({ min: 0, max: 0xffff }),
    FastCheck.constantFrom(0, 9, 10, 13, 0x22, 0x25, 0x3b, 0x5c, 0x7f, 0x2028, 0xd800, 0xdfff, 0xfeff, 0xfffd, 0xffff)
  ),
  { maxLength: 24 }
).map((units) => String.fromCharCode(...units))

/** Any string, but without U+FEFF at its start: the reader of a form takes that for a byte order mark. */
export const anyString: FastCheck.Arbitrary<string> = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme", maxLength: 24 }),
  FastCheck.string({ unit: "binary", maxLength: 24 }),
  ofCodeUnits,
  prototypeNames
).map((text) => text.replace(/^\ufeff+/, ""))

/** Whether all surrogates are paired, so that UTF-8 can encode the string. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

export const wellFormedString = anyString.filter(isWellFormed)

export const oddNumber = FastCheck.oneof(
  FastCheck.double(),
  FastCheck.integer(),
  FastCheck.constantFrom(0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  FastCheck.constantFrom(Number.MAX_VALUE, Number.MIN_VALUE, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e21)
)

/** Any value. */
export const anything = FastCheck.oneof(
  anyString,
  oddNumber,
  FastCheck.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true })
)

/** A parsed JSON value, with keys that have a special meaning in JavaScript. */
export const json: FastCheck.Arbitrary<unknown> = FastCheck.letrec<{ value: unknown }>((tie) => ({
  value: FastCheck.oneof(
    { depthSize: "small", withCrossShrink: true },
    FastCheck.constantFrom(null, true, false, { toString: null, valueOf: null }),
    anyString,
    oddNumber.filter(Number.isFinite),
    FastCheck.array(tie("value"), { maxLength: 4 }),
    recordOf(tie("value"))
  )
})).value

/** An object with own fields, also `__proto__`, which JSON can give and an assignment can not. */
export function recordOf<A>(
  value: FastCheck.Arbitrary<A>,
  name: FastCheck.Arbitrary<string> = anyString
): FastCheck.Arbitrary<Record<string, A>> {
  return FastCheck.array(FastCheck.tuple(name, value), { maxLength: 4 }).map(
    (entries) => Object.fromEntries(entries) as Record<string, A>
  )
}

/** Sizes of pieces. After the last size, the first one follows. */
export const pieceSizes = FastCheck.array(
  FastCheck.oneof(FastCheck.integer({ min: 1, max: 9 }), FastCheck.integer({ min: 1, max: 2000 })),
  { minLength: 1, maxLength: 5 }
)

type Change = (bytes: Buffer) => Buffer

const place = FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

const fields = FastCheck.oneof(
  FastCheck.uint8Array({ minLength: 1, maxLength: 8 }),
  FastCheck.constantFrom(
    ..."00 ff 00000000 00000001 01000000 7fffffff ffffff7f 80000000 ffffffff ffffffffffffffff".split(" ")
  ).map((hex) => Buffer.from(hex, "hex"))
)

/** One change: bytes overwritten, removed, inserted, repeated or cut off. */
const change = (tokens: ReadonlyArray<string>): FastCheck.Arbitrary<Change> => {
  const written = FastCheck.oneof(
    fields,
    FastCheck.constantFrom("\r\n", ...tokens).map((token) => Buffer.from(token, "latin1"))
  )
  return FastCheck.record({
    kind: FastCheck.constantFrom("overwrite", "overwrite", "overwrite", "insert", "remove", "repeat", "cut"),
    where: place,
    isEarly: FastCheck.boolean(),
    count: FastCheck.oneof(FastCheck.integer({ min: 1, max: 16 }), FastCheck.integer({ min: 1, max: 600 })),
    bytes: written
  }).map(({ bytes, count, isEarly, kind, where }): Change => {
    const changed = (before: Buffer): Buffer => {
      // Mostly near the start, where headers are.
      const at = Math.floor(where * (isEarly ? Math.min(before.length, 96) : before.length))
      const head = before.subarray(0, at)
      const rest: Readonly<Record<string, ReadonlyArray<Uint8Array>>> = {
        overwrite: [bytes, before.subarray(at + bytes.length)],
        insert: [bytes, before.subarray(at)],
        remove: [before.subarray(at + count)],
        repeat: [before.subarray(at, at + count), before.subarray(at)],
        cut: []
      }
      return Buffer.concat([head, ...(rest[kind] ?? [])])
    }
    // A counterexample prints the change.
    return Object.assign(changed, { toString: () => `${kind} at ${where}${isEarly ? " of the head" : ""}` })
  })
}

/** Damaged bytes. `tokens` are words that have a meaning in the format. */
export const damaged = (
  whole: FastCheck.Arbitrary<Uint8Array>,
  tokens: ReadonlyArray<string> = []
): FastCheck.Arbitrary<Buffer> =>
  FastCheck.tuple(whole, FastCheck.array(change(tokens), { minLength: 1, maxLength: 4 })).map(([bytes, changes]) =>
    changes.reduce<Buffer>((before, change) => change(before), Buffer.from(bytes))
  )
