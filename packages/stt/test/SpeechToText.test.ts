import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, type SpeechToTextOptions, SttForbidden } from "@effect-speech/stt"
import type { CallEvent } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { answeredAtOnce } from "@effect-speech/transport/unstable/Report"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { connect, request, transactionId } from "./scriptedStt.js"

describe("events", () => {
  it.scoped(
    "report all bytes in order, in the span of the attempt, with the logger and the fiber refs of the caller",
    () =>
      Effect.gen(function* () {
        const { server, stt } = yield* connect()
        const audio = AudioSource.fromBytes(new Uint8Array(600_000))
        const place = yield* FiberRef.make("elsewhere")
        const spans = new Set<string>()
        const events: Array<CallEvent.CallEvent> = []
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => void logged.push(String(message)))
        const onEvent = (event: CallEvent.CallEvent) =>
          Effect.gen(function* () {
            const { name, parent } = yield* Effect.orDie(Effect.currentSpan)
            const around = Option.getOrUndefined(parent)
            spans.add(`${around?._tag === "Span" ? around.name : ""} > ${name}`)
            events.push(event)
            yield* Effect.log(`${event._tag} ${yield* FiberRef.get(place)}`)
          })
        yield* stt
          .transcribe({ ...request, audio }, { onEvent })
          .pipe(Effect.locally(place, "here"), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        expect([...spans]).toEqual(["speech.transcribe > speech.attempt"])
        expect([...new Set(events.map(({ _tag }) => _tag))]).toEqual(["Uploading", "Waiting", "Answered"])
        expect(logged).toEqual(events.map(({ _tag }) => `${_tag} here`))
        const uploads = events.filter((event) => event._tag === "Uploading")
        const sizes = uploads.map(({ sentBytes }) => sentBytes)
        expect(sizes.length).toBeGreaterThan(5)
        expect(sizes).toEqual(sizes.toSorted((one, other) => one - other))
        const total = server.received[0]?.body.byteLength
        expect(uploads.at(-1)).toMatchObject({ sentBytes: total, totalBytes: total })
      })
  )
})

describe("a layer", () => {
  const cases: ReadonlyArray<readonly [name: string, wrong: object, option: string, problem: string]> = [
    ["a base URL that is not set", { baseUrl: undefined }, "baseUrl (SPEECH_STT_BASE_URL)", "is empty"],
    ["an unknown encoding of hotwords", { hotwordEncoding: "xml" }, "hotwordEncoding", "must be one of"]
  ]
  it.scoped.each(cases)("fails with ConfigError for %s", ([, wrong, option, problem]) =>
    Effect.gen(function* () {
      const options = { apiKey: Redacted.make("prefix.secret"), baseUrl: "https://host.example", ...wrong }
      const error = yield* Effect.flip(Layer.build(SpeechToText.layer(options as unknown as SpeechToTextOptions)))
      expect(ConfigError.isConfigError(error)).toBe(true)
      expect(String(error)).toContain(option)
      expect(String(error)).toContain(problem)
    }).pipe(Effect.provide(NodeTransport.layer))
  )
})

describe("layerTest", () => {
  const transcribe = Effect.flatMap(SpeechToText, (stt) => stt.transcribe(request))
  const auxInfo = { confidence: 0.5 }

  it.effect.each([
    { answer: "hello", expected: { text: "hello", callId: "test-1" } },
    { answer: { text: "hello", callId: "call-7", auxInfo }, expected: { text: "hello", callId: "call-7", auxInfo } },
    { answer: { callId: "call-7" }, expected: { text: "", callId: "call-7" } }
  ])("takes %j, reports one attempt, and keeps the requests", ({ answer, expected }) =>
    Effect.gen(function* () {
      const call = {
        sentId: transactionId,
        receivedId: expected.callId,
        attempts: [answeredAtOnce],
        billing: "unknown"
      }
      expect(yield* transcribe).toMatchObject({ ...expected, transactionId, call })
      expect(yield* SpeechToText.calls).toMatchObject([{ model: request.model, transactionId }])
    }).pipe(Effect.provide(SpeechToText.layerTest(answer)))
  )

  it.effect.each([
    { form: "an error", answer: new SttForbidden() },
    { form: "an effect that fails with one", answer: Effect.fail(new SttForbidden()) },
    { form: "an effect that gives one", answer: Effect.succeed(new SttForbidden()) },
    { form: "a function to an effect that gives one", answer: () => Effect.succeed(new SttForbidden()) }
  ])("fails with an error that is given as $form", ({ answer }) =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(transcribe)).toMatchObject({ _tag: "SttForbidden" })
    }).pipe(Effect.provide(SpeechToText.layerTest(answer)))
  )
})
