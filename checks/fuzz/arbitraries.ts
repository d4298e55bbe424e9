/** Arbitraries for invalid and damaged input. */
import * as FastCheck from "effect/FastCheck"

// Without this, fast-check makes nothing longer than about ten, for any maximum.
FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true })

/** Names that an object inherits, or that have a special meaning. */
const prototypeNames = FastCheck.constantFrom(
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
