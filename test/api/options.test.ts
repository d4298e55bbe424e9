/** Options of a layer and of a call, and what a test double forgets. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, type SpeechToTextOptions } from "@effect-speech/stt"
import type { CallReport } from "@effect-speech/transport/CallReport"
import { TextToSpeech, type TextToSpeechOptions, type TtsError } from "@effect-speech/tts"
import { Config, Duration, Effect, Fiber, Layer, Redacted, Schedule, Stream, TestClock } from "effect"

const headers = { "X-Sample-Rate": "8000", "X-Encoding": "pcm16", "X-Audio-Duration-Ms": "1" }

/** A client whose service gives these statuses, after a while or at once. */
const clientOf = (
  respond: () => Effect.Effect<number>,
  options: Partial<TextToSpeechOptions> = {},
  more: Record<string, string> = {}
) => {
  const client = HttpClient.make((request) =>
    Effect.map(respond(), (status) => {
      const sent = status === 200 ? headers : more
      return HttpClientResponse.fromWeb(request, new Response(new Uint8Array(16), { status, headers: sent }))
    })
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
    const respond = () => Effect.suspend(() => Effect.as(++running === 100 ? open.open : open.await, 200))
    return Effect.gen(function* () {
      const calls = Array.from({ length: 100 }, () => synthesize())
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

  it.live("with a value that is no duration are a defect", () =>
    Effect.gen(function* () {
      const cause = yield* Effect.sandbox(synthesize({ answer: "soon" as "1 second" })).pipe(Effect.flip)
      expect(String(cause)).toContain("deadlines.answer")
    }).pipe(Effect.provide(clientOf(() => Effect.succeed(200))))
  )
})

/** A client whose service gives these statuses, in order, then 200. */
const scripted = (
  statuses: ReadonlyArray<number>,
  retries: TextToSpeechOptions["retries"],
  options: Partial<TextToSpeechOptions> = {},
  more: Record<string, string> = {}
) => {
  const left = [...statuses]
  return clientOf(() => Effect.sync(() => left.shift() ?? 200), { ...options, retries }, more)
}

interface Ended {
  readonly call?: CallReport | undefined
}

/** Runs an effect to its end, however long it waits, and gives the attempts of its call. */
const attemptsOf = <A extends Ended, E extends object, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.merge(effect))
    yield* Effect.yieldNow()
    while (fiber.unsafePoll() === null) yield* TestClock.adjust("1 second")
    const { call } = (yield* Fiber.join(fiber)) as Ended
    return (call?.attempts ?? []).map(({ delayMillis, status }) => ({ status, delayMillis }))
  })

const four = Schedule.exponential("100 millis").pipe(Schedule.intersect(Schedule.recurs(4)))
const delays = (...all: ReadonlyArray<number>) => all.map((delayMillis) => expect.objectContaining({ delayMillis }))

describe("a Schedule for the retries", () => {
  it.effect("decides how many there are, and after which delays, for each call anew", () =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        expect(yield* attemptsOf(synthesize())).toEqual(delays(0, 100, 200, 400, 800))
      }
    }).pipe(Effect.provide(scripted(Array(10).fill(503), four)))
  )

  it.effect("may end a call by its error, whose type is that of the operation", () => {
    const whileDown = Schedule.recurWhile((error: TtsError) => error.retry === "overload")
    const retries = Schedule.spaced("1 second").pipe(Schedule.intersect(whileDown))
    return Effect.gen(function* () {
      expect((yield* attemptsOf(synthesize())).map(({ status }) => status)).toEqual([503, 503, 500])
    }).pipe(Effect.provide(scripted([503, 503, 500], retries)))
  })

  /** A transcription whose service gives these statuses, in order, then 500. */
  const transcribe = (statuses: ReadonlyArray<number>, retries: SpeechToTextOptions["retries"]) => {
    const left = [...statuses]
    const client = HttpClient.make((request) =>
      Effect.gen(function* () {
        // An attempt may be billed if its whole request was sent.
        if (request.body._tag === "Stream") yield* Effect.ignore(Stream.runDrain(request.body.stream))
        return HttpClientResponse.fromWeb(request, new Response("{}", { status: left.shift() ?? 500 }))
      })
    )
    const audio = AudioSource.fromBytes(new Uint8Array(8), { filename: "call.wav" })
    const options = { apiKey: Redacted.make("a.b"), baseUrl: "https://host.example", retries, retryAmbiguous: true }
    return Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "hi-general-v2-8khz" })).pipe(
      Effect.provide(SpeechToText.layer(options)),
      Effect.provide(Layer.succeed(HttpClient.HttpClient, client)),
      Effect.provide(NodeFileSystem.layer),
      attemptsOf,
      Effect.map((attempts) => attempts.map(({ status }) => status))
    )
  }

  it.effect("retries an attempt that may be billed twice at most, as by default, whatever the Schedule", () =>
    Effect.gen(function* () {
      const endless = Schedule.spaced("1 millis")
      expect(yield* transcribe([], endless)).toEqual([500, 500, 500])
      expect(yield* transcribe([504, 504, 504], endless)).toEqual([504, 504, 504])
      // A 503 is not billed, so it is retried as the Schedule says.
      const down = Array<number>(10).fill(503)
      expect(yield* transcribe([500, ...down], endless)).toEqual([500, ...down, 500, 500])
      expect(yield* transcribe([], Schedule.recurs(1))).toEqual([500, 500])
      // Who wants more of them says how many.
      expect((yield* transcribe([], 5)).length).toBe(6)
    })
  )

  it("is one of the errors of its own client", () => {
    const retries = Schedule.recurWhile((error: TtsError) => error.retry === "overload")
    const options = { apiKey: Redacted.make("a.b"), baseUrl: "https://host.example" }
    expect(Layer.isLayer(TextToSpeech.layer({ ...options, retries }))).toBe(true)
    // @ts-expect-error: a transcription fails with an SttError.
    SpeechToText.layer({ ...options, retries })
    const { apiKey, baseUrl } = { apiKey: Config.redacted("K"), baseUrl: Config.string("B") }
    TextToSpeech.layerConfig({ apiKey, baseUrl, retries: Config.succeed(retries) })
  })

  it.effect.each([
    { what: "an error that would recur", statuses: [400], attempts: 1 },
    { what: "a response that may have been lost", statuses: [504], attempts: 1 },
    { what: "one failure too many for the budget of the layer", statuses: Array(200).fill(503), attempts: 101 }
  ])("retries nothing else than a number would: not $what", ({ attempts, statuses }) =>
    Effect.gen(function* () {
      expect((yield* attemptsOf(synthesize())).length).toBe(attempts)
    }).pipe(Effect.provide(scripted(statuses, Schedule.spaced("10 millis"))))
  )

  it.effect("starts no retry before the time of a Retry-After, and none if that is too long", () =>
    Effect.gen(function* () {
      const waited = (seconds: string, options?: Partial<TextToSpeechOptions>) =>
        Effect.provide(attemptsOf(synthesize()), scripted([503], four, options, { "Retry-After": seconds }))
      expect(yield* waited("3")).toEqual(delays(0, 3100))
      expect(yield* waited("9")).toEqual(delays(0))
      const spaced = scripted([503], Schedule.spaced("10 seconds"), {}, { "Retry-After": "9" })
      expect(yield* Effect.provide(attemptsOf(synthesize()), spaced)).toEqual(delays(0, 19_000))
      expect(yield* waited("9", { deadlines: { total: "20 seconds" } })).toEqual(delays(0, 9100))
    })
  )

  it.effect("ends with the outage of a call, if it has one", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const attempts = yield* attemptsOf(tts.synthesize({ text: "hello" }, { outage: "1 hour" }))
      expect(attempts.length).toBe(21)
      expect(attempts.slice(0, 5)).toEqual(delays(0, 100, 200, 400, 800))
    }).pipe(Effect.provide(scripted(Array(20).fill(503), four)))
  )
})

describe("the requests of a test double", () => {
  it.effect("have the sources that the program gave", () => {
    const sources = [AudioSource.fromPath("call.wav"), AudioSource.fromBytes(new Uint8Array(1))]
    return Effect.gen(function* () {
      const stt = yield* SpeechToText
      for (const audio of sources) yield* stt.transcribe({ audio, model: "one" })
      const calls = yield* SpeechToText.calls
      expect(calls.map(({ audio }, index) => audio === sources[index])).toEqual([true, true])
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  })

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
