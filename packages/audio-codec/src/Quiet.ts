/**
 * Cuts a long recording of speech in its pauses, also if it is noisy.
 *
 * A pause is judged in four bands of a voice (200 to 3,400 Hz), each against its own floor, so that hiss, hum, a DC offset and
 * slow noise do not hide it. Neither loudness nor a DC offset moves a cut.
 */
import type * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import { type Converter, streamed } from "./internal/pcm/blocks.js"
import { longestMillis, makePieceCutter } from "./internal/pcm/cutter.js"
import { makeBands } from "./internal/quiet/bands.js"
import { type Cut, findCut } from "./internal/quiet/findCut.js"

/**
 * A piece of a recording. All pieces together are the recording, sample for sample.
 *
 * @since 0.1.0
 * @category models
 */
export interface Piece {
  /** Its first sample, counted from the start of the recording, at the rate of the recording. */
  readonly startSample: number
  /** Its samples. */
  readonly samples: Float32Array
  /**
   * | value   | the piece ends |
   * | ------- | -------------- |
   * | `pause` | in the middle of a pause |
   * | `quiet` | where it is quietest: there is no pause. A word may be cut. |
   * | `end`   | with the recording |
   */
  readonly ending: "pause" | "quiet" | "end"
}

/**
 * Options of {@link cutStream} and {@link unsafeMakeCutter}.
 *
 * @example
 * ```ts
 * import type { Quiet } from "@effect-speech/audio-codec"
 *
 * export const short: Quiet.CutOptions = { maximum: "30 seconds" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface CutOptions {
  /** Duration of the longest piece, from a second. Default: 5 minutes. */
  readonly maximum?: Duration.DurationInput | undefined
}

/**
 * Cuts a recording that arrives in blocks. The last piece may be short. {@link unsafeMakeCutter} makes one for each recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cutter extends Converter<Float32Array, Piece> {}

const frameMillis = 10

/** The lowest rate at which a recording has a part of a voice, in Hz. */
const minimumRate = 1000

/**
 * Makes a cutter for one recording of one channel, for code without Effect. In the second half of the longest possible piece, it cuts at
 * the first of these that exists:
 *
 * 1. the middle of the longest pause, if that has at least 300 ms
 * 2. the middle of the pause in the quietest 300 ms, if that has at least 100 ms
 * 3. the middle of the quietest 300 ms; the piece says so
 *
 * A band that lies above half the sample rate does not count. The cutter holds at most one piece in memory, and no more than
 * the samples that it received.
 *
 * Throws a `RangeError` if the maximum is below a second, or the rate below 1,000 Hz, or one of them is infinite.
 *
 * @example
 * ```ts
 * import { Quiet } from "@effect-speech/audio-codec"
 *
 * const cutter = Quiet.unsafeMakeCutter(8000, { maximum: "10 seconds" })
 * const recording = new Float32Array(8000 * 25)
 * const pieces = [...cutter.push(recording), ...cutter.flush()]
 * console.log(pieces.at(-1)?.ending) // end
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const unsafeMakeCutter = (sampleRate: number, options: CutOptions = {}): Cutter => {
  if (!(sampleRate >= minimumRate && Number.isFinite(sampleRate))) {
    throw new RangeError(`The sample rate must be at least ${minimumRate} Hz, not ${sampleRate}.`)
  }
  const maximumMillis = longestMillis(options.maximum ?? 300_000)
  const frame = Math.round((sampleRate * frameMillis) / 1000)
  const maximum = Math.floor((maximumMillis * sampleRate) / 1000 / frame)
  const bands = makeBands(sampleRate)
  let energies = new Float64Array(0)

  const measure = (samples: Float32Array, filled: number): void => {
    const length = Math.floor((filled + samples.length) / frame) * bands.count
    if (length > energies.length) {
      const more = new Float64Array(Math.min(maximum * bands.count, Math.max(length, 2 * energies.length)))
      more.set(energies)
      energies = more
    }
    for (let offset = 0; offset < samples.length; ) {
      const end = Math.min(samples.length, offset + frame - ((filled + offset) % frame))
      bands.add(samples, offset, end)
      offset = end
      if ((filled + offset) % frame === 0) bands.take(energies, ((filled + offset) / frame - 1) * bands.count)
    }
  }
  const cut = () => {
    const { ending, frame: at }: Cut = findCut(energies, bands.count, maximum)
    energies.copyWithin(0, at * bands.count)
    return { length: at * frame, details: { ending } }
  }
  return makePieceCutter<Pick<Piece, "ending">>({ longest: maximum * frame, measure, cut, last: { ending: "end" } })
}

/**
 * Cuts a stream of blocks of one channel as {@link unsafeMakeCutter} does. Each piece arrives as soon as it is complete.
 *
 * Fails with the errors of `blocks`. It dies with the `RangeError` of {@link unsafeMakeCutter}.
 *
 * @example
 * ```ts
 * import { Pcm, type PcmStream, Quiet } from "@effect-speech/audio-codec"
 * import { Effect, Stream } from "effect"
 *
 * export const logCuts = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   Pcm.decodeStream(audio).pipe(
 *     Quiet.cutStream(audio.format.sampleRate, { maximum: "2 minutes" }),
 *     Stream.runForEach(({ ending, startSample }) => Effect.logInfo(`${startSample}: ${ending}`))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const cutStream: {
  (
    sampleRate: number,
    options?: CutOptions
  ): <E, R>(blocks: Stream.Stream<Float32Array, E, R>) => Stream.Stream<Piece, E, R>
  <E, R>(
    blocks: Stream.Stream<Float32Array, E, R>,
    sampleRate: number,
    options?: CutOptions
  ): Stream.Stream<Piece, E, R>
} = streamed(unsafeMakeCutter)
