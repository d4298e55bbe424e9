/** Typed arrays that arrive in parts, as one. */

type TypedArray = Uint8Array | Int16Array | Float32Array

/**
 * Joins arrays. A single one is returned itself, not a copy.
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
