import type { CallEvent } from "@effect-speech/transport/CallEvent"

/**
 * The place of a piece in the recording.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const secondsOf = ({ endMillis, startMillis }: LongTranscription.PiecePlace) => (endMillis - startMillis) / 1000
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface PiecePlace {
  /** Counts from 1. */
  readonly number: number
  /** In milliseconds from the beginning of the recording. */
  readonly startMillis: number
  /** In milliseconds from the beginning of the recording. */
  readonly endMillis: number
}

/**
 * Progress of a transcription, for `onEvent`.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 * import { Console, Effect } from "effect"
 *
 * export const show = (event: LongTranscription.Event) =>
 *   event._tag === "Done" || event._tag === "Kept"
 *     ? Console.error(`piece ${event.number}, up to ${event.endMillis / 1000} s`)
 *     : Effect.void
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Event = Planned | Kept | Silent | Started | Called | Done

/**
 * The recording is open.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 * import { Console } from "effect"
 *
 * export const showLength = ({ durationMillis }: LongTranscription.Planned) =>
 *   Console.error(durationMillis === undefined ? "of unknown length" : `${durationMillis / 1000} s`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Planned {
  readonly _tag: "Planned"
  /** Its duration in milliseconds, if its header states it. */
  readonly durationMillis: number | undefined
}

/**
 * The store has the transcript of a piece, from an earlier run or from an equal piece. The piece is not sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Kept extends PiecePlace {
  readonly _tag: "Kept"
}

/**
 * A piece is digital silence, so it is not sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Silent extends PiecePlace {
  readonly _tag: "Silent"
}

/**
 * The call of a piece starts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Started extends PiecePlace {
  readonly _tag: "Started"
}

/**
 * The call of a piece has an event, such as a retry.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 * import { Console, Effect } from "effect"
 *
 * export const showRetry = ({ event, number }: LongTranscription.Called) =>
 *   event._tag === "Retrying" ? Console.error(`piece ${number}: again in ${event.delayMillis} ms`) : Effect.void
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Called extends PiecePlace {
  readonly _tag: "Called"
  /** The event of the call. */
  readonly event: CallEvent
}

/**
 * The transcript of a piece has arrived and is kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Done extends PiecePlace {
  readonly _tag: "Done"
}
