import { describe, expect, it } from "@effect/vitest"
import { AudioSource } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { faultyServer, onFirstBytes } from "effect-speech-test-support/faultyServer"
import { respondJson } from "effect-speech-test-support/scriptedServer"
import { connect, failure, request, sendJson, sendStatuses, sttOf, success, transcribe } from "./scriptedStt.js"

describe("a transcription", () => {
  it.scoped("has the text, the ids, the report, and all fields of aux_info", () =>
    Effect.gen(function* () {
      const auxInfo = {
        request_time: 1.5,
        received_request_time: 1700000000,
        confidence: 0.9,
        later: { x: 1 },
        segments_meta: [{ confidence: 0.8, tokens: ["न"] }]
      }
      const { outcome } = yield* transcribe(sendJson(200, { ...success, later: true, aux_info: auxInfo }))
      expect(outcome).toMatchObject({
        right: {
          text: "नमस्ते",
          callId: "call-1",
          transactionId: request.transactionId,
          auxInfo,
          call: {
            sentId: request.transactionId,
            receivedId: "call-1",
            billing: "unknown",
            attempts: [{ status: 200, sent: "all" }]
          }
        }
      })
    })
  )

  const notice = { "x-local-service-notice": "it knows prefix.topsecret" }
  const ignored = { "x-local-service-hotwords": "ignored" }
  it.scoped.each([
    ["an empty text and a notice", "", notice, ["NothingRecognised"]],
    ["a text and a notice", "नमस्ते", notice, []],
    ["hotwords that were ignored", "नमस्ते", ignored, ["HotwordsIgnored"]],
    ["some hotwords that were ignored", "नमस्ते", { "x-local-service-hotwords": "some ignored" }, ["HotwordsIgnored"]],
    ["both", "", { ...notice, ...ignored }, ["HotwordsIgnored", "NothingRecognised"]]
  ] as const)("with %s of the local service has these warnings", ([, text, headers, tags]) =>
    Effect.gen(function* () {
      const { outcome } = yield* transcribe((response) => respondJson(response, 200, { ...success, text }, headers))
      const { warnings } = yield* outcome
      expect(warnings.map(({ _tag }) => _tag)).toEqual(tags)
      expect(JSON.stringify(warnings)).not.toContain("topsecret")
    })
  )

  const wrongTypes = { confidence: "0.9", request_time: 2, segments_meta: [{ confidence: null, start: 1 }] }

  const ofKnownTypes = { request_time: 2, segments_meta: [{ start: 1 }] }

  it.scoped.each([
    ["an empty text", { text: "" }, { text: "" }],
    ["fields of other types in aux_info", { aux_info: wrongTypes }, { text: "नमस्ते", auxInfo: ofKnownTypes }],
    ["segments that are a text", { aux_info: { segments_meta: "three" } }, { auxInfo: { segments_meta: undefined } }],
    ["segments of another type", { aux_info: { segments_meta: [{}, 7] } }, { auxInfo: { segments_meta: undefined } }],
    ["an aux_info of null", { aux_info: null }, { text: "नमस्ते", auxInfo: undefined }],
    ["an aux_info of 7", { aux_info: 7 }, { text: "नमस्ते", auxInfo: undefined }],
    ["a text as aux_info", { aux_info: "none" }, { text: "नमस्ते", auxInfo: undefined }]
  ] as const)("may have %s", ([_, response, expected]) =>
    Effect.gen(function* () {
      const { outcome } = yield* transcribe(sendJson(200, { ...success, ...response }))
      expect(outcome).toMatchObject({ right: expected })
    })
  )
})

describe("a strange aux_info", () => {
  it.scoped("has a field __proto__ as any other", () =>
    Effect.gen(function* () {
      const given = '{"__proto__":{"confidence":1},"later":[{"__proto__":7}]}'
      const body = JSON.stringify(success).replace(/}$/, `,"aux_info":${given}}`)
      const { outcome } = yield* transcribe((response) => response.end(body))
      const { auxInfo } = Either.getOrThrow(outcome)
      expect(JSON.stringify(auxInfo)).toBe(given)
      expect(Object.getPrototypeOf(auxInfo)).toBe(Object.prototype)
    })
  )
})

describe("a status", () => {
  it.scoped.each([
    [400, "SttBadRequest", false, "notBilled"],
    [401, "SttUnauthorized", false, "notBilled"],
    [402, "SttCreditExhausted", false, "notBilled"],
    [403, "SttForbidden", false, "notBilled"],
    [500, "SttServerError", true, "unknown"],
    [503, "SttUnavailable", true, "notBilled"],
    ...[404, 413].map((status) => [status, "SttUnexpectedStatus", false, "notBilled"] as const),
    [429, "SttUnexpectedStatus", true, "notBilled"],
    ...[203, 204, 206, 502].map((status) => [status, "SttUnexpectedStatus", false, "unknown"] as const)
  ] as const)("of %d is %s, with what the service says", ([status, tag, retryable, billing]) =>
    Effect.gen(function* () {
      const error = yield* failure(sendJson(status, { status: "error", error: "a summary", message: "the details" }))
      expect(error).toMatchObject({
        _tag: tag,
        status,
        retryable,
        message: expect.stringContaining(String(status)),
        call: { sentId: request.transactionId, billing, attempts: [{ status }] }
      })
      // A 204 has no body.
      if (status === 204) return
      expect(error).toMatchObject({ serverError: "a summary", serverMessage: "the details" })
      expect(error.message).toContain("a summary: the details")
    })
  )

  it.scopedLive.each([
    { status: 521, reached: "has not reached", retry: "overload", billing: "notBilled", attempts: 3 },
    { status: 504, reached: "may have reached", retry: "ambiguous", billing: "unknown", attempts: 1 }
  ])("of $status is that of a gateway that $reached the service, so its billing is $billing", (expected) =>
    Effect.gen(function* () {
      const { attempts, billing, retry, status } = expected
      const retries = { firstDelay: "1 millis" } as const
      const error = yield* failure((response) => response.writeHead(status).end("<html></html>"), {}, { retries })
      const call = { billing, attempts: Array.from({ length: attempts }, () => ({ status })) }
      expect(error).toMatchObject({ _tag: "SttUnexpectedStatus", serverError: undefined, retry, call })
    })
  )

  it.scopedLive("of 500 is retried, and says that each attempt may be billed", () =>
    Effect.gen(function* () {
      const { stt } = yield* connect(sendStatuses(500, 500), { retries: { times: 1, firstDelay: "1 millis" } })
      const error = yield* Effect.flip(stt.transcribe(request))
      expect(error).toMatchObject({ _tag: "SttServerError", call: { billing: "unknown", attempts: [{}, {}] } })
      expect(error.message).toContain("Each attempt may be billed")
    })
  )

  it.scopedLive("that may be billed ends a call with retryIfBilled: false, and one that is not is retried", () =>
    Effect.gen(function* () {
      const { server, stt } = yield* connect(sendStatuses(503, 500, 200), { retries: { firstDelay: "1 millis" } })
      const error = yield* Effect.flip(stt.transcribe(request, { retryIfBilled: false }))
      expect(error).toMatchObject({ _tag: "SttServerError", call: { attempts: [{ status: 503 }, { status: 500 }] } })
      expect(server.received.length).toBe(2)
    })
  )
})

describe("a 200", () => {
  it.scoped("of status error is SttTranscriptionFailed", () =>
    Effect.gen(function* () {
      const body = { status: "error", error: "no speech", message: "silence", call_id: "call-2" }
      expect(yield* failure(sendJson(200, body))).toMatchObject({
        _tag: "SttTranscriptionFailed",
        serverError: "no speech",
        serverMessage: "silence",
        callId: "call-2",
        call: { receivedId: "call-2", billing: "unknown" }
      })
      const mute = yield* failure(sendJson(200, { status: "error", error: null, message: null, call_id: null }))
      expect(mute).toMatchObject({ _tag: "SttTranscriptionFailed", message: expect.not.stringContaining("says") })
    })
  )

  const largeFields = `{"status":"success","text":[${"{},".repeat(100_000)}{}],"call_id":7}`
  const wrongStatus = '{"status":[{"toString":null}],"text":"secret words"}'

  it.scoped.each([
    ...["", "<html></html>"].map((body) => [`"${body}"`, body, "it is not JSON"] as const),
    ["a number", "7", "it is not a JSON object of that form"],
    ["no text and no id", '{"status":"success"}', "text, call_id are missing or of another type"],
    ["no text", '{"status":"success","call_id":"x"}', "text is missing or of another type"],
    ["a number as text", '{"status":"success","text":7,"call_id":"x"}', "text"],
    ["no status", '{"text":"secret words","call_id":"x"}', "status"],
    ["an array as status", wrongStatus, "status"],
    ["5,000 levels", `${"[".repeat(5000)}${"]".repeat(5000)}`, "it is nested more than 100 levels deep"],
    ["large fields of other types", largeFields, "text, call_id are missing or of another type"]
  ] as const)("with %s is SttInvalidResponse, which names the field and does not quote it", ([_, body, problem]) =>
    Effect.gen(function* () {
      const error = yield* failure((response) => response.end(body))
      expect(error).toMatchObject({ _tag: "SttInvalidResponse", problem: expect.stringContaining(problem) })
      expect(error.message).not.toContain("secret words")
      expect(error.message).toContain("The call may have been billed. Check that the base URL")
    })
  )

  it.scoped.each(['{"status":"success","text":"secret wo', '{"status":"success","text":"x","call_id":"1"', "{"])(
    "with JSON that is cut off, %s, does not blame the base URL, and may have been billed",
    (body) =>
      Effect.gen(function* () {
        const error = yield* failure((response) => response.end(body))
        expect(error).toMatchObject({ _tag: "SttInvalidResponse", problem: "its JSON is cut off" })
        expect(error.message).toContain("The call may have been billed.")
        expect(error.message).not.toContain("base URL")
        expect(error.message).not.toContain("secret wo")
      })
  )

  it.scopedLive("before the end of the upload may have been billed", () =>
    Effect.gen(function* () {
      const { host } = yield* faultyServer(
        onFirstBytes((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\noops"))
      )
      const audio = AudioSource.fromStream(Stream.concat(Stream.make(new Uint8Array(64)), Stream.never))
      const stt = yield* sttOf(`http://${host}`)
      expect(yield* Effect.flip(stt.transcribe({ ...request, audio }))).toMatchObject({
        _tag: "SttInvalidResponse",
        call: { billing: "unknown", attempts: [{ status: 200, sent: "part" }] }
      })
    })
  )
})

describe("the key", () => {
  const key = "prefix.topsecret"

  it.scoped("is in no transcription, even in a name of a field", () =>
    Effect.gen(function* () {
      const aux = { later: [key, [7, null], { [key]: true, what: `the key is ${key}` }] }
      const { outcome } = yield* transcribe(sendJson(200, { ...success, text: key, aux_info: aux }))
      expect(outcome).toMatchObject({
        right: {
          text: "<redacted>",
          auxInfo: { later: ["<redacted>", [7, null], { "<redacted>": true, what: "the key is <redacted>" }] }
        }
      })
    })
  )
})
