import * as Effect from "effect/Effect"

/** A UUID of version 5: the SHA-1 of a UUID and a name (RFC 9562, section 5.5). */
export const uuidV5 = (namespace: string, name: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const parent = Uint8Array.from(namespace.replaceAll("-", "").match(/../g) ?? [], (byte) =>
      Number.parseInt(byte, 16)
    )
    const hashed = await crypto.subtle.digest("SHA-1", Uint8Array.of(...parent, ...new TextEncoder().encode(name)))
    const bytes = new Uint8Array(hashed, 0, 16)
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
    return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  })

/** Two digits a byte. */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
