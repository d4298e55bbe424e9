import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, type SpeechToTextOptions } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import type { Request } from "./scriptedStt.js"
import { fieldsOf, fileOf, model, partsOf, request, sendStatuses, transactionId, transcribe } from "./scriptedStt.js"

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

  const [bank, upi] = ['{"phrase":"Kotak: Bank","score":2.5}', '{"phrase":"UPI"}']
  const indexed = { "hotwords[0][phrase]": "Kotak: Bank", "hotwords[0][score]": "2.5", "hotwords[1][phrase]": "UPI" }
  const additional = { diarize: "true", ["__proto__"]: "too" }

  it.scoped.each<readonly [what: string, Partial<Request>, fields: unknown, SpeechToTextOptions["hotwordEncoding"]?]>([
    ["aux and parseNumber", { aux: true, parseNumber: false }, Object.entries({ aux: "true", parse_number: "false" })],
    ["hotwords as one field of JSON by default", { hotwords }, [["hotwords", `[${bank},${upi}]`]]],
    ["hotwords as repeated fields", { hotwords }, [bank, upi].map((hotword) => ["hotwords", hotword]), "repeated"],
    ["hotwords as indexed fields", { hotwords }, Object.entries(indexed), "indexed"],
    ["additional fields", { additionalFields: additional }, Object.entries(additional)]
  ])("holds %s", ([_, asked, fields, hotwordEncoding]) =>
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
        { retries: { times: 1, firstDelay: "1 millis" } }
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
})

describe("an invalid request", () => {
  const nameRule =
    "must have names of visible ASCII without quotes and backslashes, which services read in different ways"
  const half = "half \ud83d"

  const additional = (additionalFields: object) => ({ additionalFields })
  const hotword = (hotword: unknown) => ({ hotwords: [hotword] })

  it.effect.each<readonly [field: string, problem: string, asked: object]>([
    ["model", "must not be empty: the model decides the language", { model: "  " }],
    ["model", "must be a string", { model: 5 }],
    ["model", "surrogate pair", { model: half }],
    ["transactionId", `must be a UUID, like ${transactionId}`, { transactionId: "not-a-uuid" }],
    ["audio", "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob,", { audio: "call.wav" }],
    ["aux", "must be true or false", { aux: "yes" }],
    ["hotwords.0", "form", hotword("Kotak")],
    ["hotwords.0.phrase", "not empty", hotword({ phrase: "" })],
    ["hotwords.0.phrase", "surrogate pair", hotword({ phrase: half })],
    ["hotwords.0.score", "number", hotword({ phrase: "UPI", score: "2" })],
    ["hotwords.0.score", "number", hotword({ phrase: "UPI", score: Number.NaN })],
    ["hotwords.0.scroe", "field", hotword({ phrase: "UPI", scroe: 2 })],
    ["additionalFields", "must not hold audio_file, which is a field of the request", additional({ audio_file: "x" })],
    ...["a\r\nb", "not fine", "", 'a"b', "a\\"].map(
      (name) => ["additionalFields", nameRule, additional({ fine: "x", [name]: "x" })] as const
    ),
    ["additionalFields", "must be a plain object", additional(new Map([["diarize", "true"]]))],
    ["additionalFields.diarize", "must be a string", additional({ diarize: true })],
    ["additionalFields.note", "surrogate pair", additional({ note: half })],
    ["parse_number", "field", { parse_number: true }],
    ['""', "field", { "": "m" }],
    ["Symbol(model)", "field", { [Symbol("model")]: "m" }]
  ])("is not sent, and the error names %s: %s", ([field, problem, asked]) =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect(yield* Effect.flip(stt.transcribe({ ...request, ...asked }))).toMatchObject({
        _tag: "SttInvalidRequest",
        field,
        problem: expect.stringContaining(problem),
        call: { attempts: [], billing: "notBilled" }
      })
      expect(yield* SpeechToText.calls).toEqual([])
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )
})
