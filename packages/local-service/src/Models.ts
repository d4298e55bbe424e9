/**
 * The models of the running service: with what it recognises and speaks.
 */
import * as Schema from "effect/Schema"

/**
 * Whether a model works at this moment:
 *
 * - `unloaded`: loads with the next request that needs it
 * - `loading`: starts. Requests wait for it.
 * - `ready`: works, or waits for work
 * - `restarting`: ended, and starts again after a delay. Until then its requests fail.
 * - `refused`: can't be loaded. It stays so until the service is started again.
 *
 * @example
 * ```ts
 * import type { Models } from "@effect-speech/local-service"
 *
 * export const takesRequests = (state: Models.ModelState): boolean => state !== "restarting" && state !== "refused"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const ModelState = Schema.Literal("unloaded", "loading", "ready", "restarting", "refused")
/**
 * @since 0.1.0
 * @category schemas
 */
export type ModelState = typeof ModelState.Type

/** Absent for an engine that does not count. */
const counts = {
  /** Requests that the model works on. */
  running: Schema.optional(Schema.NonNegativeInt),
  /** Requests that wait for it. */
  queued: Schema.optional(Schema.NonNegativeInt)
}

const common = {
  name: Schema.String,
  /** What kind of model it is, such as `whisper`. Absent if the engine does not say. */
  family: Schema.optional(Schema.String),
  /** The codes of its languages. */
  languages: Schema.Array(Schema.String),
  /** Of the recordings that it takes, or of its speech. In Hz. */
  sampleRate: Schema.Number,
  /** Its licence, or the name of the file that states it. Absent if it states none. */
  licence: Schema.optional(Schema.String),
  /** Size of its files, in bytes. Absent if the engine does not say. */
  bytes: Schema.optional(Schema.NonNegativeInt),
  state: ModelState,
  /** Why it is `refused`, or why it last failed. */
  reason: Schema.optional(Schema.String),
  ...counts,
  /** Requests that found its queue full, since the start. */
  rejected: Schema.optional(Schema.NonNegativeInt),
  /** How often it was started again after it had failed. */
  restarts: Schema.optional(Schema.NonNegativeInt)
}

/**
 * A model that recognises. The recogniser of known recordings is the model `known-recordings`.
 *
 * @example
 * ```ts
 * import type { Models } from "@effect-speech/local-service"
 *
 * // What the field `model` of a request can be.
 * export const namesOf = ({ names }: Models.TranscriptionModel): ReadonlyArray<string> => names.map(({ name }) => name)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const TranscriptionModel = Schema.Struct({
  operation: Schema.Literal("transcribe"),
  ...common,
  /** What the field `model` of a request can be, with the language of each. */
  names: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      lang: Schema.String,
      /** The name that this is another name of. */
      aliasOf: Schema.optional(Schema.String)
    })
  ),
  /** Whether it uses the field `hotwords`. */
  hotwords: Schema.Boolean
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type TranscriptionModel = typeof TranscriptionModel.Type

/**
 * A model that speaks. The voice of espeak-ng is the model `espeak-ng`.
 *
 * @example
 * ```ts
 * import type { Models } from "@effect-speech/local-service"
 *
 * // What the field `voice` of a request in a language can be.
 * export const voicesIn = (lang: string, { voices }: Models.SynthesisModel): ReadonlyArray<string> =>
 *   voices.filter(({ languages }) => languages.includes(lang)).map(({ name }) => name)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const SynthesisModel = Schema.Struct({
  operation: Schema.Literal("synthesize"),
  ...common,
  /** What the field `voice` of a request can be, with the languages of each. */
  voices: Schema.Array(Schema.Struct({ name: Schema.String, languages: Schema.Array(Schema.String) }))
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type SynthesisModel = typeof SynthesisModel.Type

/**
 * A model at this moment: one that recognises, or one that speaks. `models` of the service has one for each.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Console, Effect } from "effect"
 *
 * export const printModels = Effect.gen(function* () {
 *   const { models } = yield* LocalService
 *   for (const { languages, name, operation, state } of yield* models) {
 *     yield* Console.log(`${name}: ${operation}, ${languages.join(" ")}, ${state}`)
 *   }
 * })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Model = Schema.Union(TranscriptionModel, SynthesisModel)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Model = typeof Model.Type

/**
 * Whether the service can work at this moment: the response of `GET /ready`.
 *
 * @example
 * ```ts
 * import type { Models } from "@effect-speech/local-service"
 *
 * export const waiting = ({ models }: Models.Readiness): number => models.reduce((sum, { queued = 0 }) => sum + queued, 0)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Readiness = Schema.Struct({
  /** `false` if every model of an operation is `restarting` or `refused`. */
  ready: Schema.Boolean,
  models: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      operation: Schema.Literal("transcribe", "synthesize"),
      state: ModelState,
      ...counts
    })
  )
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Readiness = typeof Readiness.Type
