/**
 * The fields of a request of a transcription, without its recording. They are JSON: the payload of an HTTP API, a message of an RPC
 * or a field of a job.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Schema from "effect/Schema"
import { field, Hotword } from "./SttContract.js"

const ownFields: ReadonlyArray<string> = Object.values(field)
const fieldName = /^[\x21\x23-\x5b\x5d-\x7e]+$/

const AdditionalFields = Issue.plainObject(
  Schema.Record({ key: Schema.String, value: Schema.String.pipe(Schema.filter(Issue.inText)) }),
  {
    jsonSchema: { type: "object", additionalProperties: { type: "string" } },
    arbitrary: () => (fc) =>
      fc.dictionary(
        fc.stringMatching(/^[a-z]{1,8}$/).filter((name) => !ownFields.includes(name)),
        fc.string(),
        { noNullPrototype: true }
      )
  }
).pipe(
  Schema.filter(
    (fields) => {
      const known = Object.keys(fields).find((name) => ownFields.includes(name))
      if (known !== undefined) return `must not hold ${known}, which is a field of the request itself`
      return (
        Object.keys(fields).every((name) => fieldName.test(name)) ||
        "must have names of visible ASCII without quotes and backslashes, which services read in different ways"
      )
    },
    { jsonSchema: { propertyNames: { pattern: fieldName.source, not: { enum: ownFields } } } }
  )
)

/**
 * The fields of a request without its recording. Use it to check a payload or a setting of your own. Decoding fails with a `ParseError` if a
 * field breaks a rule.
 *
 * @example
 * ```ts
 * import { TranscriptionOptions } from "@effect-speech/stt"
 * import { Schema } from "effect"
 *
 * // The payload of an upload: the id of a stored recording, and how to transcribe it.
 * export const Payload = Schema.Struct({ recordingId: Schema.UUID, options: TranscriptionOptions })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const TranscriptionOptions = Schema.Struct({
  /** The name of a model. It decides the language; the service does not detect it. */
  model: Schema.String.pipe(
    Schema.filter(
      (model) => (model.trim() === "" ? "must not be empty: the model decides the language" : Issue.inText(model)),
      {
        jsonSchema: { minLength: 1, pattern: String.raw`\S` },
        arbitrary: () => (fc) => fc.stringMatching(/^[a-z]{2}-[a-z]{1,8}-v\d-8khz$/)
      }
    )
  ),
  /** A UUID for correlation. Default: a random one. */
  transactionId: Schema.optional(
    Schema.String.pipe(
      Schema.filter((id) => Schema.is(Schema.UUID)(id) || "must be a UUID, like 7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f", {
        jsonSchema: { format: "uuid" },
        arbitrary: () => (fc) => fc.uuid()
      })
    )
  ),
  /** Request `auxInfo`: timings, tokens, confidences. Default: false, of the service. */
  aux: Schema.optional(Schema.Boolean),
  /** Write spoken numbers as digits. The service does it only for models of hi, ml, kn, gu and mr. */
  parseNumber: Schema.optional(Schema.Boolean),
  /** Phrases that the recognition prefers. Default: none. */
  hotwords: Schema.optional(Schema.Array(Hotword)),
  /**
   * Convert a WAV file to mono, 8 kHz and 16 bits during the upload. The models are trained on this format, and it has
   * a twelfth of the size of 48 kHz stereo. Another container, and a codec that audio-codec does not read, fails with
   * `SttAudioUnreadable`. Default: false, the recording is sent unchanged.
   */
  telephony: Schema.optional(Schema.Boolean),
  /** Further form fields of the service, sent unchanged. Default: none. */
  additionalFields: Schema.optional(AdditionalFields)
}).annotations({ identifier: "TranscriptionOptions" })
/**
 * @since 0.1.0
 * @category schemas
 */
export interface TranscriptionOptions extends Schema.Schema.Type<typeof TranscriptionOptions> {}
