import { SttInvalidRequest } from "@effect-speech/stt/SttError"
import type { TranscriptionRequest } from "@effect-speech/stt/TranscriptionRequest"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as SegmentReader from "../../SegmentReader.js"
import { concurrency, millis, outage } from "../optionRules.js"
import type { LongTranscriptionEvent } from "./events.js"

/**
 * The request of a transcription, without `telephony`: a long recording is always converted. `aux` is true by default, since the
 * times of the segments come with it. A piece is sent under the UUID of version 5 of `transactionId` and its number.
 */
export type LongTranscriptionRequest = Omit<TranscriptionRequest, "telephony">

export interface LongTranscriptionOptions {
  /** The longest piece, in milliseconds, 1,000 to 3,600,000. Default: 300,000, 5 minutes. */
  readonly pieceMillis?: number | undefined
  /** How many pieces are sent at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** Reads the time of a segment in a response. Default: `SegmentReader.localService`. */
  readonly segments?: SegmentReader.SegmentReader | undefined
  /** How long a piece is retried while the service is down. Default: 5 minutes. */
  readonly outage?: Duration.DurationInput | undefined
  /** Whether to send a piece again after an attempt that may have been billed, such as one that got a 500. Default: true. */
  readonly retryIfBilled?: boolean | undefined
  /**
   * If the run is interrupted, or its scope closes early, no further piece is sent, and those in flight are finished and kept while this effect
   * runs, such as `Effect.sleep("25 seconds")` or `Effect.never`. Then the rest is interrupted, and may have been billed.
   * Default: those in flight are interrupted at once.
   */
  readonly gracePeriod?: Effect.Effect<unknown> | undefined
  /**
   * Runs at each event, in order. The transcription never waits for it, nor does a defect in it affect the transcription.
   * Default: none.
   */
  readonly onEvent?: ((event: LongTranscriptionEvent) => Effect.Effect<void>) | undefined
}

const Options = Schema.Struct({
  concurrency,
  /** 300,000 ms are 4.8 MB of telephony, and the longest piece about 60 MB. */
  pieceMillis: millis(1000, 3_600_000),
  outage
})
const decode = Schema.decodeUnknownEither(Options)

/** The options with their defaults. */
export const validate = ({ concurrency = 4, outage = "5 minutes", pieceMillis = 300_000 }: LongTranscriptionOptions) =>
  Either.mapBoth(decode({ concurrency, outage, pieceMillis }), {
    onLeft: ({ issue }) => new SttInvalidRequest(Issue.first(issue)),
    onRight: () => ({ concurrency, outage, pieceMillis })
  })
