import type { Transcription } from "@effect-speech/stt/Transcription"
import type { SegmentReader, SegmentReading } from "../SegmentReader.js"
import type { RecordingPiece } from "./recordingPieces.js"

/** A part of the transcript with its time. */
export interface Segment {
  /** In milliseconds from the beginning of the recording. */
  readonly start: number
  /** In milliseconds. */
  readonly end: number
  readonly text: string
  /** From 0 to 1, if the service states it. */
  readonly confidence?: number | undefined
  /** `service`: the service measured the times. `piece`: they can't be read, so they are those of the whole piece. */
  readonly times: "service" | "piece"
}

/** Services round times, so that a segment may end a little after its piece. */
const toleranceMillis = 100

/** The segments of a piece, in the time of the recording. */
export const segmentsOf = (
  { end, start }: Pick<RecordingPiece, "start" | "end">,
  { auxInfo, text }: Pick<Transcription, "text" | "auxInfo">,
  read: SegmentReader
): ReadonlyArray<Segment> => {
  if (text.trim() === "") return []
  const whole: Segment = { start, end, text: text.trim(), confidence: auxInfo?.confidence, times: "piece" }
  const given = auxInfo?.segments_meta ?? []
  const segments: Array<Segment> = []
  for (const segment of given) {
    const reading = read(segment)
    const words = reading?.text ?? (given.length === 1 ? text : undefined)
    if (reading === undefined || words === undefined || !isInside(reading, end - start)) return [whole]
    if (words.trim() === "") continue
    const inside = (millis: number) => Math.round(Math.min(end, Math.max(start, start + millis)))
    segments.push({
      start: inside(reading.start),
      end: inside(reading.end),
      text: words.trim(),
      confidence: reading.confidence,
      times: "service"
    })
  }
  return segments.length === 0 ? [whole] : segments
}

const isInside = ({ end, start }: SegmentReading, length: number): boolean =>
  start >= -toleranceMillis && end >= start && end <= length + toleranceMillis

/** The mean of the confidences, weighted by the duration of their pieces. `undefined` if no piece has one. */
export const joinedConfidence = (
  pieces: ReadonlyArray<{ readonly start: number; readonly end: number; readonly confidence?: number | undefined }>
): number | undefined => {
  let [sum, weight] = [0, 0]
  for (const { confidence, end, start } of pieces) {
    if (confidence === undefined) continue
    sum += confidence * (end - start)
    weight += end - start
  }
  return weight === 0 ? undefined : sum / weight
}
