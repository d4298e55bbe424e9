import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  connect,
  fieldsOf,
  fileOf,
  model,
  partsOf,
  request,
  sendStatuses,
  sttOf,
  success,
  transactionId,
  transcribe
} from "./scriptedStt.js"

describe("a request", () => {
  it.scoped("is a form with the file last, the key in its header, and a Content-Length", () =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe()
      expect(outcome._tag).toBe("Right")
      const [sent] = received
      expect(sent).toMatchObject({
        method: "POST",
        url: "/api/transcribe",
        headers: {
          "x-api-key": "prefix.topsecret",
          accept: "application/json",
          "accept-encoding": "identity",
          "content-length": String(sent?.body.byteLength)
        }
      })
      expect(sent?.headers).not.toHaveProperty("traceparent")
      expect(sent?.headers).not.toHaveProperty("b3")
      expect(sent && partsOf(sent).map(({ headers }) => headers)).toEqual([
        'Content-Disposition: form-data; name="model"',
        'Content-Disposition: form-data; name="transaction_id"',
        'Content-Disposition: form-data; name="audio_file"; filename="call.wav"\r\nContent-Type: audio/wav'
      ])
      expect(fieldsOf(received)).toEqual([
        ["model", model],
        ["transaction_id", transactionId],
        ["audio_file", "RIFF....WAVE"]
      ])
    })
  )

  const hotwords = [
    { phrase: "Kotak: Bank", score: 2.5 },
    { phrase: "UPI", score: undefined }
  ]

  it.scoped.each([
    {
      what: "aux and parseNumber",
      asked: { aux: true, parseNumber: false },
      fields: [
        ["aux", "true"],
        ["parse_number", "false"]
      ]
    },
    {
      what: "hotwords as one field of JSON by default",
      asked: { hotwords },
      fields: [["hotwords", '[{"phrase":"Kotak: Bank","score":2.5},{"phrase":"UPI"}]']]
    },
    {
      what: "hotwords as repeated fields",
      asked: { hotwords },
      hotwordEncoding: "repeated" as const,
      fields: [
        ["hotwords", '{"phrase":"Kotak: Bank","score":2.5}'],
        ["hotwords", '{"phrase":"UPI"}']
      ]
    },
    {
      what: "hotwords as indexed fields",
      asked: { hotwords },
      hotwordEncoding: "indexed" as const,
      fields: [
        ["hotwords[0][phrase]", "Kotak: Bank"],
        ["hotwords[0][score]", "2.5"],
        ["hotwords[1][phrase]", "UPI"]
      ]
    },
    {
      what: "additional fields",
      asked: { additionalFields: { diarize: "true", ["__proto__"]: "too" } },
      fields: [
        ["diarize", "true"],
        ["__proto__", "too"]
      ]
    }
  ])("holds $what", ({ asked, fields, hotwordEncoding }) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe(undefined, asked, hotwordEncoding && { hotwordEncoding })
      expect(fieldsOf(received).slice(2, -1)).toEqual(fields)
    })
  )

  it.scopedLive("is the same in a retry, even if the caller changes additionalFields meanwhile", () =>
    Effect.gen(function* () {
      const additionalFields: Record<string, string> = { diarize: "true" }
      const respond = sendStatuses(503)
      const { received } = yield* transcribe(
        (response, received) => {
          additionalFields.model = "other"
          respond(response, received)
        },
        { additionalFields },
        { retries: 1 }
      )
      expect(received.length).toBe(2)
      const [first, second] = received.map((each) => fieldsOf([each]))
      expect(second).toEqual(first)
    })
  )

  it.scoped("has a random transaction id by default", () =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(undefined, { transactionId: undefined })
      const sent = fieldsOf(received)[1]?.[1]
      expect(sent).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(outcome).toMatchObject({ right: { transactionId: sent } })
    })
  )

  it.scoped.each([
    {
      filename: 'a"; name="model"\r\nX-Evil: 1\r\n\r\nevil.wav',
      sent: "a%22; name=%22model%22%0D%0AX-Evil: 1%0D%0A%0D%0Aevil.wav"
    },
    { filename: "calls\\", sent: "calls%5C" }
  ])("escapes the filename $filename", ({ filename, sent }) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe(undefined, {
        audio: AudioSource.fromBytes(Uint8Array.of(1), { filename })
      })
      expect(received.flatMap(partsOf).length).toBe(3)
      expect(fileOf(received[0]).headers).toContain(
        `Content-Disposition: form-data; name="audio_file"; filename="${sent}"\r\n`
      )
    })
  )

  it.scoped("goes to the path below the base URL", () =>
    Effect.gen(function* () {
      const { server } = yield* connect()
      const stt = yield* sttOf(`${server.url}/speech/v1/`)
      yield* stt.transcribe(request)
      expect(server.received[0]?.url).toBe("/speech/v1/api/transcribe")
    })
  )

  it.scoped("of a stream without a length is sent chunked", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromStream(() => Stream.make(Uint8Array.of(65), Uint8Array.of(66)))
      const { outcome, received } = yield* transcribe(undefined, { audio })
      expect(outcome).toMatchObject({ right: { text: success.text } })
      expect(received[0]?.headers["transfer-encoding"]).toBe("chunked")
      expect(fieldsOf(received)[2]?.[1]).toBe("AB")
    })
  )
})

describe("an invalid request", () => {
  const nameRule =
    "must have names of visible ASCII without quotes and backslashes, which services read in different ways"
  const half = "half \ud83d"

  it.effect.each([
    { field: "model", asked: { model: "  " }, problem: "must not be empty: the model decides the language" },
    { field: "model", asked: { model: 5 }, problem: "must be a string" },
    { field: "model", asked: { model: half }, problem: "surrogate pair" },
    {
      field: "transactionId",
      asked: { transactionId: "not-a-uuid" },
      problem: "must be a UUID, like 7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
    },
    {
      field: "audio",
      asked: { audio: "call.wav" },
      problem: "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob, fromStream or fromOneShotStream"
    },
    { field: "aux", asked: { aux: "yes" }, problem: "must be true or false" },
    { field: "hotwords.0", asked: { hotwords: ["Kotak"] }, problem: "form" },
    { field: "hotwords.0.phrase", asked: { hotwords: [{ phrase: "" }] }, problem: "not empty" },
    { field: "hotwords.0.phrase", asked: { hotwords: [{ phrase: half }] }, problem: "surrogate pair" },
    { field: "hotwords.0.score", asked: { hotwords: [{ phrase: "UPI", score: "2" }] }, problem: "number" },
    { field: "hotwords.0.score", asked: { hotwords: [{ phrase: "UPI", score: Number.NaN }] }, problem: "number" },
    { field: "hotwords.0.scroe", asked: { hotwords: [{ phrase: "UPI", scroe: 2 }] }, problem: "field" },
    {
      field: "additionalFields",
      asked: { additionalFields: { diarize: "true", audio_file: "x" } },
      problem: "must not hold audio_file, which is a field of the request itself"
    },
    ...["a\r\nb", "not fine", "", 'a"b', "a\\"].map((name) => ({
      field: "additionalFields",
      asked: { additionalFields: { fine: "x", [name]: "x" } },
      problem: nameRule
    })),
    { field: "additionalFields.diarize", asked: { additionalFields: { diarize: true } }, problem: "must be a string" },
    { field: "additionalFields.note", asked: { additionalFields: { note: half } }, problem: "surrogate pair" },
    { field: "parse_number", asked: { parse_number: true }, problem: "field" },
    { field: '""', asked: { "": "m" }, problem: "field" },
    { field: "Symbol(model)", asked: { [Symbol("model")]: "m" }, problem: "field" }
  ])("is not sent, and the error names $field: $problem", ({ asked, field, problem }) =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect(yield* Effect.flip(stt.transcribe({ ...request, ...(asked as object) }))).toMatchObject({
        _tag: "SttInvalidRequest",
        field,
        problem: expect.stringContaining(problem),
        call: { attempts: [], billing: "notBilled" }
      })
      expect(yield* SpeechToText.calls).toEqual([])
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )
})
