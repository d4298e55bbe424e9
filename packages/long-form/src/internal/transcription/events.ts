import type { CallEvent } from "@effect-speech/transport/CallEvent"

/**
 * The place of a piece in the recording.
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
 * @since 0.1.0
 * @category models
 */
export type Event = Planned | Kept | Silent | Started | Called | Done

/**
 * The recording is open.
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
 * @since 0.1.0
 * @category models
 */
export interface Called extends PiecePlace {
  readonly _tag: "Called"
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
