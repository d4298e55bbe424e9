import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AudioFormat, Encoding } from "../../AudioFormat.js"

/** The byte of silence. G.711 inverts bits on the line; A-law has no zero, and this is its smallest positive value. */
const silentByte: Partial<Record<Encoding, number>> = { pcm8: 0x80, alaw: 0xd5, mulaw: 0xff }

const blockLength = 64 * 1024

/** Silence of so many bytes, in blocks of their own memory. */
export const silenceOf = ({ encoding }: AudioFormat, byteLength: number): Stream.Stream<Uint8Array> =>
  Stream.unfold(byteLength, (left) => {
    const length = Math.min(blockLength, left)
    return length === 0
      ? Option.none()
      : Option.some([new Uint8Array(length).fill(silentByte[encoding] ?? 0), left - length])
  })
