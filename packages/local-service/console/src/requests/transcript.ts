/** What the response of a transcription says. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { TranscriptSegment } from "../../../src/internal/console/messages.js"

const JsonObject = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** The body of a response, if it is a JSON object. */
export const decodeObject = Schema.decodeUnknownOption(JsonObject)

export interface Heard {
  readonly text: string
  /** 0 to 1. */
  readonly confidence: number | undefined
  readonly segments: ReadonlyArray<TranscriptSegment>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

/** The times of this service's segments are in seconds. A segment without them is left out. */
const segmentOf = (value: unknown): ReadonlyArray<TranscriptSegment> => {
  if (!isObject(value)) return []
  const [start, end] = [numberOf(value.start), numberOf(value.end)]
  if (start === undefined || end === undefined || typeof value.text !== "string") return []
  return [{ text: value.text, start: start * 1000, end: end * 1000, confidence: numberOf(value.confidence) ?? null }]
}

/** Reads the body of a response. `undefined` if it is no transcript. */
export const readTranscript = (body: string | null | undefined): Heard | undefined => {
  const decoded = Option.getOrUndefined(decodeObject(body))
  if (decoded === undefined || typeof decoded.text !== "string") return undefined
  const info = isObject(decoded.aux_info) ? decoded.aux_info : {}
  return {
    text: decoded.text,
    confidence: numberOf(info.confidence),
    segments: Array.isArray(info.segments_meta) ? info.segments_meta.flatMap(segmentOf) : []
  }
}
