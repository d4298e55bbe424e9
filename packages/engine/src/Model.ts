/**
 * What an engine says of its models: which they are, and whether they work.
 */

/**
 * What a person wants to know of a model before using it. An entry of `models` or `voices` has it as `details`, and the local service
 * shows it in its list of models.
 *
 * @example
 * ```ts
 * import type { ModelDetails } from "@effect-speech/engine"
 *
 * export const details: ModelDetails = { family: "whisper", licence: "MIT", bytes: 488_000_000 }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelDetails {
  /** What kind of model it is, such as `whisper` or `vits`. */
  readonly family: string
  /** The licence, or the name of the file that states it. Default: the model states none. */
  readonly licence?: string | undefined
  /** Size of its files, in bytes. Default: not known. */
  readonly bytes?: number | undefined
}

/**
 * Whether a model works at this moment:
 *
 * - `unloaded`: loads with the next request that needs it
 * - `loading`: starts. Requests wait for it.
 * - `ready`: works, or waits for work
 * - `restarting`: ended, and starts again after a delay. Until then its requests fail.
 * - `refused`: can't be loaded. It stays so until the engine is started again.
 *
 * @since 0.1.0
 * @category models
 */
export type ModelState = "unloaded" | "loading" | "ready" | "restarting" | "refused"

/**
 * A model at this moment. An engine that counts its work returns one for each model as `status`, for the readiness and the metrics of
 * the local service.
 *
 * @example
 * ```ts
 * import type { ModelStatus } from "@effect-speech/engine"
 * import { Effect } from "effect"
 *
 * const status: ModelStatus = {
 *   name: "hi-mine",
 *   operation: "transcribe",
 *   state: "ready",
 *   running: 1,
 *   queued: 0,
 *   rejected: 0,
 *   restarts: 0
 * }
 *
 * export const statusOfMine = Effect.succeed([status])
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelStatus {
  /** The name of the model: the `model` of its entries in `models` or `voices`, or without one their `name`. */
  readonly name: string
  /** What it does. */
  readonly operation: "transcribe" | "synthesize"
  /** Whether it works. */
  readonly state: ModelState
  /** Why it is `refused`, or why it last failed. Default: it has not failed. */
  readonly reason?: string | undefined
  /** Requests that it works on. */
  readonly running: number
  /** Requests that wait for it. */
  readonly queued: number
  /** Requests that found the queue full, since the start. They failed as `Overloaded`. */
  readonly rejected: number
  /** How often it was started again after it had failed. */
  readonly restarts: number
}

/**
 * Why an engine failed:
 *
 * - `Overloaded`: too many requests wait. Try again later.
 * - `Unavailable`: the model does not run at this moment. Try again later.
 * - `Failed`: the model failed on this request, or can't be loaded. Another attempt fails too.
 *
 * @since 0.1.0
 * @category errors
 */
export type EngineFailureReason = "Overloaded" | "Unavailable" | "Failed"
