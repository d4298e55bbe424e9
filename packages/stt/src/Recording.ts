/**
 * The container, size, rate, channels and duration of a recording, read before it is sent.
 */

import { type Container as AudioContainer, containers } from "@effect-speech/audio-codec/Container"
import { structural, unsafeInstance } from "@effect-speech/common/Structural"
import type { UploadFailed } from "@effect-speech/transport/unstable/Failure"
import { chunks } from "@effect-speech/transport/unstable/Upload"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioSource, RequirementOf } from "./AudioSource.js"
import { describeRecording, openAudio } from "./internal/openAudio.js"
import { isRepeatable, unreadableAudio } from "./internal/sources.js"
import { warningsFor } from "./internal/warnings.js"
import { SttAudioUnreadable } from "./SttError.js"
import type { SttWarning } from "./SttWarning.js"

/**
 * The containers that the service takes.
 *
 * @example
 * ```ts
 * import { Recording } from "@effect-speech/stt"
 * import { Schema } from "effect"
 *
 * // Checks the ending of a filename.
 * export const isKnown = (filename: string): boolean =>
 *   Schema.is(Recording.Container)(filename.split(".").at(-1)?.toLowerCase())
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Container = Schema.Literal(...containers)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Container = AudioContainer

/**
 * What the bytes of a recording state. A field that they do not state is absent.
 *
 * {@link inspect} gives one. Two are equal by `Equal.equals` if their contents are. Its constructor throws a `ParseError` if a field is not
 * valid.
 *
 * @example
 * ```ts
 * import { Recording } from "@effect-speech/stt"
 *
 * const telephone = new Recording.Recording({ container: "wav", sampleRate: 8000, channels: 1, durationMillis: 60_000 })
 *
 * export const isLong = ({ durationMillis }: Recording.Recording): boolean =>
 *   durationMillis === undefined || durationMillis > (telephone.durationMillis ?? 0)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Recording extends structural(
  Schema.Class<Recording>("SttRecording")({
    /** Read from the bytes, behind tags that stand before them, not from the name of the file. */
    container: Schema.optional(Container),
    /** The size of the whole recording, in bytes. */
    bytes: Schema.optional(Schema.NonNegativeInt),
    /** In Hz. For Opus, the rate of the audio before it was encoded; a decoder gives 48,000 Hz. */
    sampleRate: Schema.optional(Schema.Finite.pipe(Schema.positive())),
    /** Number of channels. The service requires one. */
    channels: Schema.optional(Schema.Int.pipe(Schema.positive())),
    /** In milliseconds. */
    durationMillis: Schema.optional(Schema.Finite.pipe(Schema.nonNegative()))
  })
) {}

/**
 * Reads the header of a recording: at most 256 KiB of a file or of bytes, or the first 256 KiB of a stream, which is
 * opened for this and closed. A one-shot stream is not read, since its bytes can be read only once; the result has no
 * fields.
 *
 * Bytes that make no sense are no failure; the fields are absent. `Container.readHeader` of audio-codec lists when the
 * duration is absent: it is right within a frame of the codec, or it is not there. Of a stream, it is absent also if it
 * stands after the first 256 KiB, or at the end. An MP3 with neither a Xing nor a VBRI header has a duration if its
 * frames have one bitrate at its beginning, at its end and in six places between. The sample rate is absent for an M4A
 * above 65,535 Hz. A WAV file in a codec that audio-codec does not read has only `container` and `bytes`.
 *
 * Fails with `SttAudioUnreadable` if the recording cannot be read: missing, forbidden, a folder, empty, or a stream
 * that fails.
 *
 * @example
 * ```ts
 * import { AudioSource, Recording } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // Whether `telephony` can convert a file.
 * export const isWav = (path: string) =>
 *   Effect.map(Recording.inspect(AudioSource.fromPath(path)), ({ container }) => container === "wav")
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const inspect = <Source extends AudioSource<unknown>>(
  source: Source
): Effect.Effect<Recording, SttAudioUnreadable, RequirementOf<Source>> =>
  isRepeatable(source)
    ? openAudio(withRequirement(source), lookAhead).pipe(
        Effect.flatMap(describeRecording),
        Effect.map((facts) => unsafeInstance(Recording, facts)),
        Effect.scoped,
        Effect.mapError((failure) => new SttAudioUnreadable(unreadableAudio(source, failure)))
      )
    : Effect.succeed(new Recording())

/**
 * A recording that is open to be read: a plain object with the fields of a {@link Recording}, and no instance of it.
 *
 * Its `stream` fails with `SttAudioUnreadable` if reading fails.
 *
 * @example
 * ```ts
 * import type { Recording } from "@effect-speech/stt"
 * import { Stream } from "effect"
 *
 * // The bytes of a recording with their progress, from 0 to 1.
 * export const withProgress = ({ bytes: size, stream }: Recording.OpenRecording) =>
 *   Stream.mapAccum(stream, 0, (sent, chunk) => {
 *     const next = sent + chunk.byteLength
 *     return [next, { chunk, progress: size === undefined ? undefined : next / size }]
 *   })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenRecording extends Recording {
  /**
   * All its bytes. The stream can run once, inside the scope. It fails if the recording has another length than its source
   * states, or if its file changes meanwhile.
   */
  readonly stream: Stream.Stream<Uint8Array, SttAudioUnreadable>
}

/**
 * Opens a recording, describes it as {@link inspect} does, and gives its bytes. A one-shot stream is read too, so it can't be
 * opened again.
 *
 * Use {@link inspect} if you do not need the bytes. Fails with `SttAudioUnreadable` if the recording can't be opened: missing, forbidden, a
 * folder, empty, or a one-shot stream that was read before.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@effect/platform"
 * import { AudioSource, Recording } from "@effect-speech/stt"
 * import { Effect, Stream } from "effect"
 *
 * // Stores an upload with the ending of its container.
 * export const store = (upload: Blob) =>
 *   Effect.gen(function* () {
 *     const fs = yield* FileSystem.FileSystem
 *     const { container, stream } = yield* Recording.open(AudioSource.fromBlob(upload))
 *     yield* Stream.run(stream, fs.sink(`upload.${container ?? "bin"}`))
 *   }).pipe(Effect.scoped)
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const open = <Source extends AudioSource<unknown>>(
  source: Source
): Effect.Effect<OpenRecording, SttAudioUnreadable, RequirementOf<Source> | Scope.Scope> => {
  const unreadable = (failure: UploadFailed) => new SttAudioUnreadable(unreadableAudio(source, failure))
  return openAudio(withRequirement(source), lookAhead).pipe(
    Effect.flatMap((opened) =>
      Effect.map(describeRecording(opened), (recording) => ({
        ...recording,
        stream: Stream.mapError(chunks(opened.upload), unreadable)
      }))
    ),
    Effect.mapError(unreadable)
  )
}

/**
 * The warnings of a call that sends such a recording.
 *
 * @example
 * ```ts
 * import { AudioSource, Recording } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // What to improve in a recording, before it is sent.
 * export const advice = (path: string) =>
 *   Effect.map(Recording.inspect(AudioSource.fromPath(path)), (recording) =>
 *     Recording.warnings(recording).map(({ message }) => message)
 *   )
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const warnings = (recording: Recording): ReadonlyArray<SttWarning> => warningsFor(recording, { model: "" })

/** TypeScript can't see that a source requires what it requires. */
const withRequirement = <Source extends AudioSource<unknown>>(source: Source) =>
  source as AudioSource<unknown> as AudioSource<RequirementOf<Source>>

/** Number of bytes to read from a stream: no valid header with its metadata is longer. */
const lookAhead = 256 * 1024
