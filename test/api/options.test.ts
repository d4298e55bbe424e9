/** Options of a layer and of a call, and what a test double forgets. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech, type TextToSpeechOptions } from "@effect-speech/tts"
import { Config, Duration, Effect, Fiber, Layer, Redacted } from "effect"

const headers = { "X-Sample-Rate": "8000", "X-Encoding": "pcm16", "X-Audio-Duration-Ms": "1" }

/** A client whose service gives these responses: a status, or an effect that waits before a 200. */
const clientOf = (respond: () => Effect.Effect<number>, options: Partial<TextToSpeechOptions> = {}) => {
  const client = HttpClient.make((request) =>
    Effect.map(respond(), (status) =>
      HttpClientResponse.fromWeb(request, new Response(new Uint8Array(16), { status, headers }))
    )
  )
  return TextToSpeech.layer({ apiKey: Redacted.make("a.b"), baseUrl: "https://host.example", ...options }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
}

const synthesize = (deadlines?: TextToSpeechOptions["deadlines"]) =>
  Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: "hello" }, { deadlines }))

describe("the concurrency of a layer", () => {
  it.live("may be unbounded: no call waits for another", () => {
    let running = 0
    const open = Effect.unsafeMakeLatch()
    const respond = () => Effect.suspend(() => Effect.as(++running === 200 ? open.open : open.await, 200))
    return Effect.gen(function* () {
      const calls = Array.from({ length: 200 }, () => synthesize())
      const spoken = yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(spoken.every(({ call }) => call.queuedMillis === undefined)).toBe(true)
    }).pipe(Effect.provide(clientOf(respond, { concurrency: "unbounded" })))
  })

  it("is a number or this word, also in a Config", () => {
    const required = { apiKey: Config.redacted("K"), baseUrl: Config.string("B") }
    for (const concurrency of [Config.succeed("unbounded" as const), Config.integer("C")]) {
      expect(Layer.isLayer(TextToSpeech.layerConfig({ ...required, concurrency }))).toBe(true)
    }
    // @ts-expect-error: no other word.
    TextToSpeech.layerConfig({ ...required, concurrency: Config.succeed("inherit" as const) })
  })
})

describe("the deadlines of a call", () => {
  it.live("take the place of those of its layer, field by field, for this call alone", () =>
    Effect.gen(function* () {
      // The layer's own deadlines are watched already.
      const other = yield* Effect.fork(Effect.flip(synthesize()))
      yield* Effect.sleep(20)
      const [elapsed, error] = yield* Effect.timed(Effect.flip(synthesize({ answer: "30 millis" })))
      expect(error).toMatchObject({ _tag: "TtsDeadlineExceeded", phase: "answer", limitMillis: 30 })
      expect(Duration.toMillis(elapsed)).toBeLessThan(300)
      // What the call does not state is that of the layer.
      const total = yield* Effect.flip(synthesize({ answer: "1 hour" }))
      expect(total).toMatchObject({ phase: "total", limitMillis: 400 })
      expect(yield* Fiber.join(other)).toMatchObject({ phase: "total", limitMillis: 400 })
    }).pipe(Effect.provide(clientOf(() => Effect.never, { deadlines: { total: "400 millis" } })))
  )

  it.live("may be longer than those of its layer", () =>
    Effect.gen(function* () {
      const speech = yield* synthesize({ answer: "1 minute" })
      expect(speech.bytes.byteLength).toBe(16)
      expect(yield* Effect.flip(synthesize())).toMatchObject({ phase: "answer", limitMillis: 20 })
    }).pipe(
      Effect.provide(clientOf(() => Effect.delay(Effect.succeed(200), 100), { deadlines: { answer: "20 millis" } }))
    )
  )

  it.live("that are no durations are a defect, as any mistake of the types is", () =>
    Effect.gen(function* () {
      const cause = yield* Effect.sandbox(synthesize({ answer: "soon" as "1 second" })).pipe(Effect.flip)
      expect(String(cause)).toContain("deadlines.answer")
    }).pipe(Effect.provide(clientOf(() => Effect.succeed(200))))
  )
})

describe("the requests of a test double", () => {
  it.live("are forgotten when a test asks for it, and counted from there", () => {
    const audio = AudioSource.fromBytes(new Uint8Array(8), { filename: "call.wav" })
    const transcribe = (model: string) => Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model }))
    return Effect.gen(function* () {
      const first = yield* transcribe("one")
      yield* synthesize()
      const before = yield* SpeechToText.calls
      yield* SpeechToText.clearCalls
      yield* TextToSpeech.clearCalls
      const second = yield* transcribe("two")
      expect((yield* SpeechToText.calls).map(({ model }) => model)).toEqual(["two"])
      expect(yield* TextToSpeech.calls).toEqual([])
      // What was read before stays, and so do the ids.
      expect(before.map(({ model }) => model)).toEqual(["one"])
      expect(second.callId).not.toBe(first.callId)
    }).pipe(
      Effect.provide(
        Layer.merge(SpeechToText.layerTest("hello"), TextToSpeech.layerTest({ bytes: new Uint8Array(16) }))
      )
    )
  })
})
