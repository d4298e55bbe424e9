import * as FastCheck from "effect/FastCheck"

/** Asserts a law about any values of these arbitraries. A law fails if it throws or is `false`. */
export const holds = <Values extends [unknown, ...Array<unknown>]>(
  arbitraries: { [K in keyof Values]: FastCheck.Arbitrary<Values[K]> },
  options: FastCheck.Parameters<Values>,
  law: (...values: Values) => unknown
): void =>
  FastCheck.assert(
    FastCheck.property(...arbitraries, (...values) => law(...values) !== false),
    options
  )
