import { inspect } from "node:util"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, type SpeechToTextOptions, SttError, SttForbidden } from "@effect-speech/stt"
import type { CallEvent } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { faultyServer, whenBegun } from "../../../test/support/faultyServer.js"
import { answerJson, type Received, scriptedServer, stalledServer } from "../../../test/support/scriptedServer.js"

const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
const success = { status: "success", text: "नमस्ते", call_id: "call-1" }
const recording = AudioSource.fromBytes(new TextEncoder().encode("RIFF....WAVE"), { filename: "call.wav" })
const request = { audio: recording, model: "hi-general-v2-8khz", transactionId }

const against = (
  url: string,
  options: Partial<SpeechToTextOptions> = {}
): Layer.Layer<SpeechToText | FileSystem.FileSystem, unknown> =>
  SpeechToText.layer({ apiKey: Redacted.make("prefix.topsecret"), baseUrl: url, retries: 0, ...options }).pipe(
    Layer.provideMerge(NodeTransport.layer)
  )

/** Transcribes against a server that gives one answer, and gives the outcome and what the server got. */
const transcribe = (
  answer: Parameters<typeof scriptedServer>[0],
  asked: Parameters<SpeechToText["Type"]["transcribe"]>[0] = request,
  options: Partial<SpeechToTextOptions> = {}
) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(answer)
    const outcome = yield* SpeechToText.pipe(
      Effect.flatMap((stt) => stt.transcribe(asked)),
      Effect.either,
      Effect.provide(against(server.url, options)),
      Effect.orDie
    )
    return { outcome, received: server.received }
  })

const failure = (answer: Parameters<typeof scriptedServer>[0], asked?: typeof request) =>
  Effect.flatMap(transcribe(answer, asked), ({ outcome }) => Effect.orDie(Effect.flip(outcome)))

const answering = (status: number, body: unknown) => (response: Parameters<typeof answerJson>[0]) =>
  answerJson(response, status, body)

interface Part {
  readonly headers: string
  readonly body: string
}

/** The parts of a form, split by its own boundary. */
const partsOf = ({ body, headers }: Received): ReadonlyArray<Part> => {
  const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? ""
  const text = body.toString("utf8")
  expect(text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true)
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = "", ...rest] = part.split("\r\n\r\n")
      return { headers: head.trim(), body: rest.join("\r\n\r\n").replace(/\r\n$/, "") }
    })
}

describe("a request", () => {
  it.scoped("is a form with the fields before the file, the key in its header, and an exact length", () =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(answering(200, success))
      expect(outcome._tag).toBe("Right")
      const [sent] = received
      expect(sent?.method).toBe("POST")
      expect(sent?.url).toBe("/api/transcribe")
      expect(sent?.headers["x-api-key"]).toBe("prefix.topsecret")
      expect(Number(sent?.headers["content-length"])).toBe(sent?.body.byteLength)
      expect(sent?.headers).toMatchObject({ accept: "application/json", "accept-encoding": "identity" })
      expect(sent?.headers).not.toHaveProperty("traceparent")
      expect(sent?.headers).not.toHaveProperty("b3")
      expect(sent && partsOf(sent)).toEqual([
        { headers: 'Content-Disposition: form-data; name="model"', body: "hi-general-v2-8khz" },
        { headers: 'Content-Disposition: form-data; name="transaction_id"', body: transactionId },
        {
          headers: 'Content-Disposition: form-data; name="audio_file"; filename="call.wav"\r\nContent-Type: audio/wav',
          body: "RIFF....WAVE"
        }
      ])
    })
  )

  it.scoped("holds what the caller set, in the contract's words", () =>
    Effect.gen(function* () {
      const { received } = yield* transcribe(answering(200, success), {
        ...request,
        aux: true,
        parseNumber: false,
        hotwords: [{ phrase: "Kotak: Bank", score: 2.5 }, { phrase: "UPI" }]
      })
      const fields = received.flatMap(partsOf).map(({ body, headers }) => [/name="([^"]+)"/.exec(headers)?.[1], body])
      expect(fields.slice(2, 5)).toEqual([
        ["aux", "true"],
        ["parse_number", "false"],
        ["hotwords", '[{"phrase":"Kotak: Bank","score":2.5},{"phrase":"UPI"}]']
      ])
    })
  )

  it.scoped.each([
    {
      hotwordEncoding: "repeated",
      fields: [
        ["hotwords", '{"phrase":"UPI","score":2}'],
        ["hotwords", '{"phrase":"PAN"}']
      ]
    },
    {
      hotwordEncoding: "indexed",
      fields: [
        ["hotwords[0][phrase]", "UPI"],
        ["hotwords[0][score]", "2"],
        ["hotwords[1][phrase]", "PAN"]
      ]
    }
  ] as const)("puts hotwords into the form as $hotwordEncoding fields, if asked to", ({ fields, hotwordEncoding }) =>
    Effect.gen(function* () {
      const hotwords = [
        { phrase: "UPI", score: 2 },
        { phrase: "PAN", score: undefined }
      ]
      const { received } = yield* transcribe(answering(200, success), { ...request, hotwords }, { hotwordEncoding })
      expect(received.flatMap(partsOf).map(({ body, headers }) => [/name="([^"]+)"/.exec(headers)?.[1], body])).toEqual(
        [["model", request.model], ["transaction_id", transactionId], ...fields, ["audio_file", "RIFF....WAVE"]]
      )
    })
  )

  it.scoped("passes on fields that the service may have one day", () =>
    Effect.gen(function* () {
      const { received } = yield* transcribe(answering(200, success), {
        ...request,
        additionalFields: { diarize: "true", ["__proto__"]: "too" }
      })
      expect(received.flatMap(partsOf).slice(2, 4)).toEqual([
        { headers: 'Content-Disposition: form-data; name="diarize"', body: "true" },
        { headers: 'Content-Disposition: form-data; name="__proto__"', body: "too" }
      ])
    })
  )

  it.scopedLive("keeps its additional fields as they were when it was checked, also when it is sent again", () =>
    Effect.gen(function* () {
      const additionalFields: Record<string, string> = { diarize: "true" }
      const server = yield* scriptedServer((response) => {
        additionalFields.model = "other"
        if (server.received.length === 1) return answerJson(response, 503, {})
        answerJson(response, 200, success)
      })
      const stt = Effect.flatMap(SpeechToText, (service) => service.transcribe({ ...request, additionalFields }))
      yield* Effect.orDie(Effect.provide(stt, against(server.url, { retries: 1 })))
      const sent = server.received.map((received) => partsOf(received).map(({ headers }) => headers))
      expect(sent.length).toBe(2)
      expect(sent[1]).toEqual(sent[0])
    })
  )

  it.scoped("makes a transaction id where the caller gives none", () =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(answering(200, success), {
        audio: recording,
        model: "hi-general-v2-8khz"
      })
      const sent = received.flatMap(partsOf)[1]?.body
      expect(sent).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(outcome).toMatchObject({ right: { transactionId: sent } })
    })
  )

  it.effect("that is of another type than it should be is told in words, without what was written", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const told = (asked: object) =>
        Effect.map(Effect.flip(stt.transcribe({ ...request, ...asked })), ({ message }) => message)
      expect(yield* told({ model: 5 })).toBe("Nothing was sent: model must be a string.")
      expect(yield* told({ aux: "yes" })).toBe("Nothing was sent: aux must be true or false.")
      expect(yield* told({ hotwords: ["Kotak"] })).toBe("Nothing was sent: hotwords.0 has the wrong form.")
      expect(yield* told({ hotwords: [{ phrase: "" }] })).toBe(
        "Nothing was sent: hotwords.0.phrase must be a string that is not empty."
      )
      expect(yield* told({ Model: "m" })).toContain("Model is not a known field")
      expect(yield* told({ "": "m" })).toContain('"" is not a known field')
      expect(yield* told({ [Symbol("model")]: "m" })).toContain("Symbol(model) is not a known field")
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )

  it.scoped("can't be broken out of by the name of a file", () =>
    Effect.gen(function* () {
      const filename = 'a"; name="model"\r\nX-Evil: 1\r\n\r\nevil.wav'
      const { received } = yield* transcribe(answering(200, success), {
        ...request,
        audio: AudioSource.fromBytes(Uint8Array.of(1), { filename })
      })
      const parts = received.flatMap(partsOf)
      expect(parts.length).toBe(3)
      expect(parts[2]?.headers).toBe(
        'Content-Disposition: form-data; name="audio_file"; filename="a%22; name=%22model%22%0D%0AX-Evil: 1%0D%0A%0D%0Aevil.wav"\r\nContent-Type: audio/wav'
      )
    })
  )

  it.scoped("tells the end of a file's name also to those who take a backslash for an escape", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromBytes(Uint8Array.of(1), { filename: "calls\\" })
      const { received } = yield* transcribe(answering(200, success), { ...request, audio })
      expect(received.flatMap(partsOf)[2]?.headers).toContain('; filename="calls%5C"\r\n')
    })
  )

  it.effect.each([
    { field: "model", asked: { model: "half \ud83d" }, problem: "holds half of a surrogate pair" },
    {
      field: "hotwords.0.phrase",
      asked: { hotwords: [{ phrase: "half \ud83d" }] },
      problem: "holds half of a surrogate pair"
    },
    {
      field: "additionalFields.note",
      asked: { additionalFields: { note: "half \ud83d" } },
      problem: "holds half of a surrogate pair"
    },
    { field: "additionalFields", asked: { additionalFields: { 'a"b': "" } }, problem: "without quotes" },
    { field: "additionalFields", asked: { additionalFields: { "a\\": "" } }, problem: "without quotes" }
  ])("is refused where its $field could not arrive as it was given", ({ asked, field, problem }) =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect(yield* Effect.flip(stt.transcribe({ ...request, ...asked }))).toMatchObject({
        _tag: "SttInvalidRequest",
        field,
        problem: expect.stringContaining(problem)
      })
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )

  it.scoped("goes below the path of the base URL", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(200, success))
      const stt = Effect.flatMap(SpeechToText, (service) => service.transcribe(request))
      yield* Effect.orDie(Effect.provide(stt, against(`${server.url}/speech/v1/`)))
      expect(server.received[0]?.url).toBe("/speech/v1/api/transcribe")
    })
  )

  it.scoped("streams a file from disk with its exact length", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped({ suffix: ".flac" })
      yield* fs.writeFile(path, new Uint8Array(1_000_000).fill(7))
      const { received } = yield* transcribe(answering(200, success), {
        ...request,
        audio: AudioSource.fromPath(path)
      })
      const [sent] = received
      expect(Number(sent?.headers["content-length"])).toBe(sent?.body.byteLength)
      expect(sent?.body.includes(Buffer.alloc(1_000_000, 7))).toBe(true)
      expect(sent?.body.toString("latin1")).toContain("Content-Type: audio/flac")
    }).pipe(Effect.provide(NodeTransport.layer))
  )

  it.scoped("of a stream of unknown length is sent chunked", () =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(answering(200, success), {
        ...request,
        audio: AudioSource.fromStream(() => Stream.make(Uint8Array.of(65), Uint8Array.of(66)))
      })
      expect(outcome._tag).toBe("Right")
      expect(received[0]?.headers["transfer-encoding"]).toBe("chunked")
      expect(received.flatMap(partsOf)[2]?.body).toBe("AB")
    })
  )
})

describe("an answer", () => {
  it.scoped("gives the text and the ids, and what aux_info holds, known or not", () =>
    Effect.gen(function* () {
      const auxInfo = {
        request_time: 1.5,
        received_request_time: 1700000000,
        confidence: 0.9,
        later: { x: 1 },
        segments_meta: [{ confidence: 0.8, tokens: ["न"] }]
      }
      const { outcome } = yield* transcribe(answering(200, { ...success, later: true, aux_info: auxInfo }))
      expect(outcome).toMatchObject({
        right: {
          text: "नमस्ते",
          callId: "call-1",
          transactionId,
          auxInfo,
          call: {
            sentId: transactionId,
            receivedId: "call-1",
            billing: "unknown",
            attempts: [{ status: 200, sent: "all" }]
          }
        }
      })
    })
  )

  it.scoped("keeps its text when aux_info is not as expected", () =>
    Effect.gen(function* () {
      const aux = { confidence: "0.9", request_time: 2, segments_meta: [{ confidence: null, start: 1 }] }
      const { outcome } = yield* transcribe(answering(200, { ...success, aux_info: aux }))
      expect(outcome).toMatchObject({
        right: { text: "नमस्ते", auxInfo: { request_time: 2, segments_meta: [{ start: 1 }] } }
      })
      for (const odd of [null, 7, "none"]) {
        const { outcome } = yield* transcribe(answering(200, { ...success, aux_info: odd }))
        expect(outcome).toMatchObject({ right: { text: "नमस्ते" } })
      }
    })
  )

  it.scoped("with an empty text is a success", () =>
    Effect.gen(function* () {
      const { outcome } = yield* transcribe(answering(200, { ...success, text: "" }))
      expect(outcome).toMatchObject({ right: { text: "" } })
    })
  )

  it.scoped.each([
    { status: 400, tag: "SttBadRequest", retryable: false },
    { status: 401, tag: "SttUnauthorized", retryable: false },
    { status: 402, tag: "SttCreditExhausted", retryable: false },
    { status: 403, tag: "SttForbidden", retryable: false },
    { status: 500, tag: "SttServerError", retryable: true },
    { status: 503, tag: "SttUnavailable", retryable: true },
    { status: 404, tag: "SttUnexpectedStatus", retryable: false },
    { status: 429, tag: "SttUnexpectedStatus", retryable: true },
    { status: 502, tag: "SttUnexpectedStatus", retryable: false },
    { status: 204, tag: "SttUnexpectedStatus", retryable: false }
  ])("of status $status is $tag, with the service's words where it gives some", ({ retryable, status, tag }) =>
    Effect.gen(function* () {
      const told = yield* failure(answering(status, { status: "error", error: "a summary", message: "the details" }))
      expect(told).toMatchObject({
        _tag: tag,
        status,
        retryable,
        call: { sentId: transactionId, billing: "unknown", attempts: [{ status }] }
      })
      if (status !== 204) {
        expect(told).toMatchObject({ serverError: "a summary", serverMessage: "the details" })
        expect(told.message).toContain("a summary: the details")
      }
      expect(told.message).toContain(String(status))

      for (const body of ["", "<html>Bad Gateway</html>", "{", "[1]", '{"error":{}}']) {
        const mute = yield* failure((response) => response.writeHead(status).end(status === 204 ? undefined : body))
        expect(mute).toMatchObject({ _tag: tag, status })
        expect(mute).not.toHaveProperty("serverError", expect.anything())
      }
    })
  )

  it.scoped("that redirects is not followed, so that the key goes nowhere else", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scriptedServer(answering(200, success))
      const told = yield* failure((response) => response.writeHead(307, { location: `${elsewhere.url}/` }).end())
      expect(told).toMatchObject({ _tag: "SttUnexpectedStatus", status: 307 })
      expect(elsewhere.received).toEqual([])
    })
  )

  it.scoped("that redirects is not followed by fetch either, which hides its status", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scriptedServer(answering(200, success))
      const server = yield* scriptedServer((response) =>
        response.writeHead(307, { location: `${elsewhere.url}/` }).end()
      )
      const told = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe(request)),
        Effect.flip,
        Effect.provide(
          SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(
            Layer.provide([FetchHttpClient.layer, NodeFileSystem.layer])
          )
        ),
        Effect.orDie
      )
      expect(told._tag).toBe("SttConnectionFailed")
      expect(elsewhere.received).toEqual([])
    })
  )

  it.scoped("of 200 that is an error is a failure", () =>
    Effect.gen(function* () {
      const told = yield* failure(
        answering(200, { status: "error", error: "no speech", message: "silence", call_id: "call-2" })
      )
      expect(told).toMatchObject({
        _tag: "SttTranscriptionFailed",
        serverError: "no speech",
        serverMessage: "silence",
        callId: "call-2",
        call: { receivedId: "call-2", billing: "unknown" }
      })
      const mute = yield* failure(answering(200, { status: "error", error: null, message: null, call_id: null }))
      expect(mute).toMatchObject({ _tag: "SttTranscriptionFailed", message: expect.not.stringContaining("says") })
    })
  )

  it.scoped.each([
    { what: "HTML", body: "<html></html>", problem: "it is not JSON." },
    { what: "a number", body: "7", problem: "it is not a JSON object of that form" },
    {
      what: "neither text nor id",
      body: '{"status":"success"}',
      problem: "text, call_id are missing or of another type"
    },
    { what: "nothing", body: "", problem: "not JSON" },
    { what: "no text", body: '{"status":"success","call_id":"x"}', problem: "text is missing or of another type" },
    { what: "a number for a text", body: '{"status":"success","text":7,"call_id":"x"}', problem: "text" },
    { what: "no status", body: '{"text":"secret words","call_id":"x"}', problem: "status" },
    {
      what: "a status that is no word",
      body: '{"status":[{"toString":null}],"text":"secret words"}',
      problem: "status"
    }
  ])("of 200 with $what can't be read, and says which part, without quoting it", ({ body, problem }) =>
    Effect.gen(function* () {
      const told = yield* failure((response) => response.end(body))
      expect(told._tag).toBe("SttInvalidResponse")
      expect(told.message).toContain(problem)
      expect(told.message).not.toContain("secret words")
    })
  )

  it.scopedLive("of 200 before all of the recording was sent may have been billed", () =>
    Effect.gen(function* () {
      const { host } = yield* faultyServer(
        whenBegun((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\noops"))
      )
      const audio = AudioSource.fromStream(() => Stream.concat(Stream.make(new Uint8Array(64)), Stream.never))
      const told = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => Effect.flip(stt.transcribe({ ...request, audio }))),
        Effect.provide(against(`http://${host}`))
      )
      expect(told).toMatchObject({
        _tag: "SttInvalidResponse",
        call: { billing: "unknown", attempts: [{ status: 200, sent: "part" }] }
      })
    })
  )

  it.scoped("that is cut is a connection that failed, with all sent", () =>
    Effect.gen(function* () {
      const told = yield* failure((response) => {
        response.writeHead(200, { "content-length": "1000" }).write("{")
        setTimeout(() => response.destroy(), 20)
      })
      expect(told).toMatchObject({ _tag: "SttConnectionFailed", reason: "cut", sent: "all", retryable: false })
    })
  )
})

const namesProblem =
  "must have names of visible ASCII without quotes and backslashes, which services read in different ways"

describe("before anything is sent", () => {
  const unreachable = against("http://127.0.0.1:1")
  const refused = (asked: object) =>
    SpeechToText.pipe(
      Effect.flatMap((stt) => stt.transcribe({ ...request, ...asked })),
      Effect.flip,
      Effect.provide(unreachable),
      Effect.orDie
    )

  it.effect.each([
    { field: "model", asked: { model: " " } },
    { field: "transactionId", asked: { transactionId: "not-a-uuid" } },
    { field: "audio", asked: { audio: "call.wav" } },
    { field: "hotwords.0.phrase", asked: { hotwords: [{ phrase: "" }] } },
    { field: "additionalFields", asked: { additionalFields: { model: "other" } } },
    { field: "additionalFields", asked: { additionalFields: { "a\r\nb": "c" } } },
    { field: "additionalFields.diarize", asked: { additionalFields: { diarize: true } } },
    { field: "parse_number", asked: { parse_number: true } },
    { field: "hotwords.0.scroe", asked: { hotwords: [{ phrase: "UPI", scroe: 2 }] } },
    { field: "hotwords.0.score", asked: { hotwords: [{ phrase: "UPI", score: Number.NaN }] } }
  ])("a wrong $field is named, with its rule", ({ asked, field }) =>
    Effect.gen(function* () {
      const told = yield* refused(asked)
      expect(told).toMatchObject({ _tag: "SttInvalidRequest", field, call: { attempts: [], billing: "notBilled" } })
      expect(told.message).toContain(field)
    })
  )

  it.effect.each([
    { asked: { model: "  " }, problem: "must not be empty: the model decides the language" },
    { asked: { transactionId: "7" }, problem: "must be a UUID, like 7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f" },
    {
      asked: { audio: "call.wav" },
      problem: "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob, fromStream or fromOneShotStream"
    },
    { asked: { aux: "yes" }, problem: "must be true or false" },
    { asked: { hotwords: [{ phrase: "" }] }, problem: "must be a string that is not empty" },
    { asked: { hotwords: [{ phrase: "UPI", score: "2" }] }, problem: "must be a number" },
    {
      asked: { additionalFields: { diarize: "true", audio_file: "x" } },
      problem: "must not hold audio_file, which is a field of the request itself"
    },
    { asked: { additionalFields: { fine: "x", "not fine": "x" } }, problem: namesProblem },
    { asked: { additionalFields: { "": "x" } }, problem: namesProblem }
  ])("what breaks a rule is told it: $problem", ({ asked, problem }) =>
    Effect.gen(function* () {
      expect(yield* refused(asked)).toMatchObject({ problem })
    })
  )

  it.effect.each([
    { what: "missing", audio: AudioSource.fromPath("/nowhere/call.wav"), problem: "does not exist" },
    { what: "a folder", audio: AudioSource.fromPath("/"), problem: "is a folder" },
    { what: "empty", audio: AudioSource.fromBytes(new Uint8Array(0)), problem: "is empty" }
  ])("a recording that is $what is told as such", ({ audio, problem }) =>
    Effect.gen(function* () {
      const told = yield* refused({ audio })
      expect(told).toMatchObject({ _tag: "SttAudioUnreadable", retryable: false })
      expect(told.message).toContain(problem)
    })
  )

  it.scoped.each([
    {
      what: "fails",
      audio: AudioSource.fromStream(() => Stream.concat(Stream.make(Uint8Array.of(1)), Stream.fail(new Error("disk")))),
      problem: "its stream failed"
    },
    {
      what: "is shorter than announced",
      audio: AudioSource.fromStream(() => Stream.make(Uint8Array.of(1)), { byteLength: 2 }),
      problem: "ended after 1 of 2 bytes"
    },
    {
      what: "is longer than announced",
      audio: AudioSource.fromStream(() => Stream.make(Uint8Array.of(1, 2, 3)), { byteLength: 2 }),
      problem: "longer than the 2 bytes"
    },
    {
      what: "throws",
      audio: AudioSource.fromStream(() => {
        throw new RangeError("no")
      }),
      problem: "its stream failed (RangeError)"
    },
    { what: "dies", audio: AudioSource.fromStream(() => Stream.die("no")), problem: "its stream failed" },
    { what: "is empty", audio: AudioSource.fromStream(() => Stream.empty), problem: "is empty" },
    ...[1.5, 0, -1].map((byteLength) => ({
      what: `has a length of ${byteLength} bytes`,
      audio: AudioSource.fromStream(() => Stream.make(Uint8Array.of(1)), { byteLength }),
      problem: `its length can't be ${byteLength} bytes`
    }))
  ])("a recording that $what under way ends the call, and the server gets no whole request", ({ audio, problem }) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(answering(200, success), { ...request, audio })
      expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable" } })
      expect(String(outcome)).toContain(problem)
      expect(received).toEqual([])
    })
  )
})

describe("a connection", () => {
  it.live("that takes no more of a recording ends at the upload's deadline, whatever the source", () =>
    Effect.gen(function* () {
      const server = yield* stalledServer
      const whole = new Uint8Array(16_000_000)
      for (const audio of [AudioSource.fromBytes(whole), AudioSource.fromStream(() => Stream.make(whole))]) {
        const told = yield* SpeechToText.pipe(
          Effect.flatMap((stt) => stt.transcribe({ ...request, audio })),
          Effect.flip,
          Effect.provide(against(server, { deadlines: { uploadIdle: "200 millis" } })),
          Effect.orDie
        )
        expect(told).toMatchObject({ _tag: "SttDeadlineExceeded", phase: "upload", call: { billing: "notBilled" } })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that is refused says so, with nothing sent and nothing billed", () =>
    Effect.gen(function* () {
      const told = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe(request)),
        Effect.flip,
        Effect.provide(against("http://127.0.0.1:1")),
        Effect.orDie
      )
      expect(told).toMatchObject({
        _tag: "SttConnectionFailed",
        reason: "refused",
        sent: "nothing",
        code: "ECONNREFUSED",
        call: { billing: "notBilled" }
      })
    })
  )

  it.scoped("is free again after a failure", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(500, {}))
      yield* SpeechToText.pipe(
        Effect.flatMap((stt) => Effect.replicateEffect(Effect.flip(stt.transcribe(request)), 20)),
        Effect.zipRight(server.connections),
        Effect.tap((open) => Effect.sync(() => expect(open).toBeLessThanOrEqual(2))),
        Effect.provide(against(server.url)),
        Effect.orDie
      )
    })
  )
})

describe("the key", () => {
  it.scoped("is in no error, not even where the service quotes it", () =>
    Effect.gen(function* () {
      const quoting = { status: "error", error: "bad key prefix.topsecret", message: "prefix.topsecret" }
      const escaped = '{"error":"bad key prefix.\\u0074opsecret"}'
      const errors: Array<SttError> = [
        yield* failure((response) => response.writeHead(401).end(escaped)),
        yield* failure(answering(401, quoting)),
        yield* failure(answering(200, quoting)),
        yield* failure((response) => response.destroy())
      ]
      for (const error of errors) {
        const shown = [
          JSON.stringify(error),
          inspect(error, { depth: 20, showHidden: true }),
          String(error.stack),
          Cause.pretty(Cause.fail(error), { renderErrorCause: true })
        ]
        for (const text of shown) expect(text).not.toContain("topsecret")
      }
    })
  )

  it.scoped("is in no transcript either, whatever that holds", () =>
    Effect.gen(function* () {
      const key = "prefix.topsecret"
      const aux = { later: [key, [7, null], { [key]: true, what: `the key is ${key}` }] }
      const { outcome } = yield* transcribe(answering(200, { ...success, text: key, aux_info: aux }))
      expect(outcome).toMatchObject({
        right: {
          text: "<redacted>",
          auxInfo: { later: ["<redacted>", [7, null], { "<redacted>": true, what: "the key is <redacted>" }] }
        }
      })
    })
  )

  it.scoped("that is read anew in a wrong form is told with the call that was refused", () =>
    Effect.gen(function* () {
      const keys = ["old.key", "malformed"]
      const apiKey = Effect.sync(() => Redacted.make(keys.shift() ?? ""))
      const { outcome } = yield* transcribe(answering(401, {}), request, { apiKey })
      expect(outcome).toMatchObject({
        left: {
          _tag: "SttInvalidApiKey",
          problem: "it has no dot between a prefix and a secret",
          call: { sentId: transactionId, attempts: [{ status: 401 }] }
        }
      })
    })
  )

  it.effect.each(["", "no-dot", "with space.secret"])("%j is refused before any call, and not quoted", (key) =>
    Effect.gen(function* () {
      const told = yield* Effect.flip(
        Layer.build(SpeechToText.layer({ apiKey: Redacted.make(key), baseUrl: "https://host.example" }))
      )
      expect(told).toMatchObject({ _tag: "SttInvalidApiKey" })
      expect(String(told)).toContain("<prefix>.<secret>")
      if (key !== "") expect(inspect(told)).not.toContain(key)
    }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
  )
})

describe("the layers", () => {
  it.effect("name the address that is wrong, and the rule that a key breaks", () =>
    Effect.gen(function* () {
      expect(String(yield* Effect.flip(Layer.build(against("host.example"))))).toContain(
        "baseUrl (SPEECH_STT_BASE_URL)"
      )
      const keyless = against("https://host.example", { apiKey: Redacted.make("no-dot") })
      const problem = "it has no dot between a prefix and a secret"
      expect(yield* Effect.flip(Layer.build(keyless))).toMatchObject({ _tag: "SttInvalidApiKey", problem })
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    { what: "no retries that can be counted", options: { retries: 0.5 }, says: "retries" },
    { what: "a deadline that is none", options: { deadlines: { answer: "5 minuts" } }, says: "answer" }
  ])("refuse $what, by name", ({ options, says }) =>
    Effect.gen(function* () {
      const layer = SpeechToText.layer({
        apiKey: Redacted.make("a.b"),
        baseUrl: "https://host.example",
        ...(options as Partial<SpeechToTextOptions>)
      })
      expect(String(yield* Effect.flip(Layer.build(layer)))).toContain(says)
    }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
  )

  it.effect("of a Config take a record of no options", () =>
    Layer.build(
      SpeechToText.layerConfig({
        apiKey: Config.succeed(Redacted.make("a.b")),
        baseUrl: Config.succeed("https://host.example"),
        deadlines: {}
      })
    ).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
  )

  it.effect("of a Config take an option that is undefined for one that is left out", () =>
    Layer.build(
      SpeechToText.layerConfig({
        apiKey: Config.succeed(Redacted.make("a.b")),
        baseUrl: Config.succeed("https://host.example"),
        deadlines: undefined
      })
    ).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
  )

  const fromEnv = (environment: Record<string, string>) =>
    Layer.build(SpeechToText.layerFromEnv).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
      Effect.scoped,
      Effect.provide(NodeTransport.layer)
    )

  it.scoped("read the environment", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(200, success))
      const environment = new Map([
        ["SPEECH_API_KEY", "prefix.secret"],
        ["SPEECH_STT_BASE_URL", server.url]
      ])
      const { text } = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe(request)),
        Effect.provide(SpeechToText.layerFromEnv.pipe(Layer.provide(NodeTransport.layer))),
        Effect.withConfigProvider(ConfigProvider.fromMap(environment))
      )
      expect(text).toBe("नमस्ते")
    })
  )

  it.effect("name a setting that is missing", () =>
    Effect.gen(function* () {
      expect(String(yield* Effect.flip(fromEnv({ SPEECH_API_KEY: "a.b" })))).toContain("SPEECH_STT_BASE_URL")
      expect(String(yield* Effect.flip(fromEnv({ SPEECH_STT_BASE_URL: "https://h" })))).toContain("SPEECH_API_KEY")
    })
  )
})

describe("events", () => {
  it.scopedLive("tell how far a call has come, attempt by attempt", () =>
    Effect.gen(function* () {
      const statuses = [503, 200]
      const server = yield* scriptedServer((response) => answerJson(response, statuses.shift() ?? 200, success))
      const events: Array<CallEvent.CallEvent> = []
      const audio = AudioSource.fromBytes(new Uint8Array(600_000))
      yield* SpeechToText.pipe(
        Effect.flatMap((stt) =>
          stt.transcribe({ ...request, audio }, { onEvent: (event) => Effect.sync(() => void events.push(event)) })
        ),
        Effect.provide(against(server.url, { retries: 1 }))
      )
      const phases = events.map(({ _tag, attempt }) => `${_tag} ${attempt}`)
      expect([...new Set(phases)]).toEqual([
        "Uploading 1",
        "Waiting 1",
        "Answered 1",
        "Retrying 2",
        "Uploading 2",
        "Waiting 2",
        "Answered 2"
      ])
      const uploads = events.filter((event) => event._tag === "Uploading" && event.attempt === 2)
      const sizes = uploads.map((event) => (event._tag === "Uploading" ? event.sentBytes : 0))
      expect(sizes.length).toBeGreaterThan(5)
      expect(sizes).toEqual(sizes.toSorted((one, other) => one - other))
      const total = server.received[1]?.body.byteLength
      expect(uploads.at(-1)).toMatchObject({ sentBytes: total, totalBytes: total })
    })
  )

  it.scoped("do not touch the call when looking at them fails", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(200, success))
      const thrown = () => {
        throw new Error("the progress bar broke")
      }
      for (const onEvent of [() => Effect.die("the progress bar broke"), thrown]) {
        const { text } = yield* SpeechToText.pipe(
          Effect.flatMap((stt) => stt.transcribe(request, { onEvent })),
          Effect.provide(against(server.url)),
          Effect.provide(Logger.remove(Logger.defaultLogger))
        )
        expect(text).toBe(success.text)
      }
    })
  )

  it.scoped("are told in the span of their attempt, which is in that of the call", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(200, success))
      const spans = new Set<string>()
      const onEvent = () =>
        Effect.map(Effect.orDie(Effect.currentSpan), ({ name, parent }) => {
          const around = Option.getOrUndefined(parent)
          spans.add(`${around?._tag === "Span" ? around.name : ""} > ${name}`)
        })
      yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe(request, { onEvent })),
        Effect.provide(against(server.url))
      )
      expect([...spans]).toEqual(["speech.transcribe > speech.attempt"])
    })
  )

  it.scoped("are told in the order of what happens, where the caller is: with its logger and its fiber refs", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(200, success))
      const place = yield* FiberRef.make("elsewhere")
      const told: Array<string> = []
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      yield* SpeechToText.pipe(
        Effect.flatMap((stt) =>
          stt.transcribe(request, {
            onEvent: (event) => {
              told.push(event._tag)
              return Effect.flatMap(FiberRef.get(place), (at) => Effect.log(`${event._tag} ${at}`))
            }
          })
        ),
        Effect.locally(place, "here"),
        Effect.provide(against(server.url)),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect([...new Set(told)]).toEqual(["Uploading", "Waiting", "Answered"])
      expect(logged).toEqual(told.map((tag) => `${tag} here`))
    })
  )
})

const Errors = SttError.members

describe("the test double", () => {
  it.effect("answers with a text, and keeps what it was asked", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect((yield* stt.transcribe(request)).text).toBe("hello")
      const [call] = yield* SpeechToText.calls
      expect(call).toMatchObject({ model: "hi-general-v2-8khz", transactionId })
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )

  it.effect("answers with parts of a transcription", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const auxInfo = { confidence: 0.5 }
      expect(yield* stt.transcribe(request)).toMatchObject({ text: "hello", callId: "call-7", auxInfo, transactionId })
    }).pipe(Effect.provide(SpeechToText.layerTest({ text: "hello", callId: "call-7", auxInfo: { confidence: 0.5 } })))
  )

  it.effect("hears nothing where it is told no text", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect(yield* stt.transcribe(request)).toMatchObject({ text: "", callId: "call-7" })
    }).pipe(Effect.provide(SpeechToText.layerTest({ callId: "call-7" })))
  )

  it.effect("reports of a call as of one that was answered at once", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const { call, callId, transactionId } = yield* stt.transcribe({
        audio: AudioSource.fromPath("a.wav"),
        model: "m"
      })
      expect(call).toEqual({
        sentId: transactionId,
        receivedId: callId,
        attempts: [{ status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 }],
        billing: "unknown",
        elapsedMillis: 0
      })
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )

  it.effect("fails as told", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect((yield* Effect.flip(stt.transcribe(request)))._tag).toBe("SttForbidden")
    }).pipe(Effect.provide(SpeechToText.layerTest(new SttForbidden())))
  )

  it.effect("fails with every error there is", () =>
    Effect.forEach(Errors, (Expected) =>
      Effect.gen(function* () {
        const stt = yield* SpeechToText
        const told = yield* Effect.flip(stt.transcribe(request))
        expect(told).toBeInstanceOf(Expected)
        expect(told.message).toMatch(/\.$/)
      }).pipe(Effect.provide(SpeechToText.layerTest(() => Effect.fail(new Expected()))))
    )
  )

  it.effect("computes an answer from the request, and refuses a request that the service would not be sent", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect(yield* stt.transcribe(request)).toMatchObject({ text: "hi-general-v2-8khz", callId: "test-1" })
      expect((yield* Effect.flip(stt.transcribe({ ...request, model: "" })))._tag).toBe("SttInvalidRequest")
      expect((yield* SpeechToText.calls).length).toBe(1)
    }).pipe(Effect.provide(SpeechToText.layerTest(({ model }) => Effect.succeed(model))))
  )
})
