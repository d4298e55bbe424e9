import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import * as Channels from "@effect-speech/audio-codec/Channels"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as RecordingFile from "@effect-speech/audio-codec/RecordingFile"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as CompressedRecording from "@effect-speech/audio-decoder/unstable/CompressedRecording"
import { yieldToEventLoop } from "@effect-speech/common/Cooperative"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import type { Samples } from "@effect-speech/engine/Samples"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { maximumWhole } from "./samples.js"
import type { TemporaryFiles } from "./temporaryFiles.js"

export interface DecodeOptions {
  /** The longest duration of a recording, in seconds. */
  readonly maximumSeconds: number
  /** Sample rate of the result, in Hz. */
  readonly sampleRate: number
  /**
   * Where a compressed recording is stored before the first sample is read, so that its thread ends although the reader takes hours.
   * Default: it is decoded while it is read.
   */
  readonly temporaryFiles?: TemporaryFiles["Type"] | undefined
}

/** How many compressed recordings are decoded at once. Each has a thread. */
const permits = {
  call: Effect.unsafeMakeSemaphore(2),
  // For engines. A short recording does not wait for long ones.
  short: Effect.unsafeMakeSemaphore(4),
  long: Effect.unsafeMakeSemaphore(4),
  drawing: Effect.unsafeMakeSemaphore(1)
}

/** Who reads the samples: the recogniser of known recordings, an engine, or the waveform of the console. */
type Purpose = "call" | "engine" | "drawing"

/** In bytes: two minutes at 64 kbit/s. */
const longestShort = 2 ** 20

/** Waits until fewer recordings are decoded for this purpose. */
const decoderPermit = (path: string, purpose: Purpose): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { size } = yield* Effect.promise(() => stat(path))
    const permit = permits[purpose !== "engine" ? purpose : size > longestShort ? "long" : "short"]
    yield* Effect.acquireRelease(Effect.interruptible(permit.take(1)), () => permit.release(1))
  })

/** The sample rates that the service takes, in Hz. */
const rates = { from: 4000, to: 192_000 }

/**
 * Decodes a recording, and resamples it: mono. A short WAV file in memory is decoded at once, and any other recording in blocks, when it is
 * read. The error is a sentence for the response.
 */
export const readRecording = (
  recording: string | Uint8Array,
  options: DecodeOptions,
  purpose: Purpose = "call"
): Effect.Effect<Samples<string>, string> =>
  Effect.gen(function* () {
    if (typeof recording !== "string") return yield* decodeWav(recording, options)
    const container = yield* probeContainer(recording)
    if (container === undefined) {
      return yield* Effect.fail("not a WAV file, nor MP3, M4A, FLAC, OGG or WebM")
    }
    if (container === "wav") return readWav(recording, options)
    const samples = readCompressed(recording, container, options, purpose)
    return options.temporaryFiles === undefined ? samples : stored(samples, options, options.temporaryFiles)
  })

/** The container of a recording, or `undefined` for any other file. */
const probeContainer = (path: string): Effect.Effect<Container.Container | undefined> =>
  RecordingFile.open(path).pipe(
    Effect.flatMap(Container.detect),
    Effect.map(Option.getOrUndefined),
    Effect.orDie,
    Effect.scoped,
    Effect.provide(NodeFileSystem.layer)
  )

const checkRate = (rate: number): Effect.Effect<void, string> =>
  rate < rates.from || rate > rates.to
    ? Effect.fail(`a sample rate of ${rate} Hz is not supported, only ${rates.from} to ${rates.to} Hz`)
    : Effect.void

const tooLong = ({ maximumSeconds }: DecodeOptions): string => `the recording is longer than ${maximumSeconds} seconds`

/** Fails if the recording is too long. */
const resampled = <E, R>(
  blocks: Stream.Stream<Float32Array, E, R>,
  from: number,
  options: DecodeOptions
): Stream.Stream<Float32Array, E | string, R> =>
  Stream.suspend(() => {
    let decoded = 0
    return blocks.pipe(
      Stream.tap(() => yieldToEventLoop),
      Stream.tap((block) => {
        decoded += block.length
        return decoded > options.maximumSeconds * from ? Effect.fail(tooLong(options)) : Effect.void
      }),
      Resampler.resampleStream({ from, to: options.sampleRate })
    )
  })

const decodeWav = (file: Uint8Array, options: DecodeOptions): Effect.Effect<Samples<string>, string> =>
  Effect.gen(function* () {
    const { bytes, format } = yield* Effect.mapError(Wav.decode(file), ({ message }) => withoutLink(message))
    const { channels, encoding, sampleRate: from } = format
    yield* checkRate(from)
    const frame = bytesPerFrame(format)
    const length = Math.floor(bytes.length / frame)
    if (length > options.maximumSeconds * from) return yield* Effect.fail(tooLong(options))
    const decode = (part: Uint8Array) => Channels.mixdown(Pcm.decode(part, encoding), channels)
    if (length <= maximumWhole) return Resampler.resample(decode(bytes), { from, to: options.sampleRate })
    // While it waits for an engine, it takes the memory of its bytes. Only to resample takes long.
    const size = frame * (from === options.sampleRate ? length : maximumWhole)
    const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => index * size)
    const blocks = Stream.map(Stream.fromIterable(starts), (start) => decode(bytes.subarray(start, start + size)))
    return resampled(Stream.rechunk(blocks, 1), from, options)
  })

const readWav = (path: string, options: DecodeOptions): Stream.Stream<Float32Array, string> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const audio = yield* Wav.decodeStream(
        NodeStream.fromReadable(
          () => createReadStream(path),
          (error) => error
        ).pipe(Stream.orDie)
      )
      const { channels, sampleRate: from } = audio.format
      yield* checkRate(from)
      const blocks = Stream.map(Pcm.decodeStream(audio), (block) => Channels.mixdown(block, channels))
      return resampled(blocks, from, options)
    })
  ).pipe(Stream.mapError((error) => (typeof error === "string" ? error : withoutLink(error.message))))

const readCompressed = (
  path: string,
  container: Container.Container,
  options: DecodeOptions,
  purpose: Purpose
): Stream.Stream<Float32Array, string> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      yield* decoderPermit(path, purpose)
      const decoded = yield* CompressedRecording.open(path, container, options.maximumSeconds * rates.to)
      yield* checkRate(decoded.sampleRate)
      return resampled(decoded.blocks, decoded.sampleRate, options)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

/** The samples, which are read to their end first. */
const stored = (
  samples: Stream.Stream<Float32Array, string>,
  options: DecodeOptions,
  { storeSamples }: TemporaryFiles["Type"]
): Stream.Stream<Float32Array, string> => {
  const most = { length: Math.ceil(options.maximumSeconds * options.sampleRate), problem: tooLong(options) }
  return Stream.unwrapScoped(
    Effect.map(storeSamples(samples, most), (written) =>
      written.samples instanceof Float32Array ? Stream.make(written.samples) : written.samples
    )
  )
}
