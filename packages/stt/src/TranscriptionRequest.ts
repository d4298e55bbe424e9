/**
 * The request of a transcription. The client checks it before it sends anything.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { AudioSource } from "./AudioSource.js"
import type { TranscriptionOptions } from "./TranscriptionOptions.js"

/**
 * A request whose recording requires `R`. Default of `R`: a `FileSystem`, as of {@link AudioSource}.
 *
 * A call with a field that breaks a rule fails with `SttInvalidRequest`, and sends nothing.
 *
 * @example
 * ```ts
 * import { AudioSource, type TranscriptionRequest } from "@effect-speech/stt"
 *
 * export const request: TranscriptionRequest = {
 *   audio: AudioSource.fromPath("call.wav"),
 *   model: "hi-general-v2-8khz",
 *   aux: true,
 *   hotwords: [{ phrase: "UPI" }]
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TranscriptionRequest<R = FileSystem> extends TranscriptionOptions {
  /** The recording: mono, preferably at 8 kHz, in WAV, MP3, M4A, FLAC, OGG or WebM. */
  readonly audio: AudioSource<R>
}
