/**
 * The audio of a text, in the format that the response headers state.
 */
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import type { PcmStream } from "@effect-speech/audio-codec/PcmStream"
import type { CallReport } from "@effect-speech/transport/CallReport"
import type * as Effect from "effect/Effect"
import type { SpeechStreamError } from "./TtsError.js"
import type { TtsWarning } from "./TtsWarning.js"

interface ResponseFacts {
  /** The format that the response headers state. It can differ from `outputFormat` of the request: see `warnings`. */
  readonly format: AudioFormat
  /** The request id of the response. If the response has none: the id that was sent. `call` has both. */
  readonly requestId: string
  /** What the response omits, or states differently from the request. Usually empty. */
  readonly warnings: ReadonlyArray<TtsWarning>
}

/**
 * Audio as it arrives: what `tts.stream` gives.
 *
 * `stream` fails with one of `SpeechStreamError` if the audio is cut short or corrupt, which may show only at its end. It can be run
 * once: a second run is a defect.
 *
 * @example
 * ```ts
 * import { Wav } from "@effect-speech/audio-codec"
 * import type { SpeechStream } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * // Writes speech into a file, and reads its report at the end.
 * export const save = (speech: SpeechStream, path: string) =>
 *   Effect.zipRight(Wav.writeFile(speech, path), speech.call)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeechStream extends PcmStream<SpeechStreamError>, ResponseFacts {
  /** The format that the response headers state: see `warnings`. */
  readonly format: AudioFormat
  /** Duration in milliseconds, as the service states it; `undefined` if the service does not. */
  readonly durationMillis: number | undefined
  /**
   * Reads the report of the call so far. `billing` is `unknown` until the stream has ended, and after its end if the response
   * stated neither its length nor its duration.
   */
  readonly call: Effect.Effect<CallReport>
}

/**
 * Complete, checked audio. It is also a stream of its bytes, so `Wav.writeFile` accepts it.
 *
 * `tts.synthesize` gives it.
 *
 * @example
 * ```ts
 * import { Wav } from "@effect-speech/audio-codec"
 * import type { Speech } from "@effect-speech/tts"
 *
 * // A WAV file in memory.
 * export const toWav = ({ bytes, format }: Speech): Uint8Array => Wav.encode(bytes, format)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Speech extends PcmStream, ResponseFacts {
  /** The format that the response headers state: see `warnings`. */
  readonly format: AudioFormat
  /** Raw samples, without a container. */
  readonly bytes: Uint8Array
  /** Duration in milliseconds, as the service states it. If the service does not: computed from the bytes. */
  readonly durationMillis: number
  /** The report of the call: ids, attempts, billing. */
  readonly call: CallReport
}
