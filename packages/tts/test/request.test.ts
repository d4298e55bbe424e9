import { describe, expect, it } from "@effect/vitest"
import { TtsContract } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { connect, request, sendAudio, synthesize } from "./scriptedTts.js"

describe("a request", () => {
  it.scoped("holds only the text and the id by default", () =>
    Effect.gen(function* () {
      const { received } = yield* synthesize(sendAudio())
      const type = { "content-type": "application/json", "accept-encoding": "identity" }
      const headers = { "x-api-key": "prefix.topsecret", "x-request-id": "id-1", ...type }
      expect(received).toMatchObject([{ method: "POST", url: "/tts/bytes", headers }])
      expect(JSON.parse(String(received[0]?.body))).toEqual({ text: "नमस्ते" })
    })
  )

  it.scoped("holds every field that the caller sets, by its name in the contract", () =>
    Effect.gen(function* () {
      const same = { text: "hello", lang: "en", voice: "default_male", speed: 0.25 }
      const g2pOverrides = { hello: ["h", 1] }
      const additionalFields = { emotion: { joy: 1 } }
      const { received } = yield* synthesize(sendAudio(), {
        ...same,
        outputFormat: "8000:pcm16",
        numStep: 100,
        g2pOverrides,
        additionalFields
      })
      const renamed = { output_format: "8000:pcm16", num_step: 100, g2p_overrides: g2pOverrides }
      expect(JSON.parse(String(received[0]?.body))).toEqual({ ...same, ...renamed, ...additionalFields })
      expect(received[0]?.headers["x-request-id"]).toMatch(TtsContract.requestIdPattern)
    })
  )
})

describe("an invalid request", () => {
  const tooLong =
    "has 10001 code points, and at most 10000 are allowed; split it at the ends of sentences, as LongSpeech of @effect-speech/long-form and speakLong of @effect-speech/promise do"
  const notJson = "must be a value that JSON can hold"

  const formats = "must be one of 8000:pcm16, 8000:float32, 16000:pcm16, 16000:float32, 24000:pcm16, 24000:float32"
  const badId = "must be 1 to 64 characters from letters, digits and . _ : -"
  const ownField = "must not hold speed, which is a field of the request itself"
  it.scoped.each<readonly [field: string, problem: string, asked: object]>([
    ["text", "must not be empty", { text: "" }],
    ["text", "must not be blank", { text: "   " }],
    ["text", "must not be blank", { text: "\u00a0\u3000\t\r\n\u0085\u2028\u200b\u200d\ufeff" }],
    ["text", tooLong, { text: "अ".repeat(10_001) }],
    ["text", tooLong, { text: "😀".repeat(10_001) }],
    ["text", "surrogate pair", { text: "half \ud83d of one" }],
    ["outputFormat", formats, { outputFormat: "44100:pcm16" }],
    ["outputFromat", "field", { outputFromat: "8000:pcm16" }],
    ...[0.24, 4.01, Number.NaN].map((speed) => ["speed", "must be a number from 0.25 to 4", { speed }] as const),
    ...[0, 101].map((numStep) => ["numStep", "must be a number from 1 to 100", { numStep }] as const),
    ...["", "x".repeat(65), "with space"].map((requestId) => ["requestId", badId, { requestId }] as const),
    ["additionalFields", ownField, { additionalFields: { emotion: "joy", speed: 2 } }],
    ["additionalFields", "output_format", { additionalFields: { output_format: "" } }],
    ["additionalFields", "a plain object", { additionalFields: new Map([["emotion", "joy"]]) }],
    ["g2pOverrides", "a plain object", { g2pOverrides: new Map([["word", []]]) }],
    ["g2pOverrides", notJson, { g2pOverrides: { word: 1n } }],
    ["g2pOverrides or additionalFields", notJson, { additionalFields: { word: 1n } }]
  ])("is not sent, and the error names %s: %s", ([field, problem, asked]) =>
    Effect.gen(function* () {
      const { server, tts } = yield* connect(sendAudio())
      expect(yield* Effect.flip(tts.synthesize({ ...request, ...asked }))).toMatchObject({
        _tag: "TtsInvalidRequest",
        field,
        problem: expect.stringContaining(problem),
        call: { attempts: [], billing: "notBilled" }
      })
      expect(server.received).toEqual([])
    })
  )
})
