import type { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Passage } from "../../Passages.js"
import type { Event } from "./events.js"

/**
 * The request of a long text: that of `TextToSpeech`, without its limit of 10,000 code points.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 *
 * export const request: LongSpeech.Request = {
 *   text: [
 *     { text: "अध्याय एक।\n\n", voice: "default_male" },
 *     { text: "Once upon a time.", lang: "en" }
 *   ],
 *   lang: "hi",
 *   outputFormat: "24000:pcm16",
 *   requestId: "book"
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Request extends Omit<SynthesisRequest, "text"> {
  /** The text, or its passages. It must have a letter, a number or a symbol. */
  readonly text: string | ReadonlyArray<Passage>
  /**
   * Id of the whole speech, 1 to 56 letters, digits and `.`, `_`, `:`, `-`. The id of a piece is this and its number: `book.007`.
   * Default: a random UUID.
   */
  readonly requestId?: string | undefined
}

/**
 * Silence after a piece, by the boundary at which it ends, 0 to 60 seconds. The `edgeSilence` of both pieces adds to it. None follows the
 * last piece.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 *
 * export const pauses: LongSpeech.Pauses = { paragraph: "1 second", sentence: "400 millis" }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Pauses {
  /** Default: 600 ms. */
  readonly paragraph?: Duration.DurationInput | undefined
  /** Default: 400 ms. */
  readonly line?: Duration.DurationInput | undefined
  /** Default: 250 ms. */
  readonly sentence?: Duration.DurationInput | undefined
  /** Default: 120 ms. */
  readonly clause?: Duration.DurationInput | undefined
  /** Default: none. */
  readonly word?: Duration.DurationInput | undefined
  /** Default: none. */
  readonly cluster?: Duration.DurationInput | undefined
}

/**
 * How a long text is split, sent and joined. All fields are optional.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 *
 * export const options: LongSpeech.Options = {
 *   maximumCodePoints: 1000,
 *   concurrency: 8,
 *   pauses: { paragraph: "1 second" },
 *   gracePeriod: "25 seconds"
 * }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  /** Largest number of code points in a piece, 1 to 10,000. Default: 2,000. */
  readonly maximumCodePoints?: number | undefined
  /** Largest number of code points in the first piece; each next may have twice as many, up to `maximumCodePoints`. Default: 250. */
  readonly firstCodePoints?: number | undefined
  /** How many pieces are synthesized at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** Silence between the pieces. */
  readonly pauses?: Pauses | undefined
  /** How much silence stays at both ends of the audio of a piece, up to 60 seconds. Silence is below -50 dB. Default: 40 ms. */
  readonly edgeSilence?: Duration.DurationInput | undefined
  /** How long the audio of a piece is faded at both ends, up to 60 seconds. Default: 5 ms. */
  readonly fade?: Duration.DurationInput | undefined
  /**
   * What to do with a piece in another format than the requested one, or than the first piece if none was requested: convert
   * it, or fail with a `TtsInvalidResponse`. Default: `resample`.
   */
  readonly differentFormat?: "resample" | "fail" | undefined
  /** How long to retry each piece through an outage of the service. Default: 5 minutes. */
  readonly outage?: Duration.DurationInput | undefined
  /**
   * If the run is interrupted, or its scope closes early, no further piece is sent, and those in flight are finished and kept for so long,
   * such as `"25 seconds"`, or while this effect runs. Then the rest is interrupted, and may have been billed.
   * Default: those in flight are interrupted at once.
   */
  readonly gracePeriod?: Duration.DurationInput | Effect.Effect<unknown> | undefined
  /** Runs at each event, in order. The speech never waits for it, nor does a defect in it affect the speech. Default: none. */
  readonly onEvent?: ((event: Event) => Effect.Effect<void>) | undefined
}
