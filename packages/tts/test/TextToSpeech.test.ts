import { describe, expect, it } from "@effect/vitest"
import { type AudioFormat, PcmStream } from "@effect-speech/audio-codec"
import { TextToSpeech, TtsConnectionFailed } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { respondJson } from "effect-speech-test-support/scriptedServer"
import { audio, connect, failure, request, sendAudio, sendChunk } from "./scriptedTts.js"

describe("a call", () => {
  it.scopedLive.each([
    { statuses: [502, 500], requests: 3 },
    { statuses: [429], requests: 2 }
  ])("that gets $statuses is repeated with the same request id", ({ requests, statuses }) =>
    Effect.gen(function* () {
      const left = [...statuses]
      const { server, tts } = yield* connect(
        (response, received) => {
          const status = left.shift()
          if (status === undefined) sendAudio()(response, received)
          else respondJson(response, status, { error: "later" }, { "retry-after": "0" })
        },
        { retries: { times: 2, firstDelay: "1 millis" } }
      )
      const { call } = yield* tts.synthesize({ text: "नमस्ते" })
      expect(call.attempts.map(({ status }) => status)).toEqual([...statuses, 200])
      expect(server.received.map(({ headers }) => headers["x-request-id"])).toEqual(Array(requests).fill(call.sentId))
    })
  )

  it.scoped("has an id of its own each time the effect runs", () =>
    Effect.gen(function* () {
      let requests = 0
      const { tts } = yield* connect((response, received) =>
        requests++ === 0 ? sendAudio()(response, received) : response.destroy()
      )
      const synthesis = tts.synthesize({ text: "नमस्ते" })
      const first = yield* synthesis
      const { call } = yield* Effect.flip(synthesis)
      expect(call.sentId).not.toBe(first.call.sentId)
      expect(call.receivedId).toBe(undefined)
    })
  )

  it.scopedLive("may have been billed if one of its attempts was sent and got no response", () =>
    Effect.gen(function* () {
      let requests = 0
      const error = yield* failure(
        (response) => (requests++ === 0 ? response.destroy() : respondJson(response, 400, { error: "no" })),
        { retries: 1, retryAmbiguous: true }
      )
      expect(error).toMatchObject({
        _tag: "TtsBadRequest",
        call: { attempts: [{ sent: "all" }, { status: 400 }], billing: "unknown" }
      })
    })
  )

  it.scopedLive("is not repeated after the headers of a 200", () =>
    Effect.gen(function* () {
      const { server, tts } = yield* connect(
        sendChunk(audio.pcm16.subarray(0, 10), "destroy", { "content-length": "4000" }),
        { retries: 2, retryAmbiguous: true }
      )
      const error = { _tag: "TtsConnectionFailed", reason: "cut", call: { billing: "unknown" } }
      expect(yield* Effect.flip(tts.synthesize(request))).toMatchObject(error)
      expect(server.received.length).toBe(1)
    })
  )
})

describe("layerTest", () => {
  const bytes = new Uint8Array(16_000)

  it.effect("gives audio in the format of the request, whole and as a stream, and keeps the requests", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
      const asked = { text: "hello", outputFormat: "8000:pcm16" } as const
      expect(yield* tts.synthesize(asked)).toMatchObject({ format, bytes, durationMillis: 1000 })
      const speech = yield* Effect.scoped(Effect.flatMap(tts.stream(asked), PcmStream.collect))
      expect(speech.byteLength).toBe(16_000)
      expect((yield* TextToSpeech.calls).map(({ text }) => text)).toEqual(["hello", "hello"])
      const byDefault = yield* tts.synthesize({ text: "hello", requestId: "r-1" })
      expect(byDefault.format).toEqual({ ...format, sampleRate: 24_000, encoding: "float32" })
      expect(byDefault.call).toMatchObject({
        sentId: "r-1",
        attempts: [{ status: 200, sent: "all" }],
        billing: "billed"
      })
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes })))
  )

  it.effect("gives the same audio again after a caller has written into it, once for each call", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const speech = yield* Effect.scoped(tts.stream({ text: "hello" }))
      yield* Stream.runForEach(speech.stream, (chunk) => Effect.sync(() => chunk.fill(1)))
      expect(String(yield* Effect.flip(Effect.sandbox(PcmStream.collect(speech))))).toContain("can be read once")
      expect((yield* tts.synthesize({ text: "hello" })).bytes).toEqual(new Uint8Array(16_000))
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes })))
  )

  it.effect("warns of another format, and checks its audio, as the client does", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const { warnings } = yield* tts.synthesize({ text: "hello", outputFormat: "8000:pcm16" })
      expect(warnings).toMatchObject([{ _tag: "FormatDiffers", sampleRate: 16_000 }])
      expect(yield* Effect.flip(tts.synthesize({ text: "odd" }))).toMatchObject({ _tag: "TtsCorruptAudio" })
    }).pipe(
      Effect.provide(
        TextToSpeech.layerTest(({ text }) => ({
          bytes: text === "odd" ? bytes.subarray(1) : bytes,
          outputFormat: "16000:pcm16"
        }))
      )
    )
  )

  it.effect("refuses a field that JSON can't hold, as the client does", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      expect(yield* Effect.flip(tts.synthesize({ text: "hello", additionalFields: { seed: 1n } }))).toMatchObject({
        _tag: "TtsInvalidRequest",
        problem: "must be a value that JSON can hold"
      })
      expect(yield* TextToSpeech.calls).toEqual([])
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes })))
  )

  it.effect("can fail after the bytes of a stream", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const { stream } = yield* Effect.scoped(tts.stream({ text: "hello" }))
      const chunks = yield* Stream.runCollect(Stream.either(stream))
      expect([...chunks]).toMatchObject([{ right: bytes }, { left: { _tag: "TtsConnectionFailed" } }])
      expect((yield* Effect.flip(tts.synthesize({ text: "hello" })))._tag).toBe("TtsConnectionFailed")
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes, failure: new TtsConnectionFailed({ reason: "cut" }) })))
  )
})
