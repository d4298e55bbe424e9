/**
 * Turns recordings into text.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { EngineFailureReason, ModelDetails, ModelStatus } from "./Model.js"
import type { Samples } from "./Samples.js"

/**
 * A text with its time in a recording.
 *
 * @example
 * ```ts
 * import type { TimedText } from "@effect-speech/engine"
 *
 * export const greeting: TimedText = { text: "Good morning.", startMillis: 0, endMillis: 900 }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TimedText {
  /** What is said from `startMillis` to `endMillis`. */
  readonly text: string
  /** Milliseconds from the beginning of the recording, from 0. */
  readonly startMillis: number
  /** As `startMillis`, and later. */
  readonly endMillis: number
}

/**
 * A sentence that was recognised, with its time and its confidence.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecognisedSegment extends TimedText {
  /** 0 to 1. Default: the engine gives none. */
  readonly confidence?: number | undefined
}

/**
 * What an engine recognised in a recording.
 *
 * @example
 * ```ts
 * import type { Recognised } from "@effect-speech/engine"
 *
 * export const recognised: Recognised = {
 *   text: "Good morning. Two tea, please.",
 *   confidence: 0.9,
 *   segments: [
 *     { text: "Good morning.", startMillis: 0, endMillis: 900, confidence: 0.95 },
 *     { text: "Two tea, please.", startMillis: 1200, endMillis: 2600, confidence: 0.88 }
 *   ]
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Recognised {
  /** All that was recognised. Blank: nothing. */
  readonly text: string
  /** 0 to 1. Default: the engine gives none. */
  readonly confidence?: number | undefined
  /** The sentences, in order. Default: one with the whole text, for the whole recording. */
  readonly segments?: ReadonlyArray<RecognisedSegment> | undefined
  /**
   * How many hotwords of the request had no effect, such as those that the model can't write. The local service says in a header of its
   * response whether there were any. Default: 0.
   */
  readonly hotwordsIgnored?: number | undefined
}

/**
 * A phrase that is more likely in a recording than the model thinks.
 *
 * @example
 * ```ts
 * import type { Hotword } from "@effect-speech/engine"
 *
 * export const names: ReadonlyArray<Hotword> = [{ phrase: "Kanpur", score: 1.5 }]
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Hotword {
  /** A word, or several. */
  readonly phrase: string
  /** How much more likely. The contract's default is 1.5. */
  readonly score: number
}

/**
 * The recording that an engine recognises, with the model that a request named.
 *
 * @example
 * ```ts
 * import type { RecognitionRequest } from "@effect-speech/engine"
 *
 * export const aSecondOfSilence: RecognitionRequest = {
 *   model: "hi-mine",
 *   lang: "hi",
 *   samples: new Float32Array(16_000),
 *   hotwords: []
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface RecognitionRequest<E = never, R = never> {
  /** Name of the model. */
  readonly model: string
  /** Code of the model's language, such as `hi`. */
  readonly lang: string
  /** The whole recording, at `RecogniserService.sampleRate`. */
  readonly samples: Samples<E, R>
  /** Empty for a model that takes none. */
  readonly hotwords: ReadonlyArray<Hotword>
}

/**
 * A name by which requests ask for a model, with its language. A model of several languages has an entry, with its own name, for each. If a
 * request names another model, the local service responds with 400.
 *
 * @example
 * ```ts
 * import type { RecogniserModel } from "@effect-speech/engine"
 *
 * export const models: ReadonlyArray<RecogniserModel> = [
 *   { name: "hi-mine", lang: "hi", hotwords: false },
 *   { name: "hi-general-v2-8khz", lang: "hi", hotwords: false, aliasOf: "hi-mine" }
 * ]
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface RecogniserModel {
  /** What a request names. */
  readonly name: string
  /** Code of the language that it recognises, such as `hi`. */
  readonly lang: string
  /** Whether it uses hotwords. `false`: the local service gives it none. */
  readonly hotwords: boolean
  /** The `name` of the entry that this is another name of. Default: none. */
  readonly aliasOf?: string | undefined
  /** The name of the model, as `status` has it, if it is not the entry's own. Several entries may have the same. */
  readonly model?: string | undefined
  /** For a person who chooses a model. Default: not known. */
  readonly details?: ModelDetails | undefined
}

/**
 * A recording to teach a recogniser, with the words that are said in it.
 *
 * @example
 * ```ts
 * import type { KnownRecording } from "@effect-speech/engine"
 *
 * export const beep: KnownRecording = {
 *   text: "beep",
 *   sampleRate: 8000,
 *   samples: Float32Array.from({ length: 8000 }, (_, at) => Math.sin(at / 2) / 2)
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface KnownRecording<E = never, R = never> {
  /** The words that are said in it. */
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** Mono samples, -1 to 1. */
  readonly samples: Samples<E, R>
  /** In Hz: an integer from 1,000 to 4,294,967,295. Default: `RecogniserService.sampleRate`. */
  readonly sampleRate?: number | undefined
  /** The sentences in it, in order. Each is recognised by itself. Default: one, the whole recording. */
  readonly segments?: ReadonlyArray<TimedText> | undefined
}

/**
 * What a recogniser can do that recognises only recordings that it was taught. A recogniser of your own usually has none. Then the
 * local service refuses to teach it.
 *
 * `learn` fails as the samples do, and has no error of its own.
 *
 * @since 0.1.0
 * @category services
 */
export interface KnownRecordings {
  /** Stores a recording, so that each later `recognise` finds it. */
  readonly learn: <E = never, R = never>(recording: KnownRecording<E, R>) => Effect.Effect<void, E, R>
  /** Forgets all recordings. */
  readonly forget: Effect.Effect<void>
  /** Says why a recording has no text: the local service sends it in a header of such a response. */
  readonly notice: string
}

/**
 * The engine did not recognise a recording. Fail with it in `recognise`: the local service responds with 503 and `Retry-After` if the
 * reason is `Overloaded` or `Unavailable`, and with 500 if it is `Failed`. Nothing is billed.
 *
 * @example
 * ```ts
 * import { RecogniserFailed } from "@effect-speech/engine"
 *
 * export const busy = new RecogniserFailed({
 *   reason: "Overloaded",
 *   message: "128 requests wait for the model.",
 *   retryAfterMillis: 4000
 * })
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class RecogniserFailed extends documented(Data.TaggedError("RecogniserFailed"))<{
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
 * Turns recordings into text. Make one from your own model or program, and provide it as the service `Recogniser`.
 *
 * `recognise` fails with `RecogniserFailed` if the engine can't work on the recording, and as the samples do. It returns `undefined` if
 * nothing was said.
 *
 * @example
 * ```ts
 * import { RecogniserFailed, type RecogniserService } from "@effect-speech/engine"
 * import { Effect } from "effect"
 *
 * export const stopped: RecogniserService = {
 *   sampleRate: 16_000,
 *   models: [{ name: "hi-mine", lang: "hi", hotwords: false }],
 *   recognise: () => Effect.fail(new RecogniserFailed({ reason: "Unavailable", message: "The model starts again." }))
 * }
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface RecogniserService {
  /** Sample rate of the samples that it takes, in Hz. */
  readonly sampleRate: number
  /** The models that it has. Default: it takes any model of the service. */
  readonly models?: ReadonlyArray<RecogniserModel> | undefined
  /**
   * Reads the whole recording. Returns what is said in it, or `undefined` if it recognised nothing. Never guesses. An interruption
   * ends the work.
   */
  readonly recognise: <E = never, R = never>(
    request: RecognitionRequest<E, R>
  ) => Effect.Effect<Recognised | undefined, RecogniserFailed | E, R>
  /** The models at this moment. Default: it is always ready. */
  readonly status?: Effect.Effect<ReadonlyArray<ModelStatus>> | undefined
  /** Default: the recogniser can't be taught. */
  readonly knownRecordings?: KnownRecordings | undefined
}

/**
 * The service that recognises. `@effect-speech/local-service` needs it: provide `KnownRecordings.layer` of that package, `Sherpa.layer` of
 * `@effect-speech/engine-sherpa`, or a Layer of your own.
 *
 * `recognise` fails with `RecogniserFailed` if the engine can't work on the recording.
 *
 * @example
 * ```ts
 * import { Recogniser } from "@effect-speech/engine"
 * import { Effect, Layer } from "effect"
 *
 * // Recognises nothing, as if all recordings were silent.
 * export const Silent = Layer.succeed(Recogniser, {
 *   sampleRate: 16_000,
 *   models: [{ name: "hi-mine", lang: "hi", hotwords: false }],
 *   recognise: () => Effect.succeed(undefined)
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class Recogniser extends Context.Tag("@effect-speech/engine/Recogniser")<Recogniser, RecogniserService>() {}
