/**
 * Converts audio to the format of telephony: one channel, 8 kHz, 16 bits.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { type AudioFormat, bytesPerFrame } from "./AudioFormat.js"
import { blockSamples, bytesRegion, kernel, regionSamples, samplesRegion } from "./internal/kernel/kernel.js"
import { asValue } from "./internal/pcm/audioFormat.js"
import { startsWithData, throughOne } from "./internal/pcm/blocks.js"
import { conversion } from "./internal/pcm/conversion.js"
import { checkChannels, makeFrames } from "./internal/pcm/frames.js"
import { make, type PcmStream } from "./internal/pcm/pcmStream.js"
import { makePolyphase, minimumRaisedRate } from "./internal/resampling/polyphase.js"
import { wavError } from "./internal/wav/wavError.js"
import { type OpenWav, openWav, openWavFile, samplesLength } from "./internal/wav/wavReader.js"
import type { EncodedStream } from "./Pcm.js"
import type { WavError } from "./WavError.js"

/**
 * The format of telephony, 8000 Hz, one channel, `pcm16`: the models of the service are trained on it.
 *
 * @example
 * ```ts
 * import { PcmStream, Telephony } from "@effect-speech/audio-codec"
 *
 * export const fromSamples = (samples: Int16Array) =>
 *   PcmStream.fromBytes(Telephony.format, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const format: AudioFormat = /* @__PURE__ */ asValue({ sampleRate: 8000, channels: 1, encoding: "pcm16" })

/**
 * Converts bytes that arrive in chunks to {@link format}. {@link unsafeMake} makes one for each recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface Converter {
  /** Returns the output that these bytes complete. They may end anywhere. */
  readonly push: (bytes: Uint8Array) => Uint8Array
  /**
   * Returns the rest, as if silence followed. Do not push after it. For n whole frames of input there are
   * ceil(n * 8000 / rate) frames of output.
   */
  readonly flush: () => Uint8Array
  /** The number of samples that were clamped so far: a filter may overshoot full scale. */
  readonly clipped: () => number
}

/**
 * Makes a converter for one recording, for code without Effect. It mixes the channels down to their mean. To convert one channel alone,
 * use `Channels.pick` and `Resampler`. For a stream, use {@link telephony}.
 *
 * Throws a `RangeError` for a rate or a number of channels that no WAV file has, and for a rate below 1,000 Hz, which holds no
 * speech.
 *
 * @example
 * ```ts
 * import { Telephony } from "@effect-speech/audio-codec"
 *
 * const converter = Telephony.unsafeMake({ sampleRate: 48_000, channels: 2, encoding: "pcm16" })
 * const second = new Uint8Array(48_000 * 4)
 * console.log(converter.push(second).byteLength + converter.flush().byteLength) // 16000
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const unsafeMake = (source: AudioFormat): Converter => {
  const { channels, encoding, sampleRate } = source
  checkChannels(channels)
  const wholeFrames = makeFrames(bytesPerFrame(source))
  const frame = bytesPerFrame(source)
  const polyphase = makePolyphase(kernel, sampleRate, format.sampleRate)
  const block = Math.min(blockSamples, Math.floor(regionSamples / channels))
  let clipped = 0

  /** Decodes and mixes down the frames in `bytesRegion`. */
  const toMono = (frames: number): void => {
    if (channels === 1) {
      conversion.decode(encoding, polyphase.input(), frames)
    } else if (channels === 2 && encoding === "pcm16") {
      kernel.meanPcm16(bytesRegion, polyphase.input(), frames)
    } else {
      conversion.decode(encoding, samplesRegion, frames * channels)
      kernel.mixdown(samplesRegion, polyphase.input(), frames, channels)
    }
  }
  const collect = (count: number, run: (sink: (pointer: number, count: number) => void) => void): Uint8Array => {
    const output = new Uint8Array(2 * count)
    let filled = 0
    polyphase.begin()
    run((pointer, count) => {
      clipped += conversion.encode(format.encoding, pointer, count)
      output.set(conversion.bytes.subarray(bytesRegion, bytesRegion + 2 * count), filled)
      filled += 2 * count
    })
    polyphase.end()
    return output
  }

  return {
    push: (bytes) => {
      const parts = wholeFrames(bytes)
      if (parts.length === 0) return new Uint8Array(0)
      const frames = parts.reduce((sum, part) => sum + part.byteLength / frame, 0)
      return collect(polyphase.completedBy(frames), (sink) => {
        for (const frames of parts) {
          for (let offset = 0; offset < frames.byteLength; offset += block * frame) {
            const part = frames.subarray(offset, offset + block * frame)
            conversion.bytes.set(part, bytesRegion)
            toMono(part.byteLength / frame)
            polyphase.feed(part.byteLength / frame, sink)
          }
        }
      })
    },
    flush: () => collect(polyphase.remaining(), polyphase.finish),
    clipped: () => clipped
  }
}

/**
 * Converts audio of any format in one pass. Memory does not grow with the audio. The result has a `byteLength` if `audio` has one.
 *
 * For a WAV file, {@link readFile} and {@link decodeStream} do both at once.
 *
 * Fails with the errors of `audio`. For a format that {@link unsafeMake} refuses, the stream dies with its `RangeError`; {@link readFile}
 * and {@link decodeStream} fail instead.
 *
 * @example
 * ```ts
 * import { type PcmStream, telephony, Wav } from "@effect-speech/audio-codec"
 *
 * export const save = <E, R>(audio: PcmStream.PcmStream<E, R>, path: string) => Wav.writeFile(telephony(audio), path)
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const telephony = <E, R>(audio: PcmStream<E, R>): EncodedStream<E, R> => {
  const frames = audio.byteLength === undefined ? undefined : Math.floor(audio.byteLength / bytesPerFrame(audio.format))
  const byteLength =
    frames === undefined ? undefined : 2 * Math.ceil((frames * format.sampleRate) / audio.format.sampleRate)
  let clipped = () => 0
  const converted = throughOne(audio.stream, () => {
    const converter = unsafeMake(audio.format)
    clipped = converter.clipped
    return converter
  })
  return Object.assign(make(format, converted, { byteLength }), { clipped: Effect.sync(() => clipped()) })
}

/** Converts a WAV file, unless its rate is too low. */
const convert = <E>({ audio, layout }: OpenWav<E>): Effect.Effect<EncodedStream<E>, WavError> => {
  const { sampleRate } = audio.format
  return sampleRate < minimumRaisedRate
    ? Effect.fail(
        wavError(
          "Unsupported",
          { offset: layout.rate, expected: `${minimumRaisedRate} Hz or more`, found: `${sampleRate} Hz` },
          "The sample rate of this WAV file is too low for speech; correct its header, or record it at 8000 Hz"
        )
      )
    : Effect.succeed(telephony(audio))
}

/**
 * Reads a WAV file as it arrives, and converts it. As with `Wav.decodeStream`, the stream can run once, inside the scope.
 *
 * `fileLength` is the size of the whole file in bytes. With it, the result has a `byteLength`.
 *
 * Fails with `WavError` if the bytes are not a WAV file that `Wav` reads; of reason `Unsupported` also if the rate is below 1,000 Hz. Fails
 * with the errors of `file`.
 *
 * @example
 * ```ts
 * import { Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Effect, type Stream } from "effect"
 *
 * export const saveUpload = <E, R>(upload: Stream.Stream<Uint8Array, E, R>, path: string) =>
 *   Telephony.decodeStream(upload).pipe(
 *     Effect.flatMap((audio) => Wav.writeFile(audio, path)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeStream: {
  (
    fileLength: number | undefined
  ): <E, R>(
    file: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<EncodedStream<E | WavError>, E | WavError, R | Scope.Scope>
  <E, R>(
    file: Stream.Stream<Uint8Array, E, R>,
    fileLength?: number | undefined
  ): Effect.Effect<EncodedStream<E | WavError>, E | WavError, R | Scope.Scope>
} = dual(
  startsWithData,
  <E, R>(
    file: Stream.Stream<Uint8Array, E, R>,
    fileLength?: number | undefined
  ): Effect.Effect<EncodedStream<E | WavError>, E | WavError, R | Scope.Scope> =>
    Effect.flatMap(openWav(file), ({ audio: { format, stream }, layout }) =>
      convert({
        audio: make(format, stream, {
          byteLength: fileLength === undefined ? undefined : samplesLength(format, layout, fileLength)
        }),
        layout
      })
    )
)

/**
 * Reads and converts a WAV file. The stream can run once, inside the scope. For recordings of other containers, use
 * `AudioDecoder.decodeFile` and {@link telephony}.
 *
 * Fails with `WavError` as {@link decodeStream} does, and with a `PlatformError` if the file can't be opened or read.
 *
 * @example
 * ```ts
 * import { Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const convert = (from: string, to: string) =>
 *   Telephony.readFile(from).pipe(
 *     Effect.flatMap((audio) => Wav.writeFile(audio, to)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const readFile = (
  path: string
): Effect.Effect<
  EncodedStream<WavError | PlatformError>,
  WavError | PlatformError,
  FileSystem.FileSystem | Scope.Scope
> =>
  // Each block is converted before the next one is read into the same memory.
  Effect.flatMap(openWavFile(path), convert)
