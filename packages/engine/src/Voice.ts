/**
 * Speaks texts.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { EngineFailureReason, ModelDetails, ModelStatus } from "./Model.js"
import type { Samples } from "./Samples.js"

/**
 * A sentence of a text, and where it is in the speech.
 *
 * @example
 * ```ts
 * import type { SpokenSentence } from "@effect-speech/engine"
 *
 * // The first second of a speech at 16 kHz.
 * export const first: SpokenSentence = { text: "Good morning.", startSample: 0, endSample: 16_000 }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpokenSentence {
  /** The sentence as it stands in the text. */
  readonly text: string
  /** Number of its first sample in the speech, from 0. */
  readonly startSample: number
  /** Number of the sample after its last. */
  readonly endSample: number
}

/**
 * The text that an engine speaks, with its language, its voice and its speed.
 *
 * @example
 * ```ts
 * import type { Utterance } from "@effect-speech/engine"
 *
 * export const greeting: Utterance = {
 *   text: "Good morning.",
 *   lang: "en",
 *   voice: "default_female",
 *   speed: 1,
 *   pronunciations: {},
 *   onSentence: ({ endSample, text }) => console.log(`${text} ends at ${endSample}`)
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Utterance {
  /** What to speak. */
  readonly text: string
  /** The code of its language, such as `hi`. */
  readonly lang: string
  /** The `name` of one of `voices`. */
  readonly voice: string
  /** 1 is the voice's normal speed, 2 is twice as fast. The local service gives 0.25 to 4. */
  readonly speed: number
  /** The engine's phonemes of a word, by the word. An engine without phonemes ignores them. */
  readonly pronunciations: Readonly<Record<string, string>>
  /**
   * Takes each sentence, in order, before the end of the speech. A voice that calls it makes its sentences known one by one;
   * otherwise the speech is known as a whole.
   */
  readonly onSentence?: ((sentence: SpokenSentence) => void) | undefined
}

/**
 * A voice, in the languages in which it speaks with one model. The same name may have further entries for other languages.
 *
 * @example
 * ```ts
 * import type { VoiceModel } from "@effect-speech/engine"
 *
 * export const voices: ReadonlyArray<VoiceModel> = [
 *   { name: "default_female", languages: ["hi", "en"], sampleRate: 22_050 },
 *   { name: "priya", languages: ["hi"], sampleRate: 22_050, model: "my-voice" }
 * ]
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface VoiceModel {
  /** What a request names. */
  readonly name: string
  /** The codes of the languages in which it speaks. */
  readonly languages: ReadonlyArray<string>
  /** Sample rate of its speech, in Hz. */
  readonly sampleRate: number
  /** The name of the model, as `status` has it, if it is not the voice's own. Several voices may have the same. */
  readonly model?: string | undefined
  /** For a person who chooses a voice. Default: not known. */
  readonly details?: ModelDetails | undefined
}

/**
 * The engine did not speak a text. Fail with it in the stream of `speak`: the local service responds with 502, and with `Retry-After` if the
 * reason is `Overloaded` or `Unavailable`. Nothing is billed.
 *
 * @example
 * ```ts
 * import { type Samples, VoiceFailed } from "@effect-speech/engine"
 * import { Stream } from "effect"
 *
 * export const failed: Samples<VoiceFailed> = Stream.fail(
 *   new VoiceFailed({ reason: "Failed", message: "The voice has no letters of this language." })
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class VoiceFailed extends documented(Data.TaggedError("VoiceFailed"))<{
  /** Whether another attempt may succeed. */
  readonly reason: EngineFailureReason
  /** A sentence for the client, without a secret. */
  readonly message: string
  /**
   * Milliseconds until another attempt may succeed. The local service rounds them up to seconds. Default: not known; then it says 1 second.
   */
  readonly retryAfterMillis?: number | undefined
}> {}

/**
 * Speaks texts. Make one from your own model or program, and provide it as the service `Voice`.
 *
 * The stream of `speak` fails with `VoiceFailed` if the engine can't speak the text.
 *
 * @example
 * ```ts
 * import type { VoiceService } from "@effect-speech/engine"
 *
 * // A second of silence for each text.
 * export const silence: VoiceService = {
 *   voices: [{ name: "default_female", languages: ["hi"], sampleRate: 16_000 }],
 *   speak: () => new Float32Array(16_000)
 * }
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface VoiceService {
  /**
   * The voices. No two have the same name and a language in common. Give each language a `default_female`: without one, a request that
   * names no voice is 400.
   */
  readonly voices: ReadonlyArray<VoiceModel>
  /**
   * Speaks a text: mono samples, -1 to 1, or a stream of them, at the voice's rate. One of `voices` has the voice and the language of the
   * utterance. Returns no samples if the text has nothing that the voice can speak. Do not overwrite a block that was emitted: a short
   * text is kept in memory. An interruption ends the work.
   */
  readonly speak: (utterance: Utterance) => Samples<VoiceFailed>
  /** The models at this moment. Default: it is always ready. */
  readonly status?: Effect.Effect<ReadonlyArray<ModelStatus>> | undefined
}

/**
 * The service that speaks. `@effect-speech/local-service` needs it: provide `Espeak.layer` of that package, `Sherpa.layer` of
 * `@effect-speech/engine-sherpa`, or a Layer of your own.
 *
 * The stream of `speak` fails with `VoiceFailed` if the engine can't speak the text.
 *
 * @example
 * ```ts
 * import { Voice } from "@effect-speech/engine"
 * import { Layer } from "effect"
 *
 * // Whistles for 0.1 seconds for each character.
 * export const Whistle = Layer.succeed(Voice, {
 *   voices: [{ name: "default_female", languages: ["en"], sampleRate: 16_000 }],
 *   speak: ({ text }) => Float32Array.from({ length: 1600 * text.length }, (_, at) => Math.sin(at / 4) / 4)
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class Voice extends Context.Tag("@effect-speech/engine/Voice")<Voice, VoiceService>() {}
