/**
 * Audio as every module takes and gives it: a format, and its bytes as a `Stream`.
 */
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { bytesPerFrame, describe } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"
import { asValue } from "./internal/pcm/audioFormat.js"
import { through } from "./internal/pcm/blocks.js"
import { type FadeOptions, fadeFrames, makeFader } from "./internal/pcm/fading.js"
import { makeFrames } from "./internal/pcm/frames.js"
import { make, type PcmStream } from "./internal/pcm/pcmStream.js"
import { silentBlock, silentBytes } from "./internal/pcm/silence.js"
import { makeTrimmer, type TrimOptions, trimmingOf } from "./internal/pcm/trimming.js"

export type { FadeOptions } from "./internal/pcm/fading.js"
export { type MakeOptions, make, type PcmStream } from "./internal/pcm/pcmStream.js"
export type { TrimOptions } from "./internal/pcm/trimming.js"

/**
 * Makes audio from bytes in memory. The stream can run as often as you like. For a stream of bytes, use {@link make}.
 *
 * @example
 * ```ts
 * import { PcmStream, Wav } from "@effect-speech/audio-codec"
 *
 * const audio = PcmStream.fromBytes({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(16_000))
 * console.log(Wav.contentLength(audio)) // 16044
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBytes = (format: AudioFormat, bytes: Uint8Array): PcmStream =>
  make(format, Stream.make(bytes), { byteLength: bytes.byteLength })

/**
 * Collects all bytes into one array, so memory grows with the audio. Use it to run the audio of a file or a response twice, by
 * {@link fromBytes}.
 *
 * Fails with the errors of `audio`.
 *
 * @example
 * ```ts
 * import { PcmStream } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * // Audio in memory, which can run again.
 * export const inMemory = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   PcmStream.collect(audio).pipe(Effect.map((bytes) => PcmStream.fromBytes(audio.format, bytes)))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const collect = <E, R>(audio: PcmStream<E, R>): Effect.Effect<Uint8Array, E, R> =>
  Effect.map(Stream.runCollect(audio.stream), (chunks) => concatBytes(Chunk.toReadonlyArray(chunks)))

/**
 * Runs an effect for each chunk: for progress, or a log. The bytes stay the same, and so does their length. If the effect fails, the
 * stream fails with its error.
 *
 * @example
 * ```ts
 * import { AudioFormat, PcmStream } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const logged = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   PcmStream.tap(audio, ({ byteLength }) =>
 *     Effect.logDebug(`${AudioFormat.durationMillis(audio.format, byteLength)} ms`)
 *   )
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const tap: {
  <X, E2, R2>(
    effect: (chunk: Uint8Array) => Effect.Effect<X, E2, R2>
  ): <E, R>(audio: PcmStream<E, R>) => PcmStream<E | E2, R | R2>
  <E, R, X, E2, R2>(
    audio: PcmStream<E, R>,
    effect: (chunk: Uint8Array) => Effect.Effect<X, E2, R2>
  ): PcmStream<E | E2, R | R2>
} = dual(2, <E, R, X, E2, R2>(audio: PcmStream<E, R>, effect: (chunk: Uint8Array) => Effect.Effect<X, E2, R2>) =>
  make(audio.format, Stream.tap(audio.stream, effect), audio)
)

/**
 * Changes the error of the stream. The length stays.
 *
 * @example
 * ```ts
 * import { PcmStream, type Wav } from "@effect-speech/audio-codec"
 *
 * export const withSentence = (audio: PcmStream.PcmStream<Wav.WavError>) =>
 *   PcmStream.mapError(audio, ({ message }) => message)
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export const mapError: {
  <E, E2>(change: (error: E) => E2): <R>(audio: PcmStream<E, R>) => PcmStream<E2, R>
  <E, R, E2>(audio: PcmStream<E, R>, change: (error: E) => E2): PcmStream<E2, R>
} = dual(2, <E, R, E2>(audio: PcmStream<E, R>, change: (error: E) => E2) =>
  make(audio.format, Stream.mapError(audio.stream, change), audio)
)

/**
 * Changes the stream, which keeps its format. The length of the result is unknown. If you know it, use
 * `make(audio.format, changed, { byteLength })`. The changed stream must be whole samples of this format again.
 *
 * @example
 * ```ts
 * import { PcmStream } from "@effect-speech/audio-codec"
 * import { Stream } from "effect"
 *
 * // Fails if no chunk arrives for ten seconds.
 * export const impatient = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   PcmStream.mapStream(audio, (stream) => Stream.timeoutFail(stream, () => "too slow", "10 seconds"))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const mapStream: {
  <E, R, E2, R2>(
    change: (stream: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Uint8Array, E2, R2>
  ): (audio: PcmStream<E, R>) => PcmStream<E2, R2>
  <E, R, E2, R2>(
    audio: PcmStream<E, R>,
    change: (stream: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Uint8Array, E2, R2>
  ): PcmStream<E2, R2>
} = dual(
  2,
  <E, R, E2, R2>(
    audio: PcmStream<E, R>,
    change: (stream: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Uint8Array, E2, R2>
  ) => make(audio.format, change(audio.stream))
)

const wholeFrames = (format: AudioFormat, byteLength: number | undefined): number | undefined =>
  byteLength === undefined ? undefined : byteLength - (byteLength % bytesPerFrame(format))

type Part = PcmStream<unknown, unknown>
type ErrorOf<Audio> = Audio extends PcmStream<infer E, unknown> ? E : never
type ContextOf<Audio> = Audio extends PcmStream<unknown, infer R> ? R : never

/**
 * Joins audio, one part after another. An incomplete frame at the end of a part is dropped, so that it does not shift the
 * next one. A part runs after the one before it has ended. If a part fails, the result fails with its error.
 *
 * Throws a `RangeError` if the parts have more than one format.
 *
 * @example
 * ```ts
 * import { PcmStream } from "@effect-speech/audio-codec"
 *
 * export const withPause = <E, R>(first: PcmStream.PcmStream<E, R>, second: PcmStream.PcmStream<E, R>) =>
 *   PcmStream.concat([first, PcmStream.silence(first.format, "300 millis"), second])
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const concat = <const Parts extends readonly [Part, ...ReadonlyArray<Part>]>(
  parts: Parts
): PcmStream<ErrorOf<Parts[number]>, ContextOf<Parts[number]>> => {
  const format = asValue(parts[0].format)
  for (const part of parts) {
    if (!Equal.equals(asValue(part.format), format)) {
      throw new RangeError(
        `All parts must have one format, not ${describe(format)} and ${describe(part.format)}; convert one of them.`
      )
    }
  }
  const byteLength = parts.reduce<number | undefined>((sum, { byteLength }) => {
    const length = wholeFrames(format, byteLength)
    return sum === undefined || length === undefined ? undefined : sum + length
  }, 0)
  const joined = Stream.flatMap(Stream.fromIterable(parts), ({ stream }) =>
    Stream.suspend(() => Stream.mapConcat(stream, makeFrames(bytesPerFrame(format))))
  )
  return make(format, joined as Stream.Stream<Uint8Array, ErrorOf<Parts[number]>, ContextOf<Parts[number]>>, {
    byteLength
  })
}

/**
 * Silence in blocks of about 64 KiB, rounded to whole frames. It is 128 in `pcm8`, 0xD5 in A-law (its smallest value), 0xFF
 * in mu-law, and 0 in other encodings.
 *
 * Throws a `RangeError` if the duration is infinite, or a negative number. `Duration` takes another negative one, such as `"-1 second"`,
 * for 0.
 *
 * @example
 * ```ts
 * import { PcmStream, Telephony } from "@effect-speech/audio-codec"
 *
 * console.log(PcmStream.silence(Telephony.format, "250 millis").byteLength) // 4000
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const silence = (format: AudioFormat, duration: Duration.DurationInput): PcmStream => {
  const byteLength = silentBytes(format, duration)
  const blocks = Stream.unfold(byteLength, (left) => {
    const block = silentBlock(format, left)
    return block.byteLength === 0 ? Option.none() : Option.some([block, left - block.byteLength])
  })
  return make(format, blocks, { byteLength })
}

/** Whether a function was called with its subject first. */
const isDataFirst = (args: IArguments): boolean => Predicate.hasProperty(args[0], "stream")

/**
 * Fades audio in and out along a raised cosine, so that it starts and ends without a click. Other bytes stay as they are. An
 * incomplete frame at the end is dropped. If the audio is shorter than both fades, they overlap.
 *
 * Throws a `RangeError` if a duration is infinite, or a negative number, as of {@link silence}. The stream fails with the errors of `audio`.
 *
 * @example
 * ```ts
 * import { PcmStream } from "@effect-speech/audio-codec"
 *
 * export const softened = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   audio.pipe(PcmStream.fade({ in: "10 millis", out: "50 millis" }))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const fade: {
  (options?: FadeOptions): <E, R>(audio: PcmStream<E, R>) => PcmStream<E, R>
  <E, R>(audio: PcmStream<E, R>, options?: FadeOptions): PcmStream<E, R>
} = dual(isDataFirst, <E, R>(audio: PcmStream<E, R>, options: FadeOptions = {}): PcmStream<E, R> => {
  const { format } = audio
  const lengths = fadeFrames(format, options)
  return make(
    format,
    through(audio.stream, () => makeFader(format, lengths)),
    { byteLength: wholeFrames(format, audio.byteLength) }
  )
})

/**
 * Drops the silence at the start and at the end, and keeps that between sounds. A window of 10 ms, counted from the first
 * frame, is silent if each channel is. Audio that is all silent becomes empty. The length of the result is unknown.
 *
 * A silence is held back until the next sound. Equal windows are held as one window and a count. If the windows differ, at most
 * the last minute is held; the part before it is emitted, even if no sound follows.
 *
 * Throws a `RangeError` if the threshold is 0 dB or more, or the duration infinite, or a negative number, as of {@link silence}. The
 * stream fails with the errors of `audio`.
 *
 * @example
 * ```ts
 * import { PcmStream, Telephony } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * const silent = PcmStream.silence(Telephony.format, "1 second")
 * console.log(Effect.runSync(PcmStream.collect(PcmStream.trim(silent, { keep: "20 millis" }))).length) // 0
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const trim: {
  (options?: TrimOptions): <E, R>(audio: PcmStream<E, R>) => PcmStream<E, R>
  <E, R>(audio: PcmStream<E, R>, options?: TrimOptions): PcmStream<E, R>
} = dual(isDataFirst, <E, R>(audio: PcmStream<E, R>, options: TrimOptions = {}): PcmStream<E, R> => {
  const trimming = trimmingOf(audio.format, options)
  return make(
    audio.format,
    through(audio.stream, () => makeTrimmer(audio.format, trimming))
  )
})
