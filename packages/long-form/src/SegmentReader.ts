/**
 * Reads the time of a segment from `aux_info.segments_meta` of a transcription.
 *
 * The contract names only the `confidence` of a segment. If your service names the other fields differently from the local
 * service, use {@link fields}, or write a reader of your own.
 */
import * as Predicate from "effect/Predicate"

/**
 * The values that a reader found in a segment.
 *
 * @example
 * ```ts
 * import { SegmentReader } from "@effect-speech/long-form"
 *
 * export const reading: SegmentReader.Reading = { startMillis: 0, endMillis: 2400, text: "hello", confidence: 0.9 }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Reading {
  /** In milliseconds from the beginning of the recording that was sent. */
  readonly startMillis: number
  /** In milliseconds, not before `startMillis`. */
  readonly endMillis: number
  /** If it is absent, and its segment is the only one of the response, it is the whole text. */
  readonly text?: string | undefined
  /** From 0 to 1. */
  readonly confidence?: number | undefined
}

/**
 * Reads one segment. Returns `undefined` if the segment has no times. Write one if {@link fields} is not enough.
 *
 * @example
 * ```ts
 * import { SegmentReader } from "@effect-speech/long-form"
 *
 * export const reader: SegmentReader.SegmentReader = ({ at, length, words }) =>
 *   typeof at === "number" && typeof length === "number"
 *     ? { startMillis: at, endMillis: at + length, text: String(words) }
 *     : undefined
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type SegmentReader = (segment: Readonly<Record<string, unknown>>) => Reading | undefined

/**
 * The names of the fields of a segment, and the unit of its times.
 *
 * @example
 * ```ts
 * import { SegmentReader } from "@effect-speech/long-form"
 *
 * export const names: SegmentReader.Fields = { start: "timestamps.0", end: "timestamps.1", unit: "millis" }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Fields {
  /** The name of the field with the start. Dots lead into objects and arrays: `timestamps.0`. */
  readonly start: string
  /** The name of the field with the end. */
  readonly end: string
  /** The name of the field with the text. Default: `text`. */
  readonly text?: string | undefined
  /** The unit of both times. */
  readonly unit: "seconds" | "millis"
}

/**
 * A reader of fields with these names. Use it if your service names them differently from the local service. A time is a number, or a
 * decimal one in a string. The confidence is that of the contract.
 *
 * @example
 * ```ts
 * import { SegmentReader } from "@effect-speech/long-form"
 *
 * const read = SegmentReader.fields({ start: "begin", end: "stop", unit: "seconds" })
 * export const reading = read({ begin: "0.5", stop: 1.25, text: "hello" }) // 500 to 1,250 ms
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fields = ({ end, start, text = "text", unit }: Fields): SegmentReader => {
  const perUnit = unit === "seconds" ? 1000 : 1
  return (segment) => {
    const [from, to] = [numberOf(at(segment, start)), numberOf(at(segment, end))]
    if (from === undefined || to === undefined) return undefined
    const words = at(segment, text)
    return {
      startMillis: from * perUnit,
      endMillis: to * perUnit,
      text: Predicate.isString(words) ? words : undefined,
      confidence: numberOf(segment.confidence)
    }
  }
}

/**
 * Reads what the local service responds: `start` and `end` in seconds, and `text`. It is the default of `LongTranscription`.
 *
 * @example
 * ```ts
 * import { SegmentReader } from "@effect-speech/long-form"
 *
 * export const reading = SegmentReader.localService({ start: 0.5, end: 1.25, text: "hello" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const localService: SegmentReader = fields({ start: "start", end: "end", unit: "seconds" })

const at = (segment: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce(
      (value: unknown, name) =>
        Predicate.isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined,
      segment
    )

/** `Number` also reads `0x1`, `0b1` and `Infinity`, which no service means as a time. */
const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

const numberOf = (value: unknown): number | undefined => {
  const number = Predicate.isString(value) && decimal.test(value.trim()) ? Number(value) : value
  return Predicate.isNumber(number) && Number.isFinite(number) ? number : undefined
}
