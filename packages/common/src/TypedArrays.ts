/** Typed arrays that arrive in parts, as one. */

type TypedArray = Uint8Array | Int16Array | Float32Array

/**
 * Joins arrays. If the first has all elements, it is returned itself, not a copy.
 *
 * @example
 * ```ts
 * import { TypedArrays } from "@effect-speech/common"
 *
 * console.log(TypedArrays.concat([Uint8Array.of(1), Uint8Array.of(2, 3)], Uint8Array)) // 1, 2, 3
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const concat = <A extends TypedArray>(parts: ReadonlyArray<A>, make: new (length: number) => A): A => {
  const [first] = parts
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (first?.length === length) return first
  const whole = new make(length)
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
