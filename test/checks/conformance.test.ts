import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll } from "vitest"
import { jsonObject, type Rule } from "../../checks/conformance/rule.js"
import { changesService, checkRule, rules } from "../../checks/conformance/rules.js"
import {
  type HttpRequest,
  type HttpResponse,
  knownRecordings,
  makeOwnService,
  overHttp,
  remembering,
  type Send
} from "../../checks/conformance/service.js"

const models = { model: "hi-general-v2-8khz", otherModel: "en-general-v2-8khz" }
const folder = mkdtempSync(join(tmpdir(), "conformance-"))
const runtime = ManagedRuntime.make(LocalService.layer({ recordings: knownRecordings(folder) }))
let send: Send
let options: Parameters<typeof makeOwnService>[1]

beforeAll(async () => {
  const { adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = await runtime.runPromise(LocalService)
  send = overHttp({ stt: sttBaseUrl, tts: ttsBaseUrl, platform: platformUrl })
  options = { ...models, key: Redacted.value(apiKey), adminToken: Redacted.value(adminToken) }
})
afterAll(async () => {
  await runtime.dispose()
  rmSync(folder, { recursive: true })
})

type Exchange = readonly [request: HttpRequest, response: HttpResponse]
const noResponse: HttpResponse = { status: 0, headers: {}, bytes: Buffer.alloc(0) }

/** What each rule has sent and received, in the order of the requests. */
const recorded = new Map<Rule, Array<Exchange>>()

describe("the local service keeps the contract:", () => {
  const remembered = remembering((request) => send(request))
  it.each([...rules])("$sentence", async (rule) => {
    const own: Array<Exchange> = []
    const sendThis = changesService(rule) ? send : remembered
    const recording: Send = async (request) => {
      const place = own.push([request, noResponse]) - 1
      const response = await sendThis(request)
      own[place] = [request, response]
      return response
    }
    recorded.set(rule, own)
    const outcome = await checkRule(rule, makeOwnService(recording, options))
    expect(outcome).not.toHaveProperty("skipped")
    expect(outcome).not.toHaveProperty("held", false)
  })
})

/** Whether a rule fails if the service responds so. */
const fails = async (rule: Rule, responses: ReadonlyArray<HttpResponse>): Promise<boolean> => {
  const rest = [...responses]
  // A rule that has failed may send more than was recorded.
  const replay: Send = async () => rest.shift() ?? noResponse
  const outcome = await checkRule(rule, makeOwnService(replay, options))
  return "held" in outcome && outcome.held === false
}

type Json = Readonly<Record<string, unknown>>
type Change = (response: HttpResponse, request: HttpRequest) => Partial<HttpResponse>
const setHeader =
  (name: string, change: (value: string) => string): Change =>
  ({ headers }) => ({ headers: { ...headers, [name]: change(String(headers[name])) } })
const setBody =
  (change: (bytes: Buffer) => Buffer): Change =>
  ({ bytes }) => ({ bytes: change(bytes) })
const setFields =
  (change: (fields: Json) => Json): Change =>
  (response) => ({
    bytes: Buffer.from(JSON.stringify({ ...jsonObject(response), ...change(jsonObject(response) ?? {}) }))
  })
const setAux = (fields: Json): Change => setFields(({ aux_info }) => ({ aux_info: { ...Object(aux_info), ...fields } }))

const durationRule = "`X-Audio-Duration-Ms` is the duration of the body"
const idRule = "`X-Request-Id` is 1 to 64 letters, digits, `.`, `_`, `:` and `-`"
const audio = /^synthesize .* 200$/s
const withAux = /^transcribe .*"aux":"true".* 200$/

/** Mistakes that leave a response almost right: where (the label of a request with its status), and the rules that they break. */
const mistakes: ReadonlyArray<readonly [defect: string, at: RegExp, change: Change, breaks: ReadonlyArray<string>]> = [
  [
    "sends a WAV file",
    audio,
    setBody((bytes) => Buffer.concat([Buffer.from("RIFF".padEnd(44, "\0")), bytes])),
    ["the body is raw audio without a container", durationRule]
  ],
  ["is 5 ms off", audio, setHeader("x-audio-duration-ms", (millis) => String(Number(millis) + 5)), [durationRule]],
  [
    "sends floats that are not numbers",
    /float32.* 200$/,
    setBody((bytes) => Buffer.alloc(bytes.length, 0xff)),
    ["the body holds whole samples, and every float is a number"]
  ],
  [
    "returns request ids in lower case",
    /^synthesize .*"X-Request-Id":"[\w.:-]{1,64}"/,
    setHeader("x-request-id", (id) => id.toLowerCase()),
    ["audio returns `X-Request-Id` unchanged", "an error returns `X-Request-Id` unchanged", idRule]
  ],
  [
    "truncates request ids",
    /^synthesize .*"X-Request-Id":"[\w.:-]{37,64}"/,
    setHeader("x-request-id", (id) => id.slice(0, 36)),
    [idRule]
  ],
  ["omits every field of aux_info", withAux, setFields(() => ({ aux_info: {} })), []],
  [
    "states the time of India",
    withAux,
    setAux({ received_request_time: "2026-01-31T10:00:00+05:30" }),
    ["`aux_info.received_request_time` is a timestamp in UTC"]
  ],
  ["is sure in percent", withAux, setAux({ confidence: 99 }), ["`aux_info.confidence` is from 0 to 1"]],
  [
    "always sends aux_info",
    /^transcribe \[\{\},\{("aux":"false")?\}\] 200$/,
    setAux({}),
    ["without `aux`, or with `false`, there is no `aux_info`"]
  ],
  [
    "replaces a key without a confirmation",
    /^POST keys 409$/,
    () => ({ status: 201 }),
    ["the platform replaces a key only after a confirmation"]
  ],
  [
    "bills twice the credit",
    /^GET account 200$/,
    setFields(({ credits }) => ({ credits: 2 * Number(credits) })),
    ["synthesis is billed per Unicode code point of the text"]
  ]
]

it.each(mistakes)("a service that %s breaks its rules, and no others", async (_, at, change, breaks) => {
  const broken: Array<string> = []
  for (const [rule, exchanges] of recorded) {
    const isAt = ([request, response]: Exchange) => at.test(`${request.label} ${response.status}`)
    const responses = exchanges.map((exchange) => {
      const [request, response] = exchange
      return isAt(exchange) ? { ...response, ...change(response, request) } : response
    })
    if (exchanges.some(isAt) && (await fails(rule, responses))) broken.push(rule.sentence)
  }
  expect(broken).toEqual(breaks)
})
