import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { OperationName } from "../../OperationName.js"
import { mustBe } from "../validation.js"
import { canonicalJson, sortKeys } from "./identity.js"

/** Only a file beside the exchange: a folder of somebody else can't name another one. */
const audioPath = Schema.String.pipe(Schema.pattern(/^audio\/[\w-][\w.-]*$/))
const sha256 = Schema.String.pipe(Schema.pattern(/^[\da-f]{64}$/))
const audioFile = { bytes: Schema.NonNegativeInt, sha256 }

/** As Node sends them. */
const headers = Schema.Record({
  key: Schema.String.pipe(Schema.pattern(/^[!#$%&'*+.^_`|~0-9a-z-]+$/)),
  value: Schema.String.pipe(Schema.pattern(/^[\t\x20-\x7e\x80-\xff]*$/))
})

const FileBody = Schema.Struct({ file: audioPath, bytes: Schema.Int.pipe(Schema.positive()), sha256 })
export type FileBody = typeof FileBody.Type

/** The body of a response: JSON whose compact text is the body, other text, or a file. */
const KeptBody = Schema.Union(
  Schema.Struct({ json: Schema.Unknown }),
  Schema.Struct({ text: Schema.String }),
  FileBody
).annotations({ parseOptions: { onExcessProperty: "error" } })

export const KeptResponse = Schema.Struct({
  status: Schema.Int.pipe(Schema.between(200, 599)),
  headers,
  /** `true` if the service returned the request id of the client. */
  echoesRequestId: Schema.optional(Schema.Literal(true)),
  /** Whole milliseconds until the response began. */
  millis: Schema.NonNegativeInt,
  body: KeptBody
})
export type KeptResponse = typeof KeptResponse.Type

/** A `Schema.Record` would lose a field with the name `__proto__`. */
const fields = Schema.declare(Predicate.isReadonlyRecord).annotations(mustBe("an object"))

export const KeptRequest = Schema.Struct({
  fields,
  audio: Schema.optional(Schema.Struct({ ...audioFile, file: audioPath, filename: Schema.optional(Schema.String) }))
})

/** A request with its responses, in order. */
export const ExchangeFile = Schema.Struct({
  operation: OperationName,
  request: KeptRequest,
  responses: Schema.NonEmptyArray(KeptResponse)
})
export type ExchangeFile = typeof ExchangeFile.Type

export const parseExchange = Schema.decodeUnknown(Schema.parseJson(ExchangeFile))

/** The text of a file. Keys are sorted, except in the JSON of a response: it must stay the same by the byte. */
export const formatExchange = ({ operation, request, responses }: ExchangeFile): string =>
  `${JSON.stringify({ operation, request: sortKeys(request), responses: responses.map(sortResponse) }, null, 2)}\n`

const sortResponse = ({ body, ...response }: KeptResponse): unknown => ({
  body: "json" in body ? body : sortKeys(body),
  ...(sortKeys(response) as object)
})

/** The end of each text of {@link formatExchange}. */
const endOfText = "\n  ]\n}\n"

/** The text of {@link formatExchange} with one more response, without reading the others. */
export const addResponse = (text: string, response: KeptResponse): string => {
  const added = JSON.stringify(sortResponse(response), null, 2).replaceAll("\n", "\n    ")
  return `${text.slice(0, -endOfText.length)},\n    ${added}${endOfText}`
}

/** The text of the body, if it is not in a file of its own. */
export const inlineBody = (body: KeptResponse["body"]): string | undefined =>
  "json" in body ? JSON.stringify(body.json) : "text" in body ? body.text : undefined

/** In UTF-8. Longer bodies are in files of their own. */
export const longestInlineBody = 256 * 1024

/** JSON that has this very text when it is written again is readable as JSON. `undefined`: the bytes are no text in UTF-8. */
export const bodyOfText = (bytes: Uint8Array): KeptResponse["body"] | undefined => {
  let text: string
  try {
    // Without `ignoreBOM` the mark would be lost.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  try {
    const json: unknown = JSON.parse(text)
    if (JSON.stringify(json) === text) return { json }
  } catch {
    // The text is no JSON, or `JSON.stringify` fails since it is nested too deep.
  }
  return { text }
}

/** The call id in the body of a transcription, if it has one. */
export const callIdOf = (operation: OperationName, body: KeptResponse["body"]): string | undefined =>
  operation === "transcribe" && "json" in body && Predicate.isRecord(body.json) && typeof body.json.call_id === "string"
    ? body.json.call_id
    : undefined

/** Whether two responses differ only in what differs each time: the duration, the times and the ids that the service makes. */
export const isSameResponse = (one: KeptResponse, other: KeptResponse): boolean => lasting(one) === lasting(other)

const lasting = ({ body, headers, millis: _, ...response }: KeptResponse): string => {
  const { date, "x-request-id": __, ...others } = headers
  const { "retry-after": ___, ...withoutDates } = others
  return canonicalJson({ ...response, headers: date === undefined ? others : withoutDates, body: lastingBody(body) })
}

const lastingBody = (body: KeptResponse["body"]): unknown => {
  if (!("json" in body) || !Predicate.isRecord(body.json)) return body
  const { aux_info: aux, call_id: _, ...fields } = body.json
  if (!Predicate.isRecord(aux)) return { json: fields }
  const { received_request_time: __, request_time: ___, ...info } = aux
  return { json: { ...fields, aux_info: info } }
}
