import type { CallEvent } from "@effect-speech/transport/CallEvent"
import type { Plan } from "./plan.js"

/** Progress of a speech. A piece without a letter, a number or a symbol has no events. */
export type Event = Planned | Kept | Started | Called | Done

/** The whole text was split. The first pieces may have been sent before. */
export interface Planned extends Plan {
  readonly _tag: "Planned"
}

interface PieceFacts {
  /** Of the piece, from 1. */
  readonly number: number
  /** Code points that it costs if it is sent. */
  readonly codePoints: number
}

/** The store has the audio of a piece, from an earlier run or from an equal piece. The piece is not sent. */
export interface Kept extends PieceFacts {
  readonly _tag: "Kept"
}

/** The call of a piece starts. */
export interface Started extends PieceFacts {
  readonly _tag: "Started"
}

/** The call of a piece has an event, such as a retry. */
export interface Called extends PieceFacts {
  readonly _tag: "Called"
  readonly event: CallEvent
}

/** The audio of a piece has arrived and is kept. */
export interface Done extends PieceFacts {
  readonly _tag: "Done"
}
