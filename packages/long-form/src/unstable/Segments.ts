/**
 * The segments of one response, for a program that has not made the call itself.
 */
export { type PieceSegments, Segment, segmentsOf } from "../internal/transcription/segments.js"
