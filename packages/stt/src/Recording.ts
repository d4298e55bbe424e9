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
import { describe } from "./internal/describe.js"
import { openAudio } from "./internal/openAudio.js"
import { isRepeatable, unreadableAudio } from "./internal/sources.js"
import { SttAudioUnreadable } from "./SttError.js"

/** The containers that the service takes. */
export const Container = Schema.Literal("wav", "mp3", "m4a", "flac", "ogg", "webm")
export type Container = typeof Container.Type

/** What is known of a recording; what its bytes do not tell is absent. */
export const Recording = Schema.Struct({
  /** By its first bytes, whatever the file is called. */
  container: Schema.optional(Container),
  /** The size of the whole recording, in bytes. */
  bytes: Schema.optional(Schema.NonNegativeInt),
  /** In Hz; of Opus the rate of what was encoded, though it is decoded at 48,000. */
  sampleRate: Schema.optional(Schema.Finite.pipe(Schema.positive())),
  channels: Schema.optional(Schema.Int.pipe(Schema.positive())),
  /** How long it lasts, in milliseconds. */
  durationMillis: Schema.optional(Schema.Finite.pipe(Schema.nonNegative()))
})
export type Recording = typeof Recording.Type

/**
 * Reads the header of a recording: a few blocks of a file, of bytes that are at hand, or the first 256 KiB of a stream,
 * which is opened for it and closed. A one-shot stream is left alone, since its bytes can be read but once: nothing is known of it.
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
  isRepeatable(source)
    ? openAudio(source, lookAhead).pipe(
        Effect.flatMap(({ bytes }) => describe(bytes)),
        Effect.scoped,
        Effect.mapError((failure) => new SttAudioUnreadable(unreadableAudio(source, failure)))
      )
    : Effect.succeed({})

/** How much of a stream is looked at: no header that makes sense is longer, notes and all. */
const lookAhead = 256 * 1024
