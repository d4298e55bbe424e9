/**
 * What a run does with each of its files: transcribe a recording, or synthesize a text.
 */
import { TranscriptionOptions } from "@effect-speech/stt/TranscriptionOptions"
import { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/**
 * The names of the fields with the times of a segment, as `SegmentReader.fields` of long-form takes them.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const operation = Operation.transcribe({
 *   model: "hi-general-v2-8khz",
 *   segmentFields: { start: "begin", end: "stop", unit: "millis" }
 * })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const SegmentFields = Schema.Struct({
  start: Schema.String,
  end: Schema.String,
  text: Schema.optional(Schema.String),
  unit: Schema.Literal("seconds", "millis")
})

const shortest = 1000
const longest = 3_600_000

const PieceMillis = Schema.Number.pipe(
  Schema.filter(
    (millis) =>
      (Number.isInteger(millis) && millis >= shortest && millis <= longest) ||
      `must be whole milliseconds from ${shortest} to ${longest}`
  )
)

/**
 * The operation that transcribes each recording, as it is stored. {@link transcribe} makes it. A long recording is sent in pieces.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const modelOf = (operation: Operation.Transcribe) => operation.model
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transcribe = Schema.TaggedStruct("Transcribe", {
  /** The name of a model. It decides the language. */
  model: TranscriptionOptions.fields.model,
  /** Write spoken numbers as digits. The service does it only for models of hi, ml, kn, gu and mr. */
  parseNumber: TranscriptionOptions.fields.parseNumber,
  /** Phrases that the recognition prefers. Default: none. */
  hotwords: TranscriptionOptions.fields.hotwords,
  /** Further form fields of the service. Default: none. */
  additionalFields: TranscriptionOptions.fields.additionalFields,
  /** A recording that is longer is sent in pieces of at most this length, in milliseconds. Default: 300,000. */
  pieceMillis: Schema.optional(PieceMillis),
  /** Where a response has the times of its segments. Default: as the local service has them. */
  segmentFields: Schema.optional(SegmentFields)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export interface Transcribe extends Schema.Schema.Type<typeof Transcribe> {}

/**
 * The operation that synthesizes each text, as it is stored. {@link synthesize} makes it. A field of a line comes before these fields.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const langOf = ({ lang = "hi" }: Operation.Synthesize) => lang
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Synthesize = Schema.TaggedStruct("Synthesize", {
  /** A language code. Default: `hi`, of the service. */
  lang: SynthesisRequest.fields.lang,
  /** A voice id. Default: `default_female`, of the service. */
  voice: SynthesisRequest.fields.voice,
  /** Sample rate in Hz, and encoding. Default: `24000:float32`, of the service. */
  outputFormat: SynthesisRequest.fields.outputFormat,
  /** The speaking rate, 0.25 to 4. Default: that of the voice. */
  speed: SynthesisRequest.fields.speed,
  /** Flow-matching steps, 1 to 100. Default: that of the voice. */
  numStep: SynthesisRequest.fields.numStep,
  /** Pronunciations, from a word to its tokens. Default: none. */
  g2pOverrides: SynthesisRequest.fields.g2pOverrides,
  /** Further JSON fields of the service. Default: none. */
  additionalFields: SynthesisRequest.fields.additionalFields
})
/**
 * @since 0.1.0
 * @category schemas
 */
export interface Synthesize extends Schema.Schema.Type<typeof Synthesize> {}

/**
 * What a run does with each of its files.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const describe = (operation: Operation.Operation) =>
 *   operation._tag === "Transcribe" ? `transcribes with ${operation.model}` : "synthesizes"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Operation = Schema.Union(Transcribe, Synthesize)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Operation = typeof Operation.Type

/**
 * The fields of {@link Transcribe}, with a duration for `pieceMillis`.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const options: Operation.TranscribeOptions = { model: "hi-general-v2-8khz", parseNumber: true, maximum: "2 minutes" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface TranscribeOptions extends Omit<Transcribe, "_tag" | "pieceMillis"> {
  /**
   * A recording that is longer is sent in pieces of at most this length: whole milliseconds, from a second to an hour.
   * Default: 5 minutes.
   */
  readonly maximum?: Duration.DurationInput | undefined
}

/**
 * Transcribes each recording. The fields are checked when the run starts: `start` fails with `ArchiveRunInvalid` if one breaks a rule.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const operation = Operation.transcribe({ model: "hi-general-v2-8khz", hotwords: [{ phrase: "Nagpur" }] })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const transcribe = ({ maximum, ...fields }: TranscribeOptions): Transcribe => ({
  _tag: "Transcribe",
  ...fields,
  ...(maximum !== undefined && { pieceMillis: Duration.toMillis(maximum) })
})

/**
 * Synthesizes each text. The fields are checked when the run starts: `start` fails with `ArchiveRunInvalid` if one breaks a rule.
 *
 * @example
 * ```ts
 * import { Operation } from "@effect-speech/archive"
 *
 * export const operation = Operation.synthesize({ lang: "hi", outputFormat: "8000:pcm16", speed: 0.9 })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const synthesize = (fields: Omit<Synthesize, "_tag"> = {}): Synthesize => ({ _tag: "Synthesize", ...fields })
