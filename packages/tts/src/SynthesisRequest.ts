/**
 * The request of a synthesis. The client checks it by the rules of the contract before it sends anything. Only the
 * service knows the valid values of `lang` and `voice`.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Schema from "effect/Schema"
import * as Contract from "./TtsContract.js"

/** White space, controls and characters that show nothing: there is nothing to speak. */
const blank = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]+$/u

/** Any JSON object. */
const Json = Issue.plainObject(Schema.Record({ key: Schema.String, value: Schema.Unknown }), {
  jsonSchema: { type: "object" },
  arbitrary: () => (fc) => fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue(), { noNullPrototype: true })
})

const bodyFields = Object.keys(Contract.SynthesisBody.fields)

/**
 * The request of a synthesis. A call with a field that breaks a rule fails with `TtsInvalidRequest`, and sends nothing. Use it as a Schema to
 * check a payload of your own: decoding then fails with a `ParseError`.
 *
 * @example
 * ```ts
 * import { SynthesisRequest } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * export const request: SynthesisRequest = { text: "नमस्ते", lang: "hi", outputFormat: "8000:pcm16", speed: 1.2 }
 *
 * // The query of a server that speaks.
 * export const Query = Schema.Struct(SynthesisRequest.fields).pipe(Schema.pick("text", "lang", "voice"))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const SynthesisRequest = Schema.Struct({
  /** 1 to 10,000 Unicode code points, not all blank; each is billed. */
  text: Contract.Text.pipe(
    Schema.filter((text) => !blank.test(text) || "must not be blank", {
      jsonSchema: { pattern: String.raw`\S` },
      arbitrary: () => (fc) =>
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 }).filter((text) => !blank.test(text))
    })
  ),
  /** A language code. Default: `hi`, of the service. */
  lang: Schema.optional(Schema.String),
  /** A voice id. Default: `default_female`, of the service. */
  voice: Schema.optional(Schema.String),
  /** Sample rate in Hz, and encoding. Default: `24000:float32`, of the service. */
  outputFormat: Schema.optional(Contract.OutputFormat),
  /** The speaking rate, 0.25 to 4. Default: that of the voice. */
  speed: Schema.optional(Contract.Speed),
  /** Flow-matching steps, 1 to 100. Default: that of the voice. */
  numStep: Schema.optional(Contract.NumStep),
  /**
   * Pronunciations for this request: from a word to its tokens, in the form of the service (any JSON). Default: none.
   */
  g2pOverrides: Schema.optional(Json),
  /** Id of the request: 1 to 64 letters, digits and `.`, `_`, `:`, `-`. Default: the next of `CallIds`, a random UUID. */
  requestId: Schema.optional(
    Schema.String.pipe(
      Schema.filter(
        (id) => Contract.requestIdPattern.test(id) || "must be 1 to 64 characters from letters, digits and . _ : -",
        {
          jsonSchema: { pattern: Contract.requestIdPattern.source },
          arbitrary: () => (fc) => fc.stringMatching(Contract.requestIdPattern)
        }
      )
    )
  ),
  /** Further fields of the JSON body, by the names of the service. None may be one of those above, such as `lang`. Default: none. */
  additionalFields: Schema.optional(
    Json.pipe(
      Schema.filter(
        (fields) => {
          const known = Object.keys(fields).find((name) => bodyFields.includes(name))
          return known === undefined || `must not hold ${known}, which is a field of the request itself`
        },
        { jsonSchema: { propertyNames: { not: { enum: bodyFields } } } }
      )
    )
  )
}).annotations({ identifier: "SynthesisRequest" })
/**
 * @since 0.1.0
 * @category schemas
 */
export interface SynthesisRequest extends Schema.Schema.Type<typeof SynthesisRequest> {}
