import type { FileSystem } from "@effect/platform/FileSystem"
import type { AudioSource } from "@effect-speech/stt/AudioSource"
import { SttInvalidRequest } from "@effect-speech/stt/SttError"
import type { TranscriptionOptions } from "@effect-speech/stt/TranscriptionOptions"
import * as RequestRules from "@effect-speech/stt/unstable/Request"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as SegmentReader from "../../SegmentReader.js"
import { callback, concurrency, duration, gracePeriod, outage } from "../optionRules.js"
import type { Event } from "./events.js"

/**
 * The request of a transcription, without `telephony`: a long recording is always converted. `aux` is true by default, since the
 * times of the segments come with it.
 *
 * Each piece has an id and a filename of its own. The id is a UUID of version 8 (RFC 9562): its first 64 bits are those of
 * `transactionId`, apart from the version, and the others are a digest of `transactionId` and the number. The filename of the piece 7 of
 * `call.mp3`, which starts after 612,400 ms, is `call.piece-7-at-612400.wav`.
 *
 * `R` is what the recording requires. Default: a `FileSystem`, as of `AudioSource`.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 * import { AudioSource } from "@effect-speech/stt"
 *
 * export const request: LongTranscription.Request = {
 *   audio: AudioSource.fromPath("hour.wav"),
 *   model: "hi-general-v2-8khz",
 *   hotwords: [{ phrase: "Nagpur" }]
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Request<R = FileSystem> extends Omit<TranscriptionOptions, "telephony"> {
  /** The recording: a path, bytes or a stream. */
  readonly audio: AudioSource<R>
}

/**
 * How a long recording is cut, sent and read. All fields are optional.
 *
 * @example
 * ```ts
 * import { LongTranscription, SegmentReader } from "@effect-speech/long-form"
 *
 * export const options: LongTranscription.Options = {
 *   maximum: "2 minutes",
 *   concurrency: 8,
 *   segments: SegmentReader.fields({ start: "begin", end: "stop", unit: "millis" }),
 *   retryIfBilled: false
 * }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  /** The longest piece, 1 second to 1 hour. Default: 5 minutes. */
  readonly maximum?: Duration.DurationInput | undefined
  /** How many pieces are sent at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** Reads the time of a segment in a response. Default: `SegmentReader.localService`. */
  readonly segments?: SegmentReader.SegmentReader | undefined
  /** How long a piece is retried while the service is down. Default: 5 minutes. */
  readonly outage?: Duration.DurationInput | undefined
  /** Whether to send a piece again after an attempt that may have been billed, such as one that got a 500. Default: true. */
  readonly retryIfBilled?: boolean | undefined
  /**
   * If the run is interrupted, or its scope closes early, no further piece is sent, and those in flight are finished and kept for so long,
   * such as `"25 seconds"`, or while this effect runs. Then the rest is interrupted, and may have been billed.
   * Default: those in flight are interrupted at once.
   */
  readonly gracePeriod?: Duration.DurationInput | Effect.Effect<unknown> | undefined
  /**
   * Runs at each event, in order. The transcription never waits for it, nor does a defect in it affect the transcription.
   * Default: none.
   */
  readonly onEvent?: ((event: Event) => Effect.Effect<void>) | undefined
}

const Options = Schema.Struct({
  concurrency,
  /** 5 minutes are 4.8 MB of telephony, and the longest piece about 60 MB. */
  maximum: duration("1 second", "1 hour"),
  segments: callback,
  outage,
  retryIfBilled: Schema.optional(Schema.Boolean),
  gracePeriod,
  onEvent: callback
})
const decode = Issue.strictly(Options, "is not a known option")

/** A request of `SpeechToText` may have `telephony`. */
export const validateRequest = <R>(request: Request<R>): Either.Either<Request<R>, SttInvalidRequest> =>
  "telephony" in request && request.telephony !== undefined
    ? Either.left(
        new SttInvalidRequest({
          field: "telephony",
          problem: "is not a known field; a long recording is always converted"
        })
      )
    : RequestRules.validate(request)

/** The options with their defaults. */
export const validateOptions = (options: Options) =>
  Either.mapBoth(decode(options), {
    onLeft: (issue) => new SttInvalidRequest(issue),
    onRight: () => {
      const { concurrency = 4, maximum = "5 minutes", outage = "5 minutes" } = options
      return { ...options, concurrency, maximumMillis: Duration.toMillis(maximum), outage }
    }
  })
