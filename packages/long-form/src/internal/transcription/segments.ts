import { structural, unsafeInstance } from "@effect-speech/common/Structural"
import type { Transcription } from "@effect-speech/stt/Transcription"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Reading, SegmentReader } from "../../SegmentReader.js"

/**
 * A part of the transcript with its time in the recording. `Subtitles.layout` makes subtitles from them.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const linesOf = (segments: ReadonlyArray<LongTranscription.Segment>) =>
 *   segments.map(({ startMillis, text, times }) => `${times === "piece" ? "about " : ""}${startMillis / 1000} s: ${text}`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Segment extends structural(
  Schema.Class<Segment>("LongTranscriptionSegment")({
    /** In milliseconds from the beginning of the recording. */
    startMillis: Schema.Finite,
    /** In milliseconds from the beginning of the recording. */
    endMillis: Schema.Finite,
    /** Its words. */
    text: Schema.String,
    /** From 0 to 1, if the service states it. */
    confidence: Schema.optional(Schema.Finite),
    /**
     * `service`: the service measured the times. `piece`: they can't be read, or the texts of the segments differ from the transcript, so
     * the times are those of the whole piece.
     */
    times: Schema.Literal("service", "piece")
  })
) {}

/**
 * The segments of a piece, and why it may be a single one.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const isMeasured = ({ problem }: LongTranscription.PieceSegments) => problem === undefined
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface PieceSegments {
  /** In order. Empty if the transcript is. */
  readonly segments: ReadonlyArray<Segment>
  /** Why the piece is one segment. `times`: they can't be read. `texts`: those of the segments are not the words of the transcript. */
  readonly problem?: "times" | "texts" | undefined
}

/** Milliseconds from the beginning of the recording. */
interface Place {
  readonly startMillis: number
  readonly endMillis: number
}

/** Services round times, so that a segment may end a little after its piece, or start a little before the segment before it. */
const toleranceMillis = 100

/**
 * The segments of a transcription, in the time of the recording. Use it for a response of `SpeechToText`; `transcribe` has them already.
 *
 * No word is lost: if the segments do not have the words of the text in order, or if a time can't be read or lies outside of the piece, the
 * whole piece is one segment.
 *
 * @example
 * ```ts
 * import { LongTranscription, SegmentReader } from "@effect-speech/long-form"
 * import type { Transcription } from "@effect-speech/stt"
 *
 * export const segmentsOf = (transcription: Transcription, durationMillis: number) =>
 *   LongTranscription.segmentsOf(
 *     { startMillis: 0, endMillis: durationMillis },
 *     transcription,
 *     SegmentReader.localService
 *   ).segments
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const segmentsOf = (
  { endMillis, startMillis }: Place,
  { auxInfo, text }: Pick<Transcription, "text" | "auxInfo">,
  read: SegmentReader
): PieceSegments => {
  const whole = unsafeInstance(Segment, {
    startMillis,
    endMillis,
    text: text.trim(),
    confidence: validConfidence(auxInfo?.confidence),
    times: "piece"
  })
  const given = auxInfo?.segments_meta ?? []
  const readings = given.map((segment) => readingOf(segment, read))
  const texts = readings.map((reading) => reading?.text ?? (given.length === 1 ? text : undefined))
  const differ = () => lettersOf(texts.join("")) !== lettersOf(text)
  if (whole.text === "") return { segments: [], problem: differ() ? "texts" : undefined }

  const segments: Array<Segment> = []
  let from = startMillis
  for (const [index, reading] of readings.entries()) {
    const words = texts[index]?.trim()
    if (
      reading === undefined ||
      words === undefined ||
      !isInside(reading, from - startMillis, endMillis - startMillis)
    ) {
      return { segments: [whole], problem: "times" }
    }
    if (words === "") continue
    const inside = (millis: number) => Math.round(Math.min(endMillis, Math.max(from, startMillis + millis)))
    from = inside(reading.startMillis)
    segments.push(
      unsafeInstance(Segment, {
        startMillis: from,
        endMillis: inside(reading.endMillis),
        text: words,
        confidence: validConfidence(reading.confidence),
        times: "service"
      })
    )
  }
  if (given.length === 0) return { segments: [whole], problem: "times" }
  if (differ()) return { segments: [whole], problem: "texts" }
  return segments.length === 0 ? { segments: [whole], problem: "times" } : { segments }
}

/** A reader of your own may fail for a segment that it does not expect. */
const readingOf = (segment: Readonly<Record<string, unknown>>, read: SegmentReader): Reading | undefined => {
  try {
    const reading = read(segment)
    return reading === undefined || Predicate.isUndefined(reading.text) || Predicate.isString(reading.text)
      ? reading
      : undefined
  } catch {
    return undefined
  }
}

/** `from` is where the segment before it starts. All are in milliseconds from the beginning of the piece. */
const isInside = ({ endMillis, startMillis }: Reading, from: number, length: number): boolean =>
  startMillis >= from - toleranceMillis && endMillis >= startMillis && endMillis <= length + toleranceMillis

/** What is said: letters, digits and symbols, without case, punctuation and spaces, in one form of Unicode. */
const lettersOf = (text: string): string =>
  text.replace(unsaid, "").normalize("NFKD").toUpperCase().normalize("NFKD").replace(unsaid, "")

const unsaid = /[^\p{L}\p{M}\p{N}\p{Sc}\p{Sm}\p{So}]|\p{Default_Ignorable_Code_Point}/gu

/** A confidence from 0 to 1. The service may send others, which count as none. */
export const validConfidence = (confidence: number | undefined): number | undefined =>
  confidence !== undefined && confidence >= 0 && confidence <= 1 ? confidence : undefined
