/**
 * Finds the pauses of a recording, and splits it at quiet points. For speech in noise, `Quiet` cuts better.
 *
 * Loudness is the root mean square of one channel, in windows of 10 ms.
 */
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import { dual } from "effect/Function"
import type * as Stream from "effect/Stream"
import { type Converter, startsWithData, streamed } from "./internal/pcm/blocks.js"
import { longestMillis, makePieceCutter } from "./internal/pcm/cutter.js"
import { finiteMillis } from "./internal/pcm/durations.js"
import { energyOf } from "./internal/pcm/silence.js"

/**
 * A pause, in samples of one channel from the start of the recording.
 *
 * @since 0.1.0
 * @category models
 */
export class Pause extends Data.Class<{
  /** Its first sample. */
  readonly startSample: number
  /** The first sample after it. */
  readonly endSample: number
}> {}

/**
 * Options of {@link pauses}, {@link pausesStream} and {@link unsafeMakePauseFinder}.
 *
 * @example
 * ```ts
 * import type { Silence } from "@effect-speech/audio-codec"
 *
 * export const longPauses: Silence.PauseOptions = { minimum: "2 seconds", thresholdDecibels: -45 }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface PauseOptions {
  /** Loudness below which a window is silent, in dB, less than 0. A sine of full scale has -3 dB. Default: -40. */
  readonly thresholdDecibels?: number | undefined
  /** Duration of the shortest pause, 0 or longer. Default: 300 milliseconds. */
  readonly minimum?: Duration.DurationInput | undefined
}

const windowMillis = 10

/** Divides a signal into windows. The last one may be shorter. */
const makeWindows = (sampleRate: number) => {
  if (!(sampleRate >= 1 && Number.isFinite(sampleRate)))
    throw new RangeError(`The sample rate must be at least 1 Hz, not ${sampleRate}.`)
  const length = Math.max(1, Math.round((sampleRate * windowMillis) / 1000))
  let energy = 0
  let filled = 0
  const take = (): number => {
    const mean = energy / filled
    energy = 0
    filled = 0
    return mean
  }
  return {
    length,
    /** Returns the mean energy of each window that these samples complete. */
    push: (samples: Float32Array): ReadonlyArray<number> => {
      const energies: Array<number> = []
      for (let offset = 0; offset < samples.length; ) {
        const end = Math.min(samples.length, offset + length - filled)
        // A variable of the loop: the engine boxes one of the closure at each sample.
        let sum = energy
        for (let index = offset; index < end; index++) sum += (samples[index] as number) * (samples[index] as number)
        energy = sum
        filled += end - offset
        offset = end
        if (filled === length) energies.push(take())
      }
      return energies
    },
    /** The number of samples in the incomplete window. */
    rest: () => filled,
    flush: (): ReadonlyArray<number> => (filled === 0 ? [] : [take()])
  }
}

/**
 * Finds pauses in samples that arrive in blocks, each when it has ended. {@link unsafeMakePauseFinder} makes one for each recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface PauseFinder extends Converter<Float32Array, Pause> {}

/**
 * Makes a finder for one recording of one channel, for code without Effect.
 *
 * Throws a `RangeError` if the threshold is 0 dB or more, if the duration is infinite or a negative number, or if the rate is below 1 Hz
 * or infinite.
 *
 * @example
 * ```ts
 * import { Silence } from "@effect-speech/audio-codec"
 *
 * const finder = Silence.unsafeMakePauseFinder(8000, { minimum: "500 millis" })
 * const pauses = [...finder.push(new Float32Array(8000)), ...finder.flush()]
 * console.log(pauses.map(({ endSample }) => endSample)) // [ 8000 ]
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const unsafeMakePauseFinder = (sampleRate: number, options: PauseOptions = {}): PauseFinder => {
  const quiet = energyOf(options.thresholdDecibels ?? -40)
  const minimum = (finiteMillis("shortest pause", options.minimum ?? 300) / 1000) * sampleRate
  const windows = makeWindows(sampleRate)
  let position = 0
  let start: number | undefined

  const end = (): ReadonlyArray<Pause> => {
    const startSample = start
    start = undefined
    return startSample !== undefined && position - startSample >= minimum
      ? [new Pause({ startSample, endSample: position })]
      : []
  }
  const add = (energy: number, length: number): ReadonlyArray<Pause> => {
    const pauses = energy < quiet ? [] : end()
    if (energy < quiet) start ??= position
    position += length
    return pauses
  }
  return {
    push: (samples) => windows.push(samples).flatMap((energy) => add(energy, windows.length)),
    flush: () => {
      const rest = windows.rest()
      return [...windows.flush().flatMap((energy) => add(energy, rest)), ...end()]
    }
  }
}

/**
 * Finds the pauses of a whole recording of one channel. To cut a recording in its pauses, use `Quiet`.
 *
 * Throws a `RangeError` as {@link unsafeMakePauseFinder} does.
 *
 * @example
 * ```ts
 * import { Silence } from "@effect-speech/audio-codec"
 *
 * const samples = new Float32Array(3 * 8000).fill(0.5, 0, 8000).fill(0.5, 16_000)
 * const [pause] = Silence.pauses(samples, 8000)
 * console.log(pause?.startSample, pause?.endSample) // 8000 16000
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const pauses: {
  (sampleRate: number, options?: PauseOptions): (samples: Float32Array) => ReadonlyArray<Pause>
  (samples: Float32Array, sampleRate: number, options?: PauseOptions): ReadonlyArray<Pause>
} = dual(startsWithData, (samples: Float32Array, sampleRate: number, options?: PauseOptions): ReadonlyArray<Pause> => {
  const finder = unsafeMakePauseFinder(sampleRate, options)
  return [...finder.push(samples), ...finder.flush()]
})

/**
 * Finds the pauses in a stream of blocks of one channel, each as soon as it ends.
 *
 * Fails with the errors of `blocks`. It dies with the `RangeError` of {@link unsafeMakePauseFinder}.
 *
 * @example
 * ```ts
 * import { Pcm, type PcmStream, Silence } from "@effect-speech/audio-codec"
 * import { Stream } from "effect"
 *
 * export const countPauses = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   Pcm.decodeStream(audio).pipe(
 *     Silence.pausesStream(audio.format.sampleRate, { minimum: "1 second" }),
 *     Stream.runCount
 *   )
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const pausesStream: {
  (
    sampleRate: number,
    options?: PauseOptions
  ): <E, R>(blocks: Stream.Stream<Float32Array, E, R>) => Stream.Stream<Pause, E, R>
  <E, R>(
    blocks: Stream.Stream<Float32Array, E, R>,
    sampleRate: number,
    options?: PauseOptions
  ): Stream.Stream<Pause, E, R>
} = streamed(unsafeMakePauseFinder)

/**
 * A piece of a recording. All pieces together are the recording, sample for sample.
 *
 * @since 0.1.0
 * @category models
 */
export interface Piece {
  /** Its first sample, counted from the start of the recording. */
  readonly startSample: number
  /** Its samples. */
  readonly samples: Float32Array
}

/**
 * Splits a recording that arrives in blocks. The last piece may be short. {@link unsafeMakeSplitter} makes one for each recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface Splitter extends Converter<Float32Array, Piece> {}

/** The length of a quiet point, in windows: 200 ms. A piece ends in its middle. */
const quietWindows = 20

/**
 * Makes a splitter for one recording of one channel, for code without Effect. It cuts at the quietest 200 ms of the second half of the
 * longest possible piece, so it needs no threshold. For speech in noise, `Quiet.unsafeMakeCutter` cuts fewer words.
 *
 * No piece is longer than `maximum`, which is at least a second. The pieces together are the whole recording. The splitter
 * holds at most one piece in memory, and no more than the samples that it received.
 *
 * Throws a `RangeError` if the maximum is below a second, or the rate below 1 Hz, or one of them is infinite.
 *
 * @example
 * ```ts
 * import { Silence } from "@effect-speech/audio-codec"
 *
 * const splitter = Silence.unsafeMakeSplitter(8000, "10 seconds")
 * const pieces = [...splitter.push(new Float32Array(8000 * 25)), ...splitter.flush()]
 * console.log(pieces.reduce((sum, { samples }) => sum + samples.length, 0)) // 200000
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const unsafeMakeSplitter = (sampleRate: number, maximum: Duration.DurationInput): Splitter => {
  const maximumMillis = longestMillis(maximum)
  const windows = makeWindows(sampleRate)
  const longest = Math.floor((maximumMillis * sampleRate) / 1000 / windows.length)
  let energies: Array<number> = []

  /** The window before which to cut: the last one if no window is the quietest. */
  const quietest = (): number => {
    let best = longest
    let lowest = Number.POSITIVE_INFINITY
    for (let first = Math.floor(longest / 2); first + quietWindows <= longest; first++) {
      let energy = 0
      for (let index = first; index < first + quietWindows; index++) energy += energies[index] as number
      // If several are equally quiet, take the last, so that a long silence makes few pieces.
      if (energy <= lowest) {
        lowest = energy
        best = first + quietWindows / 2
      }
    }
    return best
  }
  return makePieceCutter({
    longest: longest * windows.length,
    measure: (samples) => {
      for (const energy of windows.push(samples)) energies.push(energy)
    },
    cut: () => {
      const at = quietest()
      energies = energies.slice(at)
      return { length: at * windows.length, details: {} }
    },
    last: {}
  })
}

/**
 * Splits a stream of blocks of one channel as {@link unsafeMakeSplitter} does.
 *
 * Fails with the errors of `blocks`. It dies with the `RangeError` of {@link unsafeMakeSplitter}.
 *
 * @example
 * ```ts
 * import { Pcm, type PcmStream, Silence } from "@effect-speech/audio-codec"
 *
 * export const pieces = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   Pcm.decodeStream(audio).pipe(Silence.splitStream(audio.format.sampleRate, "5 minutes"))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const splitStream: {
  (
    sampleRate: number,
    maximum: Duration.DurationInput
  ): <E, R>(blocks: Stream.Stream<Float32Array, E, R>) => Stream.Stream<Piece, E, R>
  <E, R>(
    blocks: Stream.Stream<Float32Array, E, R>,
    sampleRate: number,
    maximum: Duration.DurationInput
  ): Stream.Stream<Piece, E, R>
} = streamed(unsafeMakeSplitter)
