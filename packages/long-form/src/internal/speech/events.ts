import type { CallEvent } from "@effect-speech/transport/CallEvent"
import type { Plan } from "./plan.js"

/**
 * Progress of a speech, for `onEvent`. A piece without a letter, a number or a symbol has no events.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Console, Effect } from "effect"
 *
 * export const show = (event: LongSpeech.Event) =>
 *   event._tag === "Done" || event._tag === "Kept"
 *     ? Console.error(`piece ${event.number}: ${event._tag === "Done" ? "paid" : "kept"}`)
 *     : Effect.void
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Event = Planned | Kept | Started | Called | Done

/**
 * The whole text was split: the event has the facts of the {@link Plan}. Some pieces, or all of a short text, may have been sent before.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Console } from "effect"
 *
 * export const showPlan = ({ cost, pieces }: LongSpeech.Planned) =>
 *   Console.error(`${pieces} pieces, at most ${cost} code points to pay`)
 * ```
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
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Console, Effect } from "effect"
 *
 * export const showRetry = ({ event, number }: LongSpeech.Called) =>
 *   event._tag === "Retrying" ? Console.error(`piece ${number}: again in ${event.delayMillis} ms`) : Effect.void
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Called extends PieceFacts {
  readonly _tag: "Called"
  /** The event of the call. */
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
