/**
 * Broken services, to show that every rule can fail: the recorded responses of a right service, some of them changed.
 * A rule is checked against a recording at once, without HTTP.
 */
import { jsonObject, type Rule } from "./rule.js"
import { checkRule } from "./rules.js"
import { type HttpRequest, type HttpResponse, makeOwnService, type OwnServiceOptions, type Send } from "./service.js"

/** What a rule sent and received, in order. */
export type Recording = Array<{ readonly request: HttpRequest; readonly response: HttpResponse }>

const empty: HttpResponse = { status: 0, headers: {}, bytes: Buffer.alloc(0) }

export const recording =
  (send: Send, into: Recording): Send =>
  async (request) => {
    // Responses may arrive in another order than the requests.
    const index = into.push({ request, response: empty }) - 1
    const response = await send(request)
    into[index] = { request, response }
    return response
  }

/** Whether a rule fails with these responses. */
const fails = async (
  rule: Rule,
  responses: ReadonlyArray<HttpResponse>,
  options: OwnServiceOptions
): Promise<boolean> => {
  const rest = [...responses]
  // A rule that has failed may send more than was recorded.
  const send: Send = async () => rest.shift() ?? empty
  try {
    const outcome = await checkRule(rule, makeOwnService(send, options))
    return "held" in outcome && outcome.held === false
  } catch {
    // A rule may throw at a response of the platform that it cannot read.
    return true
  }
}

const withHeader = (response: HttpResponse, name: string, value: string | undefined): HttpResponse => ({
  ...response,
  headers: { ...response.headers, [name]: value }
})

const withJson = (response: HttpResponse, value: unknown): HttpResponse => ({
  ...response,
  bytes: Buffer.from(JSON.stringify(value))
})

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The object with one field removed or replaced, at every depth. */
const changesOfFields = (object: Json): ReadonlyArray<Json> =>
  Object.entries(object).flatMap(([name, value]) => {
    const { [name]: _, ...without } = object
    const inner = isObject(value) ? changesOfFields(value) : []
    return [without, ...[null, "other", [{}], -1, ...inner].map((other) => ({ ...object, [name]: other }))]
  })

/** A response with one thing changed: its status, a header, a field, or its body. */
const changesOf = (response: HttpResponse): ReadonlyArray<HttpResponse> => {
  const { bytes, headers, status } = response
  const object = jsonObject(response)
  return [
    { ...response, status: status === 200 ? 400 : 200 },
    ...Object.keys(headers).flatMap((name) => [undefined, "other"].map((value) => withHeader(response, name, value))),
    ...(object === undefined ? [] : changesOfFields(object)).map((changed) => withJson(response, changed)),
    ...[Buffer.alloc(0), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(bytes.length, 0xff)].map((other) => ({
      ...response,
      bytes: other
    }))
  ]
}

const some = async <T>(all: ReadonlyArray<T>, holds: (each: T) => Promise<boolean>): Promise<boolean> => {
  for (const each of all) if (await holds(each)) return true
  return false
}

/** The requests whose response a rule does not check: whatever changes in it, the rule holds. */
export const uncheckedRequests = async (
  rule: Rule,
  recorded: Recording,
  options: OwnServiceOptions
): Promise<ReadonlyArray<string>> => {
  const responses = recorded.map(({ response }) => response)
  const unchecked: Array<string> = []
  for (const [index, { request, response }] of recorded.entries()) {
    // Every rule ends with a reset.
    if (request.label === "POST reset") continue
    const breaks = (changed: HttpResponse) => fails(rule, responses.with(index, changed), options)
    const changes = [...responses.filter((other) => other !== response), ...changesOf(response)]
    if (!(await some(changes, breaks))) unchecked.push(request.label)
  }
  return unchecked
}

export interface BrokenService {
  /** Follows "a service that". */
  readonly defect: string
  /** Matches the label of a request and the status of its response, such as `synthesize [{},{"text":"a"}] 200`. */
  readonly at: RegExp
  readonly change: (response: HttpResponse, request: HttpRequest) => HttpResponse
  /** The sentences of all rules that it breaks. */
  readonly breaks: ReadonlyArray<string>
}

export const rulesBrokenBy = async (
  { at, change }: BrokenService,
  recordings: ReadonlyMap<Rule, Recording>,
  options: OwnServiceOptions
): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = []
  for (const [rule, recorded] of recordings) {
    const isChanged = recorded.map(({ request, response }) => at.test(`${request.label} ${response.status}`))
    const responses = recorded.map(({ request, response }, index) =>
      isChanged[index] === true ? change(response, request) : response
    )
    if (isChanged.includes(true) && (await fails(rule, responses, options))) broken.push(rule.sentence)
  }
  return broken
}

const setHeader =
  (name: string, change: (value: string, request: HttpRequest) => string | undefined) =>
  (response: HttpResponse, request: HttpRequest): HttpResponse =>
    withHeader(response, name, change(String(response.headers[name]), request))
const setFields = (fields: Json) => (response: HttpResponse) =>
  withJson(response, { ...jsonObject(response), ...fields })
const setAux = (fieldsOf: (aux: Json) => Json) => (response: HttpResponse) =>
  withJson(response, { ...jsonObject(response), aux_info: fieldsOf(Object(jsonObject(response)?.aux_info)) })
const setBody = (bodyOf: (bytes: Buffer) => Buffer | string) => (response: HttpResponse) => ({
  ...response,
  bytes: Buffer.from(bodyOf(response.bytes) as string)
})
const idOf = ({ headers }: HttpRequest): string => headers["X-Request-Id"] ?? ""

const audio = /^synthesize .* 200$/s
const withAux = /^transcribe .*"aux":"true".* 200$/

/** Mistakes that a service could make, and that leave a response almost right. */
export const brokenServices: ReadonlyArray<BrokenService> = [
  {
    defect: "sends a WAV file",
    at: audio,
    change: setBody((bytes) => Buffer.concat([Buffer.from("RIFF".padEnd(44, "\0")), bytes])),
    breaks: ["the body is raw audio without a container", "`X-Audio-Duration-Ms` is the duration of the body"]
  },
  {
    defect: "states a duration that is 5 ms too long",
    at: audio,
    change: setHeader("x-audio-duration-ms", (millis) => String(Number(millis) + 5)),
    breaks: ["`X-Audio-Duration-Ms` is the duration of the body"]
  },
  {
    defect: "sends floats that are not numbers",
    at: /float32.* 200$/,
    change: setBody((bytes) => Buffer.alloc(bytes.length, 0xff)),
    breaks: ["the body holds whole samples, and every float is a number"]
  },
  {
    defect: "returns request ids in lower case",
    at: /^synthesize .*"X-Request-Id":"[\w.:-]{1,64}"/,
    change: setHeader("x-request-id", (_, request) => idOf(request).toLowerCase()),
    breaks: [
      "audio returns `X-Request-Id` unchanged",
      "an error returns `X-Request-Id` unchanged",
      "`X-Request-Id` is 1 to 64 letters, digits, `.`, `_`, `:` and `-`"
    ]
  },
  {
    defect: "truncates request ids to 36 characters",
    at: /^synthesize .*"X-Request-Id":"[\w.:-]{37,64}"/,
    change: setHeader("x-request-id", (_, request) => idOf(request).slice(0, 36)),
    breaks: ["`X-Request-Id` is 1 to 64 letters, digits, `.`, `_`, `:` and `-`"]
  },
  { defect: "omits every field of aux_info", at: withAux, change: setAux(() => ({})), breaks: [] },
  {
    defect: "states the time of India",
    at: withAux,
    change: setAux((aux) => ({ ...aux, received_request_time: "2026-01-31T10:00:00+05:30" })),
    breaks: ["`aux_info.received_request_time` is a timestamp in UTC"]
  },
  {
    defect: "states its confidence in percent",
    at: withAux,
    change: setAux((aux) => ({ ...aux, confidence: 99 })),
    breaks: ["`aux_info.confidence` is from 0 to 1"]
  },
  {
    defect: "always sends aux_info",
    at: /^transcribe \[\{\},\{("aux":"false")?\}\] 200$/,
    change: setFields({ aux_info: {} }),
    breaks: ["without `aux`, or with `false`, there is no `aux_info`"]
  },
  {
    defect: "replaces a key without a confirmation",
    at: /^POST keys 409$/,
    change: (response) => ({ ...response, status: 201 }),
    breaks: ["the platform replaces a key only after a confirmation"]
  },
  {
    defect: "bills twice the credit",
    at: /^GET account 200$/,
    change: (response) => withJson(response, { credits: 2 * Number(jsonObject(response)?.credits) }),
    breaks: ["synthesis is billed per Unicode code point of the text"]
  }
]
