import { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import { structural } from "@effect-speech/common/Structural"
import { CallReport } from "@effect-speech/transport/CallReport"
import { TtsWarning } from "@effect-speech/tts/TtsWarning"
import * as Schema from "effect/Schema"
import { Boundary } from "../text/boundary.js"

/**
 * A piece of a speech: its place in the text and in the audio, and its call. Frames and milliseconds count from the beginning of the whole.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 *
 * export const paidNow = ({ pieces }: LongSpeech.Report) =>
 *   pieces.filter(({ source }) => source === "sent").reduce((sum, { codePoints }) => sum + codePoints, 0)
 * ```
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
    /** What it ends with. */
    boundary: Boundary,
    /** Code points that it costs if it is sent. */
    codePoints: Schema.Int,
    /** Its first frame. */
    startFrame: Schema.Int,
    /** Without the pause after it. */
    endFrame: Schema.Int,
    /** The time of its first frame. */
    startMillis: Schema.Finite,
    /** Without the pause after it. */
    endMillis: Schema.Finite,
    /** `sent`: in this run. `kept`: found in the store. `silence`: it has no letter, number or symbol, so it has no frame. */
    source: Schema.Literal("sent", "kept", "silence"),
    /** Id of the paid request. Absent for silence. */
    requestId: Schema.optional(Schema.String),
    /** The call with its billing. Absent if this run did not send it. */
    call: Schema.optional(CallReport),
    /** Those of its call. */
    warnings: Schema.Array(TtsWarning)
  })
) {}

/**
 * A sentence and its time in the audio. `Subtitles.layout` makes subtitles from them.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 *
 * export const sentenceAt = (segments: ReadonlyArray<LongSpeech.Segment>, millis: number) =>
 *   segments.find(({ endMillis, startMillis }) => startMillis <= millis && millis < endMillis)?.text
 * ```
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
 * What became of a text: its pieces and sentences with their times. Reports are equal if their contents are.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Schema } from "effect"
 *
 * export const Stored = Schema.parseJson(LongSpeech.Report)
 * export const save = Schema.encode(Stored)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Report extends structural(
  Schema.Class<Report>("LongSpeechReport")({
    /** The requested format, else that of the first piece that is spoken. */
    format: AudioFormat,
    /** In order, as far as the stream was read. */
    pieces: Schema.Array(Piece),
    /** The sentences of these pieces. */
    segments: Schema.Array(Segment),
    /** Duration of the audio that was read, in milliseconds. */
    durationMillis: Schema.Finite
  })
) {}
