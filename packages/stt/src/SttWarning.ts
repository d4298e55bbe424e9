/**
 * What the service accepts silently, although it may reduce the quality of the transcript. The message of a warning
 * says what to do.
 */
import * as Schema from "effect/Schema"

/** A warning with these fields, and a `message` that says what to do. */
const warning = <const Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.TaggedStruct(tag, { ...fields, message: Schema.String })

/**
 * The recording has more than one channel. The service requires mono; the contract does not state what it does with
 * others.
 */
export const MoreThanOneChannel = warning("MoreThanOneChannel", { channels: Schema.Number })
export type MoreThanOneChannel = typeof MoreThanOneChannel.Type

/**
 * The sample rate is below 8,000 or above 24,000 Hz. The models are trained at 8 kHz. A lower rate lacks frequencies
 * that no resampling restores. Above 24 kHz, the highest rate at which the service itself speaks, the models ignore most of
 * the upload.
 */
export const SampleRateFarFrom8kHz = warning("SampleRateFarFrom8kHz", {
  /** In Hz. */
  sampleRate: Schema.Number
})
export type SampleRateFarFrom8kHz = typeof SampleRateFarFrom8kHz.Type

/**
 * `parseNumber` is set, but the service ignores it for the language of this model. It supports hi, ml, kn, gu and mr.
 */
export const ParseNumberWithoutEffect = warning("ParseNumberWithoutEffect", {
  model: Schema.String,
  /** The language code at the beginning of the name of the model. */
  language: Schema.String
})
export type ParseNumberWithoutEffect = typeof ParseNumberWithoutEffect.Type

/**
 * A hotword has digits or punctuation. The service recognises spoken words (only `parseNumber` converts them to digits
 * afterwards), so such a phrase may never match. Letters and marks of any script, spaces, and an apostrophe or a hyphen
 * inside a word are valid.
 */
export const HotwordNotSpoken = warning("HotwordNotSpoken", { phrase: Schema.String })
export type HotwordNotSpoken = typeof HotwordNotSpoken.Type

/** The transcript is empty, and the service says why. Only the local service does. */
export const NothingRecognised = warning("NothingRecognised", {
  /** Which recordings the service recognises, and what to do. */
  notice: Schema.String
})
export type NothingRecognised = typeof NothingRecognised.Type

export const SttWarning = Schema.Union(
  MoreThanOneChannel,
  SampleRateFarFrom8kHz,
  ParseNumberWithoutEffect,
  HotwordNotSpoken,
  NothingRecognised
)
export type SttWarning = typeof SttWarning.Type
