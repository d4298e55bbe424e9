import type { CallEvent } from "@effect-speech/transport/CallEvent"
import type { Plan } from "./plan.js"

/**
 * Progress of a speech. A piece without a letter, a number or a symbol has no events.
 *
 * @since 0.1.0
 * @category models
 */
export type Event = Planned | Kept | Started | Called | Done

/**
 * The whole text was split. The first pieces may have been sent before.
 *
 * @since 0.1.0
 * @category models
 */
export interface Planned extends Plan {
  readonly _tag: "Planned"
}

interface PieceFacts {
  /** Of the piece, from 1. */
  readonly number: number
  /** Code points that it costs if it is sent. */
  readonly codePoints: number
}

/**
 * The store has the audio of a piece, from an earlier run or from an equal piece. The piece is not sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Kept extends PieceFacts {
  readonly _tag: "Kept"
}

/**
 * The call of a piece starts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Started extends PieceFacts {
  readonly _tag: "Started"
}

/**
 * The call of a piece has an event, such as a retry.
 *
 * @since 0.1.0
 * @category models
 */
export interface Called extends PieceFacts {
  readonly _tag: "Called"
  readonly event: CallEvent
}

/**
 * The audio of a piece has arrived and is kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Done extends PieceFacts {
  readonly _tag: "Done"
}
