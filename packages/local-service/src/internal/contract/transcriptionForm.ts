import * as Contract from "@effect-speech/stt/SttContract"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { badRequest, formatFieldName, type Problem } from "../http/problems.js"
import { mustBe } from "../validation.js"

const flag = Schema.BooleanFromString.annotations(mustBe("true or false"))

/** The fields of the form, without the file. It also writes `/openapi.json`, where `ofModel` is added to the schema of the model. */
export const transcriptionForm = (ofModel: object = {}) =>
  Schema.Struct({
    [Contract.field.model]: Schema.propertySignature(
      Schema.String.pipe(
        Schema.filter((model) => model !== "" || "must not be empty", {
          jsonSchema: { minLength: 1, ...ofModel }
        })
      )
    ).annotations({ description: "The model, which decides the language. An unknown model is 400." }),
    [Contract.field.transactionId]: Schema.propertySignature(
      Schema.UUID.annotations({ message: () => "must be a UUID" })
    ).annotations({ description: "A UUID from the client." }),
    [Contract.field.aux]: Schema.optional(flag).annotations({ description: "`true` adds `aux_info` to the response." }),
    [Contract.field.parseNumber]: Schema.optional(flag).annotations({
      description: "`true` turns spoken numbers into digits, in Hindi, Malayalam, Kannada, Gujarati and Marathi."
    }),
    [Contract.field.hotwords]: Schema.optional(Schema.Array(Contract.Hotword)).annotations({
      description:
        "The contract does not define the encoding. Our choice: one field with a JSON array; one field for each hotword, " +
        "with a JSON object; or fields `hotwords[0][phrase]`, `hotwords[0][score]` and so on."
    })
  })
/** The fields of a form as one object. `hotwords` becomes an array, from any of its three encodings. */
export const toForm = (
  fields: ReadonlyArray<readonly [name: string, value: string]>
): Effect.Effect<Record<string, unknown>, Problem> => {
  const form = new Map<string, unknown>()
  const encoded: Array<string> = []
  const indexed: Array<Record<string, unknown>> = []
  for (const [name, value] of fields) {
    const [, index, property] = indexedHotword.exec(name) ?? []
    if (name === Contract.field.hotwords) encoded.push(value)
    else if (index !== undefined && property !== undefined) {
      const hotword = indexed[Number(index)] ?? {}
      indexed[Number(index)] = hotword
      if (Object.hasOwn(hotword, property)) return repeated(name)
      hotword[property] = property === "score" && value.trim() !== "" ? Number(value) : value
    } else if (form.has(name)) return repeated(name)
    else form.set(name, value)
  }
  return Effect.map(decodeHotwords(encoded), (decoded) => {
    const hotwords = indexed.length > 0 && Array.isArray(decoded) ? [...decoded, ...indexed] : decoded
    const hasHotwords = encoded.length > 0 || indexed.length > 0
    return Object.fromEntries(hasHotwords ? [...form, [Contract.field.hotwords, hotwords]] : form)
  })
}

/** `hotwords[0][phrase]` */
const indexedHotword = /^hotwords\[(\d{1,3})\]\[(phrase|score)\]$/

const repeated = (name: string) => Effect.fail(badRequest(`${formatFieldName(name)} is given twice`))

/** Reads one field with an array, or one field per element. */
const decodeHotwords = (encoded: ReadonlyArray<string>): Effect.Effect<unknown, Problem> =>
  Effect.try({
    try: () => {
      const values = encoded.map((value): unknown => JSON.parse(value))
      return values.length === 1 && Array.isArray(values[0]) ? values[0] : values
    },
    catch: () => badRequest("hotwords are not JSON: an array of objects with phrase and score")
  })
