/**
 * Turns recordings into text.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { EngineFailureReason, ModelDetails, ModelStatus } from "./Model.js"
import type { Samples } from "./Samples.js"

/**
 * A text with its time in a recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface TimedText {
  readonly text: string
  /** From the beginning of the recording. */
  readonly startMillis: number
  /** After `startMillis`. */
  readonly endMillis: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RecognisedSegment extends TimedText {
  /** 0 to 1. Default: the engine gives none. */
  readonly confidence?: number | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Recognised {
  readonly text: string
  /** 0 to 1. Default: the engine gives none. */
  readonly confidence?: number | undefined
  /** The sentences, in order. Default: one with the whole text, for the whole recording. */
  readonly segments?: ReadonlyArray<RecognisedSegment> | undefined
  /** How many hotwords of the request had no effect, such as those that the model can't write. Default: 0. */
  readonly hotwordsIgnored?: number | undefined
}

/**
 * A phrase that is more likely than the model thinks.
 *
 * @since 0.1.0
 * @category models
 */
export interface Hotword {
  readonly phrase: string
  /** How much more likely. The contract's default is 1.5. */
  readonly score: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RecognitionRequest<E = never, R = never> {
  /** Name of the model. */
  readonly model: string
  /** Language of the model. */
  readonly lang: string
  /** The whole recording, at `RecogniserService.sampleRate`. */
  readonly samples: Samples<E, R>
  /** Empty for a model that takes none. */
  readonly hotwords: ReadonlyArray<Hotword>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RecogniserModel {
  /** What a request names. */
  readonly name: string
  /** The language that it recognises. A model of several languages has an entry and a name for each. */
  readonly lang: string
  /** Whether it uses hotwords. */
  readonly hotwords: boolean
  /** The name that this is another name of. */
  readonly aliasOf?: string | undefined
  /** The name of the model, as `status` has it, if it is not the entry's own. Several entries may have the same. */
  readonly model?: string | undefined
  readonly details?: ModelDetails | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface KnownRecording<E = never, R = never> {
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
 * What a recogniser can do that recognises only recordings that it was taught.
 *
 * @since 0.1.0
 * @category services
 */
export interface KnownRecordings {
  /** Stores a recording, so that each later `recognise` finds it. */
  readonly learn: <E = never, R = never>(recording: KnownRecording<E, R>) => Effect.Effect<void, E, R>
  /** Forgets all recordings. */
  readonly forget: Effect.Effect<void>
  /** Says why a recording has no text. */
  readonly notice: string
}

/**
 * The engine did not recognise a recording.
 *
 * @since 0.1.0
 * @category errors
 */
export class RecogniserFailed extends cloneable(Data.TaggedError("RecogniserFailed"))<{
  readonly reason: EngineFailureReason
  readonly message: string
  /** When another attempt may succeed. Default: not known. */
  readonly retryAfterMillis?: number | undefined
}> {}

/**
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
 * @since 0.1.0
 * @category services
 */
export class Recogniser extends Context.Tag("@effect-speech/engine/Recogniser")<Recogniser, RecogniserService>() {}
