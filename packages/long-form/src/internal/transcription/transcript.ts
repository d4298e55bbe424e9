import { structural } from "@effect-speech/common/Structural"
import { CallReport } from "@effect-speech/transport/CallReport"
import * as Schema from "effect/Schema"
import { Ending } from "./recordingPieces.js"
import { Segment } from "./segments.js"
import { Warning } from "./warnings.js"

/**
 * A piece of the recording, and its own transcript.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const sentIds = ({ pieces }: LongTranscription.Transcript) =>
 *   pieces.flatMap(({ callId, source }) => (source === "sent" && callId !== undefined ? [callId] : []))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Piece extends structural(
  Schema.Class<Piece>("LongTranscriptionPiece")({
    /** Counts from 1. */
    number: Schema.Int,
    /** In milliseconds from the beginning of the recording. */
    startMillis: Schema.Finite,
    /** In milliseconds from the beginning of the recording. */
    endMillis: Schema.Finite,
    /** What ends it. */
    ending: Ending,
    /**
     * | value     | its transcript |
     * | --------- | -------------- |
     * | `sent`    | was made in this run |
     * | `kept`    | was kept by an earlier run, or for an equal piece |
     * | `silence` | is empty: the piece is digital silence, and was not sent |
     */
    source: Schema.Literal("sent", "kept", "silence"),
    /** Its own transcript. */
    text: Schema.String,
    /** From 0 to 1, if the service states it. */
    confidence: Schema.optional(Schema.Finite),
    /** The service's id. Absent for silence. */
    callId: Schema.optional(Schema.String),
    /** The id that was sent. Absent for silence. */
    transactionId: Schema.optional(Schema.String),
    /** The report of the call that made the transcript. Absent for silence. */
    call: Schema.optional(CallReport)
  })
) {}

/**
 * The transcript of a whole recording. Transcripts are equal if their contents are.
 *
 * @example
 * ```ts
 * import { LongTranscription, Subtitles } from "@effect-speech/long-form"
 *
 * export const toVtt = ({ segments }: LongTranscription.Transcript) => Subtitles.toVtt(Subtitles.layout(segments))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Transcript extends structural(
  Schema.Class<Transcript>("LongTranscript")({
    /** The transcripts of the pieces in order, with a space between them. */
    text: Schema.String,
    /** The duration of the recording, in milliseconds. */
    durationMillis: Schema.Finite,
    /** The mean of the confidences of the pieces, weighted by their duration. Absent if no piece has one. */
    confidence: Schema.optional(Schema.Finite),
    /** In order. Subtitles are made from them. */
    segments: Schema.Array(Segment),
    /** In order. Together they are the recording. */
    pieces: Schema.Array(Piece),
    /** Each warning once. */
    warnings: Schema.Array(Warning),
    /** The id from which those of the pieces were made. */
    transactionId: Schema.String
  })
) {}
