import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, type SpeechToTextOptions, SttError, SttForbidden } from "@effect-speech/stt"
import type { CallEvent } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { scriptedServer } from "../../../test/support/scriptedServer.js"
import { clientOf, connect, request, sendJson, success, transactionId } from "./scriptedStt.js"

describe("the layers", () => {
  const build = <E>(layer: Layer.Layer<SpeechToText, E, Layer.Layer.Context<ReturnType<typeof clientOf>>>) =>
    Effect.scoped(Layer.build(Layer.provide(layer, NodeTransport.layer)))

  it.effect.each([
    { what: "the address", url: "host.example", names: "baseUrl (SPEECH_STT_BASE_URL)" },
    { what: "the retries", options: { retries: 0.5 }, names: "retries" },
    { what: "a deadline", options: { deadlines: { answer: "5 minuts" } }, names: "answer" }
  ])("name $what if it is invalid", ({ names, options, url = "https://host.example" }) =>
    Effect.gen(function* () {
      const layer = clientOf(url, options as Partial<SpeechToTextOptions>)
      expect(String(yield* Effect.flip(build(layer)))).toContain(names)
    })
  )

  it.effect.each(["", "no-separator", "with space.secret"])("refuse the malformed key %j, and do not quote it", (key) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(build(clientOf("https://host.example", { apiKey: Redacted.make(key) })))
      expect(error).toMatchObject({ _tag: "SttInvalidApiKey", message: expect.stringContaining("<prefix>.<secret>") })
      if (key !== "") expect(inspect(error)).not.toContain(key)
    })
  )

  it.effect.each([{}, undefined])("of a Config accept deadlines of %s", (deadlines) =>
    build(
      SpeechToText.layerConfig({
        apiKey: Config.succeed(Redacted.make("a.b")),
        baseUrl: Config.succeed("https://host.example"),
        deadlines
      })
    )
  )

  const withEnvironment = (environment: Record<string, string>) =>
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))

  it.scoped("read the environment", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(sendJson(200, success))
      const { text } = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe(request)),
        Effect.provide(Layer.provide(SpeechToText.layerFromEnv, NodeTransport.layer)),
        withEnvironment({ SPEECH_API_KEY: "prefix.secret", SPEECH_STT_BASE_URL: server.url })
      )
      expect(text).toBe(success.text)
    })
  )

  it.effect.each([
    { environment: { SPEECH_API_KEY: "a.b" }, missing: "SPEECH_STT_BASE_URL" },
    { environment: { SPEECH_STT_BASE_URL: "https://host.example" }, missing: "SPEECH_API_KEY" }
  ])("name the variable $missing if it is missing, and say what to set it to", ({ environment, missing }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        withEnvironment(environment as Record<string, string>)(build(SpeechToText.layerFromEnv))
      )
      expect(String(error)).toContain(`${missing}: "set it to `)
    })
  )
})

describe("events", () => {
  it.scoped("do not fail the call if onEvent dies or throws", () =>
    Effect.gen(function* () {
      const { stt } = yield* connect()
      const throwing = () => {
        throw new Error("the progress bar broke")
      }
      for (const onEvent of [() => Effect.die("the progress bar broke"), throwing]) {
        const { text } = yield* stt.transcribe(request, { onEvent })
        expect(text).toBe(success.text)
      }
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

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

describe("layerTest", () => {
  const transcribe = Effect.flatMap(SpeechToText, (stt) => stt.transcribe(request))
  const auxInfo = { confidence: 0.5 }

  it.effect.each([
    { answer: "hello", expected: { text: "hello", callId: "test-1" } },
    { answer: { text: "hello", callId: "call-7", auxInfo }, expected: { text: "hello", callId: "call-7", auxInfo } },
    { answer: { callId: "call-7" }, expected: { text: "", callId: "call-7" } }
  ])("takes %j, and keeps the requests", ({ answer, expected }) =>
    Effect.gen(function* () {
      expect(yield* transcribe).toMatchObject({ ...expected, transactionId })
      expect(yield* SpeechToText.calls).toMatchObject([{ model: request.model, transactionId }])
    }).pipe(Effect.provide(SpeechToText.layerTest(answer)))
  )

  it.effect("reports one attempt without delay", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const { call, callId, transactionId } = yield* stt.transcribe({ audio: request.audio, model: "m" })
      expect(call).toEqual({
        sentId: transactionId,
        receivedId: callId,
        attempts: [{ status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 }],
        billing: "unknown",
        elapsedMillis: 0
      })
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )

  it.effect("takes every error, also as an effect of a function", () =>
    Effect.gen(function* () {
      for (const Expected of SttError.members) {
        const error = yield* Effect.flip(
          Effect.provide(
            transcribe,
            SpeechToText.layerTest(() => Effect.fail(new Expected()))
          )
        )
        expect(error).toBeInstanceOf(Expected)
      }
      const error = yield* Effect.flip(Effect.provide(transcribe, SpeechToText.layerTest(new SttForbidden())))
      expect(error._tag).toBe("SttForbidden")
    })
  )

  it.effect("takes a function, and checks requests as the client does", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      expect(yield* stt.transcribe(request)).toMatchObject({ text: "hi-general-v2-8khz", callId: "test-1" })
      expect((yield* Effect.flip(stt.transcribe({ ...request, model: "" })))._tag).toBe("SttInvalidRequest")
      expect((yield* SpeechToText.calls).length).toBe(1)
    }).pipe(Effect.provide(SpeechToText.layerTest(({ model }) => Effect.succeed(model))))
  )
})
