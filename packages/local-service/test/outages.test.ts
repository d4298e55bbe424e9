import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import type { Fault } from "@effect-speech/local-service/Faults"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { model, wav } from "./blackbox/support/messages.js"
import { cannedService } from "./blackbox/support/service.js"

const clients = Layer.unwrapEffect(
  Effect.map(LocalService, ({ apiKey, sttBaseUrl, ttsBaseUrl }) => {
    const options = { apiKey, allowInsecureHttp: true, retries: { times: 2, firstDelay: "1 millis" } } as const
    return Layer.merge(
      SpeechToText.layer({ ...options, baseUrl: sttBaseUrl }),
      TextToSpeech.layer({ ...options, baseUrl: ttsBaseUrl })
    )
  })
)
const TestLive = clients.pipe(
  Layer.provideMerge(Layer.mergeAll(cannedService(), NodeTransport.layer, NodeFileSystem.layer))
)

/** Sets faults, runs a client, and reads what the requests were. */
const reportOf = <A, E, R>(faults: ReadonlyArray<Fault>, client: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const service = yield* LocalService
    yield* service.faults.set(faults)
    yield* Effect.either(client)
    const report = yield* service.faults.report
    const records = yield* service.faults.list
    expect(report.faults).toEqual(records)
    for (const [index, { happened }] of records.entries()) {
      expect(report.requests.filter(({ fault }) => fault === index + 1)).toHaveLength(happened)
    }
    return report
  })

const speak = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: "Platform two" }))
const transcribe = Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio: AudioSource.fromBytes(wav()), model }))

/** Sends requests of a plain client, one after the other. */
const send = (...bodies: ReadonlyArray<() => string | FormData>) =>
  Effect.flatMap(LocalService, ({ apiKey, sttBaseUrl, ttsBaseUrl }) =>
    Effect.forEach(bodies, (makeBody) =>
      Effect.tryPromise(async () => {
        const body = makeBody()
        const isText = typeof body === "string"
        const response = await fetch(isText ? `${ttsBaseUrl}/tts/bytes` : `${sttBaseUrl}/api/transcribe`, {
          method: "POST",
          headers: { "X-API-Key": Redacted.value(apiKey), ...(isText && { "Content-Type": "application/json" }) },
          body
        })
        await response.arrayBuffer()
      }).pipe(Effect.ignore)
    )
  )

const form = (transactionId: string) => () => {
  const body = new FormData()
  body.set("model", model)
  body.set("transaction_id", transactionId)
  body.set("audio_file", new Blob([wav()]), "call.wav")
  return body
}

layer(TestLive, { excludeTestServices: true })("the report of an outage", (it) => {
  it.effect("says that our client tried again until its call succeeded, and waited as it was asked", () =>
    Effect.gen(function* () {
      const failure = { operation: "synthesize", status: 502, times: 1 } as const
      const report = yield* reportOf(
        [
          { ...failure, headers: { "Retry-After": "1" } },
          { ...failure, nth: 2 }
        ],
        speak
      )
      expect(report.requests).toMatchObject([
        { fault: 1, attempt: 1, status: 502, reaction: "retried", linkedBy: "id", outcome: "succeeded" },
        { fault: 2, attempt: 2, status: 502, reaction: "retried", linkedBy: "id", outcome: "succeeded" }
      ])
      expect(report.requests[0]).toMatchObject({ retryAfterMillis: 1000, retryAfterHonoured: true })
      expect(report.requests[0]?.afterMillis).toBeGreaterThanOrEqual(990)
      expect(report.summary).toMatchObject({ retriedAndSucceeded: 2, retryAfterHonoured: 1, gaveUp: 0 })
    })
  )

  it.effect("says that our client gave up at once, and after its last attempt", () =>
    Effect.gen(function* () {
      expect((yield* reportOf([{ status: 400 }], transcribe)).requests).toMatchObject([
        { operation: "transcribe", attempt: 1, reaction: "gaveUp", id: expect.stringMatching(/^[0-9a-f-]{36}$/) }
      ])
      const { requests, summary } = yield* reportOf([{ status: 503 }], transcribe)
      expect(requests.map(({ attempt, outcome, reaction }) => [attempt, reaction, outcome])).toEqual([
        [1, "retried", "failed"],
        [2, "retried", "failed"],
        [3, "gaveUp", null]
      ])
      expect(summary).toMatchObject({ retriedAndFailed: 2, gaveUp: 1, gaveUpAtOnce: 0 })
    })
  )

  it.effect("knows what our client did after a connection that was reset, cut off or slow", () =>
    Effect.gen(function* () {
      const once = { operation: "transcribe", times: 1 } as const
      const reactionTo = (fault: Fault) =>
        Effect.map(reportOf([{ ...once, ...fault }], transcribe), ({ requests }) =>
          requests.map(({ outcome, reaction, status }) => [status, reaction, outcome])
        )
      expect(yield* reactionTo({ delayMillis: 20 })).toEqual([[200, "delivered", null]])
      // The service may have carried out the request, so the client does not send it again.
      expect(yield* reactionTo({ reset: "answer" })).toEqual([[null, "gaveUp", null]])
      expect(yield* reactionTo({ malformedHeader: true })).toEqual([[null, "gaveUp", null]])
      expect(yield* reactionTo({ truncateAtByte: 5 })).toEqual([[200, "gaveUp", null]])
      // Nothing is cut off of a response that has no more bytes.
      expect(yield* reactionTo({ truncateAtByte: 100_000 })).toEqual([[200, "delivered", null]])
      expect(yield* reactionTo({ stallAtByte: 100_000 })).toEqual([[200, "delivered", null]])
      // The id of a transcription is in its body, which was not read.
      expect(yield* reactionTo({ reset: "request" })).toEqual([[null, "notKnown", null]])
      const speech = yield* reportOf([{ times: 1, reset: "request" }], speak)
      expect(speech.requests[0]?.reaction).not.toBe("notKnown")
    })
  )

  it.effect("links the requests of a plain client by their content", () =>
    Effect.gen(function* () {
      const text = () => '{"text":"a"}'
      const first = [{ status: 503, times: 1 }]
      expect((yield* reportOf(first, send(text, text))).requests).toMatchObject([
        { id: null, reaction: "retried", linkedBy: "content", outcome: "succeeded" }
      ])
      const other = () => '{"text":"b"}'
      expect((yield* reportOf(first, send(text, other))).requests).toMatchObject([{ reaction: "gaveUp" }])
    })
  )

  it.effect("names the next request with the same recording, if a plain client makes a new id for each", () =>
    Effect.gen(function* () {
      const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
      const { requests } = yield* reportOf([{ status: 503, times: 1 }], send(form(one), form(two)))
      const journal = yield* Effect.flatMap(LocalService, (service) => service.requests)
      expect(requests).toMatchObject([{ id: one, reaction: "gaveUp", sameContent: journal.at(-1)?.number }])
      const same = yield* reportOf([{ status: 503, times: 1 }], send(form(one), form(one)))
      expect(same.requests).toMatchObject([{ id: one, reaction: "retried", linkedBy: "id" }])
    })
  )

  it.effect(
    "says that a request is in progress while its response stalls, and what followed when the client left",
    () =>
      Effect.gen(function* () {
        const service = yield* LocalService
        yield* service.faults.set([{ operation: "synthesize", stallAtByte: 10, times: 1 }])
        const leaving = yield* Effect.fork(speak)
        while ((yield* service.faults.list)[0]?.happened === 0) yield* Effect.sleep(5)
        expect((yield* service.faults.report).requests).toMatchObject([{ reaction: "underWay", endedMillis: null }])
        yield* Fiber.interrupt(leaving)
        expect((yield* service.faults.report).requests).toMatchObject([{ status: 200, reaction: "gaveUp" }])
      })
  )

  it.effect("begins again when faults are set, and is empty without faults", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* reportOf([{ status: 400 }], speak)
      yield* service.reset()
      yield* speak
      expect(yield* service.faults.report).toMatchObject({ faults: [], requests: [], leftOut: 0 })
    })
  )

  it.effect("is at the platform too", () =>
    Effect.gen(function* () {
      const report = yield* reportOf([{ status: 400 }], speak)
      const { adminToken, platformUrl } = yield* LocalService
      const headers = { "X-Admin-Token": Redacted.value(adminToken) }
      const read = yield* Effect.promise(async () =>
        (await fetch(`${platformUrl}/platform/api/faults/report`, { headers })).json()
      )
      expect(read).toEqual({ ...report, elapsedMillis: expect.any(Number) })
    })
  )
})
