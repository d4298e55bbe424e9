/**
 * What the service accepts silently, although it may reduce the quality of the transcript. The message of a warning
 * says what to do.
 */
import * as Schema from "effect/Schema"

/** What each warning has. */
const message = {
  /** What the client found, and what to do. */
  message: Schema.String
}

/**
 * The recording has more than one channel. The service requires mono; the contract does not state what it does with
 * others.
 *
 * @example
 * ```ts
 * import type { Transcription } from "@effect-speech/stt"
 *
 * // The number of channels, if there is more than one.
 * export const channelsOf = ({ warnings }: Transcription): number | undefined =>
 *   warnings.find((warning) => warning._tag === "MoreThanOneChannel")?.channels
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class MoreThanOneChannel extends Schema.TaggedClass<MoreThanOneChannel>()("MoreThanOneChannel", {
  /** Number of channels of the recording. */
  channels: Schema.Finite,
  ...message
}) {}

/**
 * The sample rate is below 8,000 or above 24,000 Hz. The models are trained at 8 kHz. A lower rate lacks frequencies
 * that no resampling restores. Above 24 kHz, the highest rate at which the service itself speaks, the models ignore most of
 * the upload.
 *
 * @example
 * ```ts
 * import { SampleRateFarFrom8kHz, type SttWarning } from "@effect-speech/stt"
 *
 * // A higher rate only costs upload. A lower one costs quality.
 * export const costsQuality = (warning: SttWarning): boolean =>
 *   warning instanceof SampleRateFarFrom8kHz && warning.sampleRate < 8000
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class SampleRateFarFrom8kHz extends Schema.TaggedClass<SampleRateFarFrom8kHz>()("SampleRateFarFrom8kHz", {
  /** In Hz. */
  sampleRate: Schema.Finite,
  ...message
}) {}

/**
 * `parseNumber` is set, but the service ignores it for the language of this model. It supports hi, ml, kn, gu and mr.
 *
 * @example
 * ```ts
 * import { ParseNumberWithoutEffect, type Transcription } from "@effect-speech/stt"
 *
 * // The languages for which the numbers stay words.
 * export const languagesWithWords = (transcriptions: ReadonlyArray<Transcription>): ReadonlySet<string> =>
 *   new Set(
 *     transcriptions.flatMap(({ warnings }) =>
 *       warnings.flatMap((each) => (each instanceof ParseNumberWithoutEffect ? [each.language] : []))
 *     )
 *   )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class ParseNumberWithoutEffect extends Schema.TaggedClass<ParseNumberWithoutEffect>()(
  "ParseNumberWithoutEffect",
  {
    /** The model of the request. */
    model: Schema.String,
    /** The language code at the beginning of the name of the model. */
    language: Schema.String,
    ...message
  }
) {}

/**
 * A hotword has digits or punctuation. The service recognises spoken words (only `parseNumber` converts them to digits
 * afterwards), so such a phrase may never match. Letters and marks of any script, spaces, and an apostrophe or a hyphen
 * inside a word are valid.
 *
 * @example
 * ```ts
 * import { HotwordNotSpoken, type Transcription } from "@effect-speech/stt"
 *
 * // The hotwords to write in words.
 * export const toRewrite = ({ warnings }: Transcription): ReadonlyArray<string> =>
 *   warnings.flatMap((warning) => (warning instanceof HotwordNotSpoken ? [warning.phrase] : []))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class HotwordNotSpoken extends Schema.TaggedClass<HotwordNotSpoken>()("HotwordNotSpoken", {
  /** The hotword. */
  phrase: Schema.String,
  ...message
}) {}

/**
 * The request has hotwords, but the model takes none, or can't use some of them. Only the local service says so.
 *
 * @example
 * ```ts
 * import { HotwordsIgnored, type Transcription } from "@effect-speech/stt"
 *
 * export const usedHotwords = ({ warnings }: Transcription): boolean =>
 *   !warnings.some((warning) => warning instanceof HotwordsIgnored)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class HotwordsIgnored extends Schema.TaggedClass<HotwordsIgnored>()("HotwordsIgnored", message) {}

/**
 * The transcript is empty, and the service says why. Only the local service does.
 *
 * @example
 * ```ts
 * import { NothingRecognised, type Transcription } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const explain = ({ warnings }: Transcription) =>
 *   Effect.forEach(warnings, (warning) => (warning instanceof NothingRecognised ? Console.error(warning.notice) : Effect.void))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class NothingRecognised extends Schema.TaggedClass<NothingRecognised>()("NothingRecognised", {
  /** Which recordings the service recognises, and what to do. */
  notice: Schema.String,
  ...message
}) {}

/**
 * All warnings of a transcription, as a Schema: you can encode a warning to JSON and decode it. Each has a `message` that says what to do.
 *
 * @example
 * ```ts
 * import type { SttWarning } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * export const logAll = (warnings: ReadonlyArray<SttWarning>) =>
 *   Effect.forEach(warnings, ({ _tag, message }) => Effect.logWarning(`${_tag}: ${message}`))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const SttWarning = Schema.Union(
  MoreThanOneChannel,
  SampleRateFarFrom8kHz,
  ParseNumberWithoutEffect,
  HotwordNotSpoken,
  HotwordsIgnored,
  NothingRecognised
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type SttWarning = typeof SttWarning.Type
