import * as Uuid from "@effect-speech/common/Uuid"
import * as Effect from "effect/Effect"

/** A UUID of version 5: the SHA-1 of a UUID and a name (RFC 9562, section 5.5). */
export const uuidV5 = (namespace: string, name: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const parent = Uint8Array.from(namespace.replaceAll("-", "").match(/../g) ?? [], (byte) =>
      Number.parseInt(byte, 16)
    )
    const hashed = await crypto.subtle.digest("SHA-1", Uint8Array.of(...parent, ...new TextEncoder().encode(name)))
    return Uuid.fromBytes(new Uint8Array(hashed), 5)
  })
