import type * as Duration from "effect/Duration"
import { type AudioFormat, bytesPerFrame, type Encoding } from "../../AudioFormat.js"
import { framesOf } from "./durations.js"

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

/** The bytes of a silence. */
export const silentBytes = (format: AudioFormat, duration: Duration.DurationInput): number =>
  framesOf(format, "duration of a silence", duration) * bytesPerFrame(format)

/** A block of silence, with its own memory. `left` is how many bytes of silence are needed. */
export const silentBlock = ({ encoding }: AudioFormat, left: number): Uint8Array =>
  new Uint8Array(Math.min(blockLength, left)).fill(silentByte[encoding] ?? 0)
