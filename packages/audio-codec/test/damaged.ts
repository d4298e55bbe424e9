import * as FastCheck from "effect/FastCheck"

/** Numbers that a size or a count should not be. */
const fields = FastCheck.oneof(
  FastCheck.uint8Array({ minLength: 1, maxLength: 8 }),
  FastCheck.constantFrom(
    ..."00 ff 00000000 00000001 01000000 7fffffff ffffff7f 80000000 ffffffff ffffffffffffffff".split(" ")
  ).map((hex) => Buffer.from(hex, "hex"))
)

/** Bytes that are overwritten, removed, inserted, repeated or cut off, up to four times. `tokens` have a meaning in their format. */
export const damaged = (
  whole: FastCheck.Arbitrary<Uint8Array>,
  tokens: ReadonlyArray<string> = []
): FastCheck.Arbitrary<Buffer> => {
  const change = FastCheck.record({
    kind: FastCheck.constantFrom("overwrite", "overwrite", "overwrite", "insert", "remove", "repeat", "cut"),
    where: FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    isEarly: FastCheck.boolean(),
    count: FastCheck.oneof(FastCheck.integer({ min: 1, max: 16 }), FastCheck.integer({ min: 1, max: 600 })),
    bytes: FastCheck.oneof(
      fields,
      FastCheck.constantFrom("\r\n", ...tokens).map((token) => Buffer.from(token, "latin1"))
    )
  })
  const changes = FastCheck.array(change, { minLength: 1, maxLength: 4 })
  return FastCheck.tuple(whole, changes).map(([file, all]) =>
    all.reduce<Buffer>((before, { bytes, count, isEarly, kind, where }) => {
      // Mostly near the start, where headers are.
      const at = Math.floor(where * (isEarly ? Math.min(before.length, 96) : before.length))
      const rest: Readonly<Record<string, ReadonlyArray<Uint8Array>>> = {
        overwrite: [bytes, before.subarray(at + bytes.length)],
        insert: [bytes, before.subarray(at)],
        remove: [before.subarray(at + count)],
        repeat: [before.subarray(at, at + count), before.subarray(at)]
      }
      return Buffer.concat([before.subarray(0, at), ...(rest[kind] ?? [])])
    }, Buffer.from(file))
  )
}
