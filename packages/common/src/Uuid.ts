/** UUIDs that are made from bytes (RFC 9562), so that the same facts give the same id. */

/**
 * Bytes as hexadecimal digits, two a byte.
 *
 * @example
 * ```ts
 * import { Uuid } from "@effect-speech/common"
 *
 * console.log(Uuid.hex(Uint8Array.of(1, 255))) // 01ff
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Writes 32 hexadecimal digits as a UUID.
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const format = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

/**
 * The first 16 bytes, with the version and the variant of a UUID in them (RFC 9562, sections 4.1 and 4.2). `version` is 1 to 8.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withVersion = (bytes: Uint8Array, version: number): Uint8Array => {
  const id = bytes.slice(0, 16)
  id[6] = ((id[6] as number) & 0x0f) | (version << 4)
  id[8] = ((id[8] as number) & 0x3f) | 0x80
  return id
}

/**
 * The UUID of these bytes, of which the first 16 count. `version`: 5 for those of a SHA-1, 8 for any others.
 *
 * @example
 * ```ts
 * import { Uuid } from "@effect-speech/common"
 *
 * console.log(Uuid.fromBytes(new Uint8Array(16), 8)) // 00000000-0000-8000-8000-000000000000
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBytes = (bytes: Uint8Array, version: number): string => format(hex(withVersion(bytes, version)))
