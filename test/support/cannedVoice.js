/**
 * The one double of the local service's voice: it speaks at once, without an engine. It is JavaScript because
 * `serviceChild.js` runs in plain Node.
 */
import { Voice } from "@effect-speech/local-service/Voice"
import * as Layer from "effect/Layer"

/**
 * Provides a `Voice` that speaks what `speechOf` returns: mono samples, or a stream of them that may fail.
 *
 * @param {import("@effect-speech/local-service/Voice").VoiceService["speak"]} speechOf
 * @param {object} [options]
 * @param {ReadonlyArray<string>} [options.languages] Default: `hi` and `en`.
 * @param {ReadonlyArray<string>} [options.voices] Default: `default_female` and `default_male`.
 * @param {number} [options.sampleRate] In Hz. Default: 8000.
 */
export const cannedVoice = (
  speechOf,
  { languages = ["hi", "en"], sampleRate = 8000, voices = ["default_female", "default_male"] } = {}
) => Layer.succeed(Voice, { voices: voices.map((name) => ({ name, languages, sampleRate })), speak: speechOf })
