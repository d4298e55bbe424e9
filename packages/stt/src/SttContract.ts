/**
 * The wire contract of the transcription operation: one place for the client and for a service that answers it.
 * Names are the wire's own.
 */
import * as Issue from "@effect-speech/transport/Issue"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const path = "/api/transcribe"

/** Header names are case-insensitive; this is how the contract writes it. */
export const apiKeyHeader = "X-Api-Key"

/** The fields of the `multipart/form-data` request. */
export const field = {
  /** Required. Decides the language. */
  model: "model",
  /** Required. A UUID that the client makes. */
  transactionId: "transaction_id",
  /** Required. The recording, mono; models are trained at 8 kHz. */
  audioFile: "audio_file",
  /** `true` adds `aux_info` to the answer. */
  aux: "aux",
  /** `true` turns spoken numbers into digits, for Hindi, Malayalam, Kannada, Gujarati and Marathi models. */
  parseNumber: "parse_number",
  /** Of {@link Hotword}s. The contract does not show how they are encoded: {@link HotwordEncoding}. */
  hotwords: "hotwords"
} as const

/** A phrase that recognition is biased towards. */
export const Hotword = Schema.Struct({
  phrase: Schema.NonEmptyString.pipe(Schema.filter(Issue.inText)),
  /** The strength of the bias. The service takes 1.5 where it is absent; about 2.5 suits longer phrases. */
  score: Schema.optional(Schema.Finite)
})
export type Hotword = typeof Hotword.Type

/**
 * How a `hotwords` array is put into the form, which the contract does not show.
 *
 * | encoding   | sends |
 * | ---------- | ----- |
 * | `json`     | one field `hotwords` with the array as JSON |
 * | `repeated` | a field `hotwords` for each, with the object as JSON |
 * | `indexed`  | fields `hotwords[0][phrase]`, `hotwords[0][score]` and so on |
 */
export type HotwordEncoding = "json" | "repeated" | "indexed"

const anythingElse = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

/** A field of another type than expected is left out: it must not cost the transcript. */
const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Effect.succeed(undefined) }))

/** A part of the recording. The contract names the confidence alone; tokens and times are kept as they come. */
export const Segment = Schema.Struct({ confidence: lenient(Schema.Number) }, anythingElse)
export type Segment = typeof Segment.Type

/** Timings and confidences. A model may leave out any of them. */
export const AuxInfo = Schema.Struct(
  {
    /** Processing time at the service, in seconds. */
    request_time: lenient(Schema.Number),
    /** When the service received the request, in UTC. */
    received_request_time: lenient(Schema.Union(Schema.String, Schema.Number)),
    /** For the whole recording, 0 to 1. */
    confidence: lenient(Schema.Number),
    segments_meta: lenient(Schema.Array(Segment))
  },
  anythingElse
)
export type AuxInfo = typeof AuxInfo.Type

export const Success = Schema.Struct({
  status: Schema.Literal("success"),
  text: Schema.String,
  call_id: Schema.String,
  aux_info: lenient(AuxInfo)
})
export type Success = typeof Success.Type

/** The body of every failure, and of a 200 that is one. */
export const Failure = Schema.Struct({
  status: Schema.Literal("error"),
  /** A summary. */
  error: maybe(Schema.String),
  /** The details. */
  message: maybe(Schema.String),
  call_id: maybe(Schema.String)
})
export type Failure = typeof Failure.Type

/** The body of a 200. */
export const Answer = Schema.Union(Success, Failure)
export type Answer = typeof Answer.Type

/** What is read of the body of any other status, whatever else it holds. */
export const ErrorBody = Schema.Struct({ error: maybe(Schema.String), message: maybe(Schema.String) })
export type ErrorBody = typeof ErrorBody.Type
