/**
 * What a caller asks for. It is checked before anything is sent, by the rules that the contract states; `lang`
 * and `voice` are left to the service, whose lists are not shown.
 */
import * as Schema from "effect/Schema"
import * as Contract from "./TtsContract.js"

export const SynthesisRequest = Schema.Struct({
  /** 1 to 10,000 Unicode code points; each is billed. */
  text: Contract.Text,
  /** A language code. The service takes `hi` where it is absent. */
  lang: Schema.optional(Schema.String),
  /** A voice id. The service takes `default_female` where it is absent. */
  voice: Schema.optional(Schema.String),
  /** Sample rate and encoding. The service takes `24000:float32` where it is absent. */
  outputFormat: Schema.optional(Contract.OutputFormat),
  /** The speaking rate, 0.25 to 4. Default: the voice's own. */
  speed: Schema.optional(Contract.Speed),
  /** Flow-matching steps, 1 to 100. Default: the voice's own. */
  numStep: Schema.optional(Contract.NumStep),
  /** Pronunciations for this request, from a word to its tokens in the service's own form (any JSON). */
  g2pOverrides: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  /** 1 to 64 characters from letters, digits and `.`, `_`, `:`, `-`. Default: a random UUID. */
  requestId: Schema.optional(
    Schema.String.pipe(
      Schema.filter(
        (id) => Contract.requestIdPattern.test(id) || "must be 1 to 64 characters from letters, digits and . _ : -"
      )
    )
  ),
  /** Fields that the service may have beyond these, sent as they are given. Default: none. */
  additionalFields: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).pipe(
      Schema.filter((fields) => {
        const known = Object.keys(fields).find((name) => Object.hasOwn(Contract.SynthesisBody.fields, name))
        return known === undefined || `must not hold ${known}, which is a field of the request itself`
      })
    )
  )
})
export type SynthesisRequest = typeof SynthesisRequest.Type
