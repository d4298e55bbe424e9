import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { afterAll, afterEach, expect, it, vi } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

const service = ManagedRuntime.make(LocalService.layer())
afterAll(() => service.dispose())
afterEach(() => {
  vi.useRealTimers()
})

/** Runs a program with new clients of the service. */
const run = <A, E>(program: Effect.Effect<A, E, LocalService | SpeechToText | TextToSpeech>) =>
  service.runPromise(Effect.provide(program, Layer.provide(LocalService.layerClients, NodeTransport.layer)))

const text = "Platform two"

/** The transcript of speech. */
const hear = Effect.gen(function* () {
  const [stt, tts] = yield* Effect.all([SpeechToText, TextToSpeech])
  const { bytes, format } = yield* tts.synthesize({ text, lang: "en" })
  const audio = AudioSource.fromBytes(Wav.encode(bytes, format))
  return (yield* stt.transcribe({ audio, model: "en-general-v2-8khz" })).text
})

const { setImmediate: realSetImmediate } = globalThis
const turn = Effect.promise(() => new Promise((next) => realSetImmediate(next)))

it("a service in process works under fake timers", async () => {
  vi.useFakeTimers()
  expect(await run(hear)).toBe(text)
})

it("a service delays a response in real time, which its journal has too", async () => {
  vi.useFakeTimers({ now: 0 })
  const delayed = Effect.gen(function* () {
    const { faults, requests } = yield* LocalService
    yield* faults.set([{ operation: "synthesize", delayMillis: 30, status: 400 }])
    yield* Effect.flip(Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text })))
    yield* faults.set([])
    return (yield* requests).at(-1)
  })
  const { at = "", millis } = (await run(delayed)) ?? {}
  expect(millis).toBeGreaterThan(25)
  expect(Date.parse(at)).toBeGreaterThan(Date.parse("2026-01-01"))
})

it("a service waits for a body although a test advances its fake timers", async () => {
  vi.useFakeTimers()
  const { apiKey, requests, ttsBaseUrl } = await service.runPromise(LocalService)
  const body = JSON.stringify({ text, lang: "en" })
  const sent = request(`${ttsBaseUrl}/tts/bytes`, {
    method: "POST",
    headers: {
      "x-api-key": Redacted.value(apiKey),
      "content-type": "application/json",
      "content-length": body.length
    }
  })
  sent.write(body.slice(0, 10))
  // The service reads the body after it has accepted the key.
  const latest = Effect.map(Effect.zipRight(turn, requests), (entries) => entries.at(-1))
  await service.runPromise(
    Effect.repeat(latest, { until: (entry) => entry?.outcome === "underWay" && entry.keyId !== null })
  )
  await service.runPromise(Effect.repeatN(turn, 10))
  vi.advanceTimersByTime(3_600_000)
  sent.end(body.slice(10))
  const [response]: Array<IncomingMessage> = await once(sent, "response")
  response?.resume()
  expect(response?.statusCode).toBe(200)
})
