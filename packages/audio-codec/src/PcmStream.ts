/**
 * Audio as every module takes and gives it: a format, and its bytes as a `Stream`.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { bytesPerFrame, describe } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"
import { through } from "./internal/pcm/blocks.js"
import { makeFader } from "./internal/pcm/fading.js"
import { makeFrames } from "./internal/pcm/frames.js"
import type { PcmStream } from "./internal/pcm/pcmStream.js"
import { energyOf, silenceOf } from "./internal/pcm/silence.js"
import { makeTrimmer } from "./internal/pcm/trimming.js"

export type { PcmStream } from "./internal/pcm/pcmStream.js"

/** Audio in memory. */
export const fromBytes = (format: AudioFormat, bytes: Uint8Array): PcmStream => ({
  format,
  byteLength: bytes.byteLength,
  stream: Stream.make(bytes)
})

/** Collects all bytes into one array, so memory grows with the audio. */
export const collect = <E, R>(audio: PcmStream<E, R>): Effect.Effect<Uint8Array, E, R> =>
  Effect.map(Stream.runCollect(audio.stream), (chunks) => concatBytes(Chunk.toReadonlyArray(chunks)))

const wholeFrames = (format: AudioFormat, byteLength: number | undefined): number | undefined =>
  byteLength === undefined ? undefined : byteLength - (byteLength % bytesPerFrame(format))

/** The frames that last `millis`. */
const framesOf = ({ sampleRate }: AudioFormat, name: string, millis: number): number => {
  if (!(millis >= 0 && Number.isFinite(millis))) {
    throw new RangeError(`The ${name} must be 0 ms or more, not ${millis}.`)
  }
  return Math.round((millis * sampleRate) / 1000)
}

/**
 * Joins audio, one part after another. An incomplete frame at the end of a part is dropped, so that it does not shift the
 * next one. Each part runs only when the one before has ended.
 *
 * @throws RangeError if the parts have more than one format.
 */
export const concat = <E = never, R = never>(
  parts: readonly [PcmStream<E, R>, ...ReadonlyArray<PcmStream<E, R>>]
): PcmStream<E, R> => {
  const [{ format }] = parts
  for (const part of parts) {
    if (describe(part.format) !== describe(format)) {
      throw new RangeError(
        `All parts must have one format, not ${describe(format)} and ${describe(part.format)}; convert one of them.`
      )
    }
  }
  return {
    format,
    byteLength: parts.reduce<number | undefined>((sum, { byteLength }) => {
      const length = wholeFrames(format, byteLength)
      return sum === undefined || length === undefined ? undefined : sum + length
    }, 0),
    stream: Stream.flatMap(Stream.fromIterable(parts), ({ stream }) =>
      Stream.suspend(() => Stream.mapConcat(stream, makeFrames(bytesPerFrame(format))))
    )
  }
}

/**
 * Silence in blocks of about 64 KiB, rounded to whole frames. It is 128 in `pcm8`, 0xD5 in A-law (its smallest value), 0xFF
 * in mu-law, and 0 in other encodings.
 *
 * @throws RangeError if the duration is negative or infinite.
 */
export const silence = (format: AudioFormat, durationMillis: number): PcmStream => {
  const byteLength = framesOf(format, "duration of a silence", durationMillis) * bytesPerFrame(format)
  return { format, byteLength, stream: silenceOf(format, byteLength) }
}

export interface FadeOptions {
  /** Duration of the rise at the start, in milliseconds. Default: 5. */
  readonly inMillis?: number | undefined
  /** Duration of the fall at the end, in milliseconds. The stream is delayed by as much. Default: 5. */
  readonly outMillis?: number | undefined
}

/**
 * Fades audio in and out along a raised cosine, so that it starts and ends without a click. Other bytes stay as they are. An
 * incomplete frame at the end is dropped. If the audio is shorter than both fades, they overlap.
 *
 * @throws RangeError if a duration is negative or infinite.
 */
export const fade = <E, R>(audio: PcmStream<E, R>, options: FadeOptions = {}): PcmStream<E, R> => {
  const { inMillis = 5, outMillis = 5 } = options
  const lengths = {
    in: framesOf(audio.format, "fade at the start", inMillis),
    out: framesOf(audio.format, "fade at the end", outMillis)
  }
  return {
    format: audio.format,
    byteLength: wholeFrames(audio.format, audio.byteLength),
    stream: through(audio.stream, () => makeFader(audio.format, lengths))
  }
}

export interface TrimOptions {
  /** Loudness below which a window of 10 ms is silent, in dB, less than 0. A sine of full scale has -3 dB. Default: -50. */
  readonly thresholdDecibels?: number | undefined
  /** Duration of the silence that stays at each end, in milliseconds; less if the audio has less. Default: 40. */
  readonly keepMillis?: number | undefined
}

/**
 * Drops the silence at the start and at the end, and keeps that between sounds. A window of 10 ms, counted from the first
 * frame, is silent if each channel is. Audio that is all silent becomes empty.
 *
 * A silence is held back until the next sound. Equal windows are held as one window and a count. If the windows differ, at most
 * the last minute is held; the part before it is emitted, even if no sound follows.
 *
 * @throws RangeError if the threshold is 0 dB or more, or the duration negative or infinite.
 */
export const trim = <E, R>(audio: PcmStream<E, R>, options: TrimOptions = {}): PcmStream<E, R> => {
  const { keepMillis = 40, thresholdDecibels = -50 } = options
  const threshold = energyOf(thresholdDecibels)
  const trimming = { threshold, keep: framesOf(audio.format, "silence to keep", keepMillis) }
  return { format: audio.format, stream: through(audio.stream, () => makeTrimmer(audio.format, trimming)) }
}
