import * as FastCheck from "effect/FastCheck"

/** Asserts a law about any values of these arbitraries. */
export const holds = <Values extends [unknown, ...Array<unknown>]>(
  arbitraries: { [K in keyof Values]: FastCheck.Arbitrary<Values[K]> },
  options: FastCheck.Parameters<Values>,
  law: (...values: Values) => void
): void => FastCheck.assert(FastCheck.property(...arbitraries, law), options)
