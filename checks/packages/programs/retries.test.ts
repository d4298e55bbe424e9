/**
 * Tests when a call is repeated, against the local service with faults: after which failures, how long it waits on the clock
 * of the test, what it reports, and when it gives up.
 */
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText, type SpeechToTextOptions } from "@effect-speech/stt"
import type { CallEvent } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TextToSpeechOptions } from "@effect-speech/tts"
import { Chunk, Duration, Effect, Fiber, Layer, Queue, Ref, Schedule, TestClock } from "effect"

const Live = Layer.merge(LocalService.layer(), NodeTransport.layer)

const withSpeech = (options: Omit<TextToSpeechOptions, "apiKey" | "baseUrl">) =>
  Effect.provide(
    Layer.unwrapEffect(
      Effect.map(LocalService, ({ apiKey, ttsBaseUrl }) =>
        TextToSpeech.layer({ ...options, apiKey, baseUrl: ttsBaseUrl })
      )
    )
  )

const withTranscription = (options: Omit<SpeechToTextOptions, "apiKey" | "baseUrl">) =>
  Effect.provide(
    Layer.unwrapEffect(
      Effect.map(LocalService, ({ apiKey, sttBaseUrl }) =>
        SpeechToText.layer({ ...options, apiKey, baseUrl: sttBaseUrl })
      )
    )
  )

const hello = { text: "hello", lang: "en" }
const recording = { audio: AudioSource.fromBytes(new Uint8Array(1000)), model: "en-general-v2-8khz" }

layer(Live)("a call, on the clock of the test,", (it) => {
  it.effect("waits for Retry-After before it is repeated", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      yield* service.faults.set([{ status: 503, times: 1, headers: { "Retry-After": "5" } }])
      const events = yield* Queue.unbounded<CallEvent.CallEvent>()
      const retrying = yield* Ref.make(0)
      const tts = yield* TextToSpeech
      const fiber = yield* Effect.fork(
        tts.synthesize(hello, {
          onEvent: (event) =>
            Effect.zipRight(
              Queue.offer(events, event),
              event._tag === "Retrying" ? Ref.set(retrying, event.delayMillis) : Effect.void
            )
        })
      )
      const untilRetrying = Effect.iterate("", {
        while: (tag) => tag !== "Retrying",
        body: () => Effect.map(Queue.take(events), ({ _tag }) => _tag)
      })
      yield* untilRetrying
      const delay = yield* Ref.get(retrying)
      expect(delay).toBeGreaterThanOrEqual(5000)
      expect(delay).toBeLessThanOrEqual(5200)
      yield* TestClock.adjust(Duration.millis(delay - 1))
      expect((yield* service.requests).length).toBe(1)
      yield* TestClock.adjust("1 millis")
      const { call } = yield* Fiber.join(fiber)
      expect(
        call.attempts.map(({ status, delayMillis, retryAfterMillis }) => [status, delayMillis, retryAfterMillis])
      ).toEqual([
        [503, 0, 5000],
        [200, delay, undefined]
      ])
      expect(Chunk.toReadonlyArray(yield* Queue.takeAll(events)).map(({ _tag }) => _tag)).toEqual([
        "Waiting",
        "Answered"
      ])
    }).pipe(withSpeech({}))
  )

  it.effect("fails at once if Retry-After is too long", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      yield* service.faults.set([{ status: 503, headers: { "Retry-After": "60" } }])
      const tts = yield* TextToSpeech
      const error = yield* Effect.flip(tts.synthesize(hello))
      expect(error._tag).toBe("TtsUnexpectedStatus")
      expect(error.call.attempts.map(({ retryAfterMillis }) => retryAfterMillis)).toEqual([60_000])
    }).pipe(withSpeech({}))
  )

  it.effect("is repeated through an outage", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      yield* service.faults.set([{ status: 503, times: 8 }])
      const stt = yield* SpeechToText
      const fiber = yield* Effect.fork(Effect.flip(stt.transcribe(recording, { outage: "10 minutes" })))
      const stepping = yield* Effect.forkDaemon(
        Effect.forever(
          Effect.zipRight(
            TestClock.adjust("1 second"),
            Effect.promise(() => new Promise((done) => setImmediate(done)))
          )
        )
      )
      const error = yield* Fiber.join(fiber)
      yield* Fiber.interrupt(stepping)
      expect(error._tag).toBe("SttBadRequest")
      expect(error.call.attempts.map(({ status }) => status)).toEqual([...Array.from({ length: 8 }, () => 503), 400])
    }).pipe(withTranscription({}))
  )
})

layer(Live, { excludeTestServices: true })("a call", (it) => {
  const policies: ReadonlyArray<readonly [string, Omit<SpeechToTextOptions, "apiKey" | "baseUrl">, number]> = [
    ["by default", {}, 3],
    ["with a number", { retries: 1 }, 2],
    ["with a policy", { retries: { times: 4, firstDelay: "1 millis" } }, 5],
    ["with a Schedule, which repeats what may be billed at most twice,", { retries: Schedule.recurs(3) }, 3],
    ["with no retries", { retries: 0 }, 1]
  ]
  for (const [name, options, attempts] of policies) {
    it.effect(`${name} makes ${attempts} attempts after 500`, () =>
      Effect.gen(function* () {
        const service = yield* LocalService
        yield* service.reset()
        yield* service.faults.set([{ operation: "transcribe", status: 500 }])
        const stt = yield* SpeechToText
        const error = yield* Effect.flip(stt.transcribe(recording))
        expect(error._tag).toBe("SttServerError")
        expect(error.call.attempts.length).toBe(attempts)
        expect((yield* service.requests).length).toBe(attempts)
        expect(error.call.billing).toBe("unknown")
      }).pipe(withTranscription(options))
    )
  }

  it.effect("is not repeated after an attempt that may be billed, if it says so", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      yield* service.faults.set([{ operation: "transcribe", status: 500 }])
      const stt = yield* SpeechToText
      const error = yield* Effect.flip(stt.transcribe(recording, { retryIfBilled: false }))
      expect(error.call.attempts.length).toBe(1)
    }).pipe(withTranscription({}))
  )

  it.effect("whose response was lost is repeated with retryAmbiguous only", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const attempts = (options: Omit<TextToSpeechOptions, "apiKey" | "baseUrl">) =>
        Effect.gen(function* () {
          yield* service.reset()
          yield* service.faults.set([{ operation: "synthesize", reset: "answer", times: 1 }])
          const tts = yield* TextToSpeech
          return yield* tts.synthesize(hello).pipe(
            Effect.match({
              onFailure: (error) => [error._tag, error.call.attempts.length, error.call.billing],
              onSuccess: ({ call }) => ["spoken", call.attempts.length, call.billing]
            })
          )
        }).pipe(withSpeech(options))
      expect(yield* attempts({})).toEqual(["TtsConnectionFailed", 1, "unknown"])
      expect(yield* attempts({ retryAmbiguous: true })).toEqual(["spoken", 2, "billed"])
    })
  )
})
