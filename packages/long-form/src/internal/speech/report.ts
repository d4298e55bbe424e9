import { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import { structural } from "@effect-speech/common/Structural"
import { CallReport } from "@effect-speech/transport/CallReport"
import { TtsWarning } from "@effect-speech/tts/TtsWarning"
import * as Schema from "effect/Schema"
import { Boundary } from "../text/boundary.js"

/**
 * A piece and its place in the audio. Frames and milliseconds count from the beginning of the whole.
 *
 * @since 0.1.0
 * @category models
 */
export class Piece extends structural(
  Schema.Class<Piece>("LongSpeechPiece")({
    /** Counts from 1. */
    number: Schema.Int,
    /** The piece with all its spaces. */
    text: Schema.String,
    /** Offset of its first character in the whole text, in UTF-16 units. */
    startIndex: Schema.Int,
    /** Offset after its last character, in UTF-16 units. */
    endIndex: Schema.Int,
    /** The passage that it belongs to, from 0. A text without passages is one. */
    passage: Schema.Int,
    boundary: Boundary,
    /** Code points that it costs if it is sent. */
    codePoints: Schema.Int,
    startFrame: Schema.Int,
    /** Without the pause after it. */
    endFrame: Schema.Int,
    startMillis: Schema.Finite,
    /** Without the pause after it. */
    endMillis: Schema.Finite,
    /** `sent`: in this run. `kept`: found in the store. `silence`: it has no letter, number or symbol. */
    source: Schema.Literal("sent", "kept", "silence"),
    /** Id of the paid request. Absent for silence. */
    requestId: Schema.optional(Schema.String),
    /** The call with its billing. Absent if this run did not send it. */
    call: Schema.optional(CallReport),
    warnings: Schema.Array(TtsWarning)
  })
) {}

/**
 * A sentence and its time in the audio. `Subtitles.layout` makes subtitles from them.
 *
 * @since 0.1.0
 * @category models
 */
export class Segment extends structural(
  Schema.Class<Segment>("LongSpeechSegment")({
    /** The sentence without the spaces around it. */
    text: Schema.String,
    /** Offset of its first character in the whole text, in UTF-16 units. */
    startIndex: Schema.Int,
    /** Offset after its last character, in UTF-16 units. */
    endIndex: Schema.Int,
    /** In milliseconds from the beginning of the audio. */
    startMillis: Schema.Finite,
    /** In milliseconds from the beginning of the audio. */
    endMillis: Schema.Finite,
    /**
     * Whether a time is estimated from the length of the text. The service states no times: those that are not estimated are the
     * ends of a piece, or pauses in its audio.
     */
    estimated: Schema.Boolean
  })
) {}

/**
 * What became of a text. Reports are equal if their contents are.
 *
 * @since 0.1.0
 * @category models
 */
export class Report extends structural(
  Schema.Class<Report>("LongSpeechReport")({
    format: AudioFormat,
    /** In order, as far as the stream was read. */
    pieces: Schema.Array(Piece),
    /** The sentences of these pieces. */
    segments: Schema.Array(Segment),
    /** Duration of the audio that was read, in milliseconds. */
    durationMillis: Schema.Finite
  })
) {}
