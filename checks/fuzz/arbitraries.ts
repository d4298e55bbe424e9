/** Arbitraries for invalid and damaged input. */
import * as FastCheck from "effect/FastCheck"

// Without this, fast-check makes nothing longer than about ten, for any maximum.
FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true })

/** Names that an object inherits, or that have a special meaning. */
export const prototypeNames = FastCheck.constantFrom(
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "toJSON",
  "then"
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
  FastCheck.constantFrom(
    0,
    -0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
    1e21
  )
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

/** An offset, mostly near the start, where headers are. */
const placed = (where: number, isEarly: boolean, { length }: Buffer): number =>
  Math.floor(where * (isEarly ? Math.min(length, 96) : length))

const fields = FastCheck.oneof(
  FastCheck.uint8Array({ minLength: 1, maxLength: 8 }),
  FastCheck.constantFrom(
    Uint8Array.of(0),
    Uint8Array.of(0xff),
    Uint8Array.of(0, 0, 0, 0),
    Uint8Array.of(0, 0, 0, 1),
    Uint8Array.of(1, 0, 0, 0),
    Uint8Array.of(0x7f, 0xff, 0xff, 0xff),
    Uint8Array.of(0xff, 0xff, 0xff, 0x7f),
    Uint8Array.of(0x80, 0, 0, 0),
    Uint8Array.of(0xff, 0xff, 0xff, 0xff),
    new Uint8Array(8).fill(0xff)
  )
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
      const at = placed(where, isEarly, before)
      const head = before.subarray(0, at)
      switch (kind) {
        case "overwrite":
          return Buffer.concat([head, bytes, before.subarray(at + bytes.length)])
        case "insert":
          return Buffer.concat([head, bytes, before.subarray(at)])
        case "remove":
          return Buffer.concat([head, before.subarray(at + count)])
        case "repeat":
          return Buffer.concat([before.subarray(0, at + count), before.subarray(at)])
        default:
          return head
      }
    }
    // A counterexample prints the change.
    return Object.assign(changed, { toString: () => `${kind} at ${where}${isEarly ? " of the head" : ""}` })
  })
}

/** One or a few values. */
const someOf = <A>(arbitrary: FastCheck.Arbitrary<A>): FastCheck.Arbitrary<ReadonlyArray<A>> =>
  FastCheck.oneof(
    FastCheck.array(arbitrary, { minLength: 1, maxLength: 1 }),
    FastCheck.array(arbitrary, { minLength: 1, maxLength: 6 })
  )

/** Damaged bytes. `tokens` are words that have a meaning in the format. */
export const damaged = (
  whole: FastCheck.Arbitrary<Uint8Array>,
  tokens: ReadonlyArray<string> = []
): FastCheck.Arbitrary<Buffer> =>
  FastCheck.tuple(whole, someOf(change(tokens))).map(([bytes, changes]) =>
    changes.reduce<Buffer>((before, change) => change(before), Buffer.from(bytes))
  )
