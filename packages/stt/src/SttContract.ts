/**
 * The HTTP contract of the transcription operation, shared by the client and the local service. Names are those of the
 * HTTP fields.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category constants
 */
export const path = "/api/transcribe"

/**
 * The header of the key, as the contract writes it. Header names are case-insensitive.
 *
 * @since 0.1.0
 * @category constants
 */
export const apiKeyHeader = "X-Api-Key"

/**
 * A response header that the contract does not define. Only the local service sends it, with an empty transcript: it says which
 * recordings that service recognises.
 *
 * @since 0.1.0
 * @category constants
 */
export const noticeHeader = "X-Local-Service-Notice"

/**
 * A response header that the contract does not define. The local service sends it if the request has hotwords, with the value
 * {@link hotwordsIgnored} if the model takes none, and {@link someHotwordsIgnored} if it can't use some of them.
 *
 * @since 0.1.0
 * @category constants
 */
export const hotwordsHeader = "X-Local-Service-Hotwords"

/**
 * A value of {@link hotwordsHeader}.
 *
 * @since 0.1.0
 * @category constants
 */
export const hotwordsIgnored = "ignored"

/**
 * The other value of {@link hotwordsHeader}.
 *
 * @since 0.1.0
 * @category constants
 */
export const someHotwordsIgnored = "some ignored"

/**
 * The fields of the `multipart/form-data` request.
 *
 * @since 0.1.0
 * @category constants
 */
export const field = {
  /** Required. Decides the language. */
  model: "model",
  /** Required. A UUID that the client chooses. */
  transactionId: "transaction_id",
  /** Required. The recording, mono; models are trained at 8 kHz. */
  audioFile: "audio_file",
  /** `true` adds `aux_info` to the response. */
  aux: "aux",
  /** `true` turns spoken numbers into digits, for Hindi, Malayalam, Kannada, Gujarati and Marathi models. */
  parseNumber: "parse_number",
  /** The {@link Hotword}s. The contract does not state their encoding: see {@link HotwordEncoding}. */
  hotwords: "hotwords"
} as const

/**
 * A phrase that the recognition prefers.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Hotword = Schema.Struct({
  phrase: Schema.NonEmptyString.pipe(
    Schema.filter(Issue.inText, { arbitrary: () => (fc) => fc.string({ minLength: 1 }) })
  ),
  /** The strength of the preference; about 2.5 suits longer phrases. Default: 1.5, of the service. */
  score: Schema.optional(Schema.Finite)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Hotword = typeof Hotword.Type

/**
 * How hotwords are encoded in the form. The contract does not state it.
 *
 * | encoding   | sends |
 * | ---------- | ----- |
 * | `json`     | one field `hotwords` with the array as JSON |
 * | `repeated` | one field `hotwords` for each hotword, with the object as JSON |
 * | `indexed`  | fields `hotwords[0][phrase]`, `hotwords[0][score]` and so on |
 *
 * @since 0.1.0
 * @category models
 */
export type HotwordEncoding = "json" | "repeated" | "indexed"

const anythingElse = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

/** A field of an unexpected type is omitted, so that it does not cost the transcript. */
const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Effect.succeed(undefined) }))

/** A part of the recording. The contract names only the confidence; all other fields are kept unchanged. */
const Segment = Schema.Struct({ confidence: lenient(Schema.Finite) }, anythingElse)

/**
 * Timings and confidences. A model may omit any of them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AuxInfo = Schema.Struct(
  {
    /** Processing time at the service, in seconds. */
    request_time: lenient(Schema.Finite),
    /** When the service received the request, in UTC. */
    received_request_time: lenient(Schema.Union(Schema.String, Schema.Finite)),
    /** Confidence in the whole transcript, 0 to 1. */
    confidence: lenient(Schema.Finite),
    segments_meta: lenient(Schema.Array(Segment))
  },
  anythingElse
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type AuxInfo = typeof AuxInfo.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Success = Schema.Struct({
  status: Schema.Literal("success"),
  text: Schema.String,
  call_id: Schema.String,
  aux_info: lenient(AuxInfo)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Success = typeof Success.Type

/**
 * The body of every failure, also of a failure with status 200.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Failure = Schema.Struct({
  status: Schema.Literal("error"),
  /** A summary. */
  error: maybe(Schema.String),
  /** The details. */
  message: maybe(Schema.String),
  call_id: maybe(Schema.String)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Failure = typeof Failure.Type

/**
 * The body of a 200.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Answer = Schema.Union(Success, Failure)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Answer = typeof Answer.Type

/**
 * The fields that the client reads from the body of any other status.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ErrorBody = Schema.Struct({ error: maybe(Schema.String), message: maybe(Schema.String) })
/**
 * @since 0.1.0
 * @category schemas
 */
export type ErrorBody = typeof ErrorBody.Type
