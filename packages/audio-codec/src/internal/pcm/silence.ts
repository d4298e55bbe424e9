import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AudioFormat, Encoding } from "../../AudioFormat.js"

/** The byte of silence. G.711 inverts bits on the line; A-law has no zero, and this is its smallest positive value. */
const silentByte: Partial<Record<Encoding, number>> = { pcm8: 0x80, alaw: 0xd5, mulaw: 0xff }

/**
 * The mean of squares of a threshold of loudness.
 *
 * @throws RangeError if the threshold is 0 dB or more.
 */
export const energyOf = (thresholdDecibels: number): number => {
  if (thresholdDecibels < 0) return 10 ** (thresholdDecibels / 10)
  throw new RangeError(`The threshold of silence must be below 0 dB, not ${thresholdDecibels}.`)
}

const blockLength = 64 * 1024

/** Silence of a length in bytes. Each block has its own memory. */
export const silenceOf = ({ encoding }: AudioFormat, byteLength: number): Stream.Stream<Uint8Array> =>
  Stream.unfold(byteLength, (left) => {
    const length = Math.min(blockLength, left)
    return length === 0
      ? Option.none()
      : Option.some([new Uint8Array(length).fill(silentByte[encoding] ?? 0), left - length])
  })
