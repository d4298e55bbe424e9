/**
 * What a recording is, before it is sent.
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const { channels, durationMillis } = yield* Recording.inspect(AudioSource.fromPath("call.wav"))
 *   yield* Console.log(`${channels} channels, ${durationMillis} ms`)
 * })
 * ```
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AudioSource } from "./AudioSource.js"
import { sniff, sniffLength } from "./internal/container.js"
import { readFlac } from "./internal/header/flac.js"
import { bytesOf, type ReadHeader } from "./internal/header/header.js"
import { readM4a } from "./internal/header/m4a.js"
import { readMp3 } from "./internal/header/mp3.js"
import { readOgg } from "./internal/header/ogg.js"
import { readWav } from "./internal/header/wav.js"
import { readWebm } from "./internal/header/webm.js"
import { openBytes } from "./internal/openBytes.js"
import type { SttAudioUnreadable } from "./SttError.js"

/** The containers that the service takes. */
export const Container = Schema.Literal("wav", "mp3", "m4a", "flac", "ogg", "webm")
export type Container = typeof Container.Type

const Rate = Schema.Finite.pipe(Schema.positive())
const Channels = Schema.Int.pipe(Schema.positive())
const Millis = Schema.Finite.pipe(Schema.nonNegative())

/** What is known of a recording; what its bytes do not tell is absent. */
export const Recording = Schema.Struct({
  /** By its first bytes, whatever the file is called. */
  container: Schema.optional(Container),
  /** The size of the whole recording, in bytes. */
  bytes: Schema.optional(Schema.NonNegativeInt),
  /** In Hz; of Opus the rate of what was encoded, though it is decoded at 48,000. */
  sampleRate: Schema.optional(Rate),
  channels: Schema.optional(Channels),
  /** How long it lasts, in milliseconds. */
  durationMillis: Schema.optional(Millis)
})
export type Recording = typeof Recording.Type

const readers: Record<Container, ReadHeader> = {
  wav: readWav,
  mp3: readMp3,
  m4a: readM4a,
  flac: readFlac,
  ogg: readOgg,
  webm: readWebm
}

/**
 * Reads the header of a recording: a few blocks of a file, of bytes that are at hand, or the first 256 KiB of a stream,
 * which is opened for it and closed. A pipe is left alone, since its bytes can be read but once: nothing is known of it.
 *
 * Bytes that make no sense are no failure; the fields are absent. A duration is absent also where the header does not
 * tell it (an M4A of fragments, a WebM that was streamed), and where it stands behind the first 256 KiB of a stream. So
 * is the rate of an M4A above 65,535 Hz, and all but the size of a WAV file in a codec that audio-codec does not read.
 * An MP3 with neither a Xing nor a VBRI header has a duration if its first 8 KiB are of one bitrate: its size by that.
 *
 * It fails with `SttAudioUnreadable` where the recording can't be read at all: missing, forbidden, a folder, empty, or a
 * stream that fails.
 */
export const inspect = (source: AudioSource): Effect.Effect<Recording, SttAudioUnreadable, FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const recording = yield* openBytes(source)
      const container = sniff(bytesOf(yield* recording.read(0, sniffLength)))
      const header = container === undefined ? {} : yield* readers[container](recording)
      return {
        container,
        bytes: recording.byteLength,
        sampleRate: ifSound(Rate, header.sampleRate),
        channels: ifSound(Channels, header.channels),
        durationMillis: ifSound(Millis, header.durationMillis)
      }
    })
  )

/** A damaged header may tell anything. */
const ifSound = (schema: Schema.Schema<number>, value: number | undefined): number | undefined =>
  Schema.is(schema)(value) ? value : undefined
