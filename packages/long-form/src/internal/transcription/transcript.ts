import type { CallReport } from "@effect-speech/transport/CallReport"
import type { PiecePlace } from "./events.js"
import type { Ending } from "./recordingPieces.js"
import type { Segment } from "./segments.js"
import type { Warning } from "./warnings.js"

/** A piece of the recording, and its own transcript. */
export interface Piece extends PiecePlace {
  /**
   * | value   | the piece ends |
   * | ------- | -------------- |
   * | `pause` | in a pause |
   * | `quiet` | at the quietest point, since there was no pause: a word may be cut |
   * | `end`   | with the recording |
   */
  readonly ending: Ending
  /**
   * | value     | its transcript |
   * | --------- | -------------- |
   * | `sent`    | was made in this run |
   * | `kept`    | was kept by an earlier run, or for an equal piece |
   * | `silence` | is empty: the piece is digital silence, and was not sent |
   */
  readonly source: "sent" | "kept" | "silence"
  readonly text: string
  /** From 0 to 1, if the service states it. */
  readonly confidence?: number | undefined
  /** The service's id. Absent for silence. */
  readonly callId?: string | undefined
  /** The id that was sent. Absent for silence. */
  readonly transactionId?: string | undefined
  /** The report of the call that made the transcript. Absent for silence. */
  readonly call?: CallReport | undefined
}

export interface Transcript {
  /** The transcripts of the pieces in order, with a space between them. */
  readonly text: string
  /** The duration of the recording, in milliseconds. */
  readonly durationMillis: number
  /** The mean of the confidences of the pieces, weighted by their duration. Absent if no piece has one. */
  readonly confidence?: number | undefined
  /** In order. Subtitles are made from them. */
  readonly segments: ReadonlyArray<Segment>
  readonly pieces: ReadonlyArray<Piece>
  /** Each warning once. */
  readonly warnings: ReadonlyArray<Warning>
  /** The id from which those of the pieces were made. */
  readonly transactionId: string
}
