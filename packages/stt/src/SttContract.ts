/**
 * The HTTP contract of the transcription operation, shared by the client and the local service. Names are those of the
 * HTTP fields.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The path of the operation, below the base URL.
 *
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 *
 * export const address = (baseUrl: string): string => `${baseUrl.replace(/\/$/, "")}${SttContract.path}`
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const path = "/api/transcribe"

/**
 * The header of the key, as the contract writes it. Header names are case-insensitive.
 *
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 *
 * // A server of your own that speaks the contract.
 * export const keyOf = (request: Request): string | null => request.headers.get(SttContract.apiKeyHeader)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const apiKeyHeader = "X-Api-Key"

/**
 * A response header that the contract does not define. Only the local service sends it, with an empty transcript: it says which
 * recordings that service recognises.
 *
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 *
 * export const noticeOf = (response: Response): string | null => response.headers.get(SttContract.noticeHeader)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const noticeHeader = "X-Local-Service-Notice"

/**
 * A response header that the contract does not define. The local service sends it if the request has hotwords, with the value
 * {@link hotwordsIgnored} if the model takes none, and {@link someHotwordsIgnored} if it can't use some of them.
 *
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 *
 * export const usesAllHotwords = (response: Response): boolean => !response.headers.has(SttContract.hotwordsHeader)
 * ```
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
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 *
 * // A request without this client.
 * export const formOf = (recording: Blob): FormData => {
 *   const form = new FormData()
 *   form.set(SttContract.field.model, "hi-general-v2-8khz")
 *   form.set(SttContract.field.transactionId, crypto.randomUUID())
 *   form.set(SttContract.field.audioFile, recording, "call.wav")
 *   return form
 * }
 * ```
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
 * @example
 * ```ts
 * import type { Hotword } from "@effect-speech/stt"
 *
 * export const hotwords: ReadonlyArray<Hotword> = [{ phrase: "UPI" }, { phrase: "unified payments interface", score: 2.5 }]
 * ```
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
 * Use it for the option `hotwordEncoding` of the client, if your service does not read the default.
 *
 * @example
 * ```ts
 * import { type HotwordEncoding, SpeechToText } from "@effect-speech/stt"
 * import { Config } from "effect"
 *
 * export const layer = (hotwordEncoding: HotwordEncoding) =>
 *   SpeechToText.layerConfig({
 *     apiKey: Config.redacted("SPEECH_API_KEY"),
 *     baseUrl: Config.string("SPEECH_STT_BASE_URL"),
 *     hotwordEncoding: Config.succeed(hotwordEncoding)
 *   })
 * ```
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
 * It is `auxInfo` of a transcription, if the request has `aux`. A field of an unexpected type is left out, and an unknown field is kept.
 *
 * @example
 * ```ts
 * import type { SttContract } from "@effect-speech/stt"
 *
 * // The segments in which the service has little confidence.
 * export const doubtful = ({ segments_meta = [] }: SttContract.AuxInfo) =>
 *   segments_meta.filter(({ confidence = 1 }) => confidence < 0.5)
 * ```
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
 * The body of a transcription that succeeded.
 *
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
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 * import { Schema } from "effect"
 *
 * // Fails with `ParseError` if a body is neither a transcription nor a failure.
 * export const read = Schema.decodeUnknown(Schema.parseJson(SttContract.Answer))
 * ```
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
 * @example
 * ```ts
 * import { SttContract } from "@effect-speech/stt"
 * import { Schema } from "effect"
 *
 * // The body that a server of your own sends with a 402.
 * export const noCredit = Schema.encodeSync(SttContract.ErrorBody)({ error: "credit_exhausted", message: "Top up." })
 * ```
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
