/**
 * What the service takes without a word, though the transcript may be the worse for it. Each warning has a message that
 * tells a person what to do.
 */
import * as Schema from "effect/Schema"

/** The service asks for mono, and the contract does not say what becomes of other channels. */
export const MoreThanOneChannel = Schema.TaggedStruct("MoreThanOneChannel", {
  channels: Schema.Number,
  message: Schema.String
})
export type MoreThanOneChannel = typeof MoreThanOneChannel.Type

/**
 * Below 8,000 or above 16,000 Hz. The models are trained at 8 kHz: a lower rate lacks a part of what they listen to, which
 * no resampling brings back, and of a rate of more than twice theirs most of the upload is what they never hear.
 */
export const SampleRateFarFrom8kHz = Schema.TaggedStruct("SampleRateFarFrom8kHz", {
  /** In Hz. */
  sampleRate: Schema.Number,
  message: Schema.String
})
export type SampleRateFarFrom8kHz = typeof SampleRateFarFrom8kHz.Type

/** The service ignores `parse_number` silently for all models but those of hi, ml, kn, gu and mr. */
export const ParseNumberWithoutEffect = Schema.TaggedStruct("ParseNumberWithoutEffect", {
  model: Schema.String,
  /** The code that the name of the model begins with. */
  language: Schema.String,
  message: Schema.String
})
export type ParseNumberWithoutEffect = typeof ParseNumberWithoutEffect.Type

/**
 * Digits or punctuation in a hotword. What is recognised is what is spoken, and only `parse_number` makes digits of it
 * afterwards, so such a phrase may never match. Letters of any script with their marks, spaces, and an apostrophe or a
 * hyphen within a word are fine.
 */
export const HotwordNotSpoken = Schema.TaggedStruct("HotwordNotSpoken", {
  phrase: Schema.String,
  message: Schema.String
})
export type HotwordNotSpoken = typeof HotwordNotSpoken.Type

export const SttWarning = Schema.Union(
  MoreThanOneChannel,
  SampleRateFarFrom8kHz,
  ParseNumberWithoutEffect,
  HotwordNotSpoken
)
export type SttWarning = typeof SttWarning.Type
