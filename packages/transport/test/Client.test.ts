/** What the clients share, tried on a small client of its own. */
import { inspect } from "node:util"
import type * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import { CallReport } from "@effect-speech/transport"
import type { ClientOptions } from "@effect-speech/transport/ClientOptions"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import type * as Testing from "@effect-speech/transport/Testing"
import * as Client from "@effect-speech/transport/unstable/Client"
import {
  connectionFailed,
  deadlineExceeded,
  invalidApiKey,
  invalidRequest
} from "@effect-speech/transport/unstable/CommonError"
import { define } from "@effect-speech/transport/unstable/ErrorDefinition"
import type * as Failure from "@effect-speech/transport/unstable/Failure"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

class EchoInvalidRequest extends define<EchoInvalidRequest>()("EchoInvalidRequest", invalidRequest) {}
class EchoInvalidApiKey extends define<EchoInvalidApiKey>()("EchoInvalidApiKey", invalidApiKey) {}
class EchoConnectionFailed extends define<EchoConnectionFailed>()("EchoConnectionFailed", connectionFailed("")) {}
class EchoDeadlineExceeded extends define<EchoDeadlineExceeded>()("EchoDeadlineExceeded", deadlineExceeded("")) {}

class Echo extends Context.Tag("Echo")<
  Echo,
  { readonly baseUrl?: string; readonly say: (text: string) => Effect.Effect<string, EchoInvalidRequest> }
>() {}
class EchoCalls extends Context.Tag("EchoCalls")<EchoCalls, Testing.TestCalls<string>>() {}

const endpoint: Client.Endpoint<EchoInvalidApiKey> = {
  path: "/echo",
  apiKeyHeader: "X-Api-Key",
  baseUrlVariable: "SPEECH_STT_BASE_URL",
  answerDeadline: "1 minute",
  InvalidApiKey: EchoInvalidApiKey
}
const make = (options: ClientOptions) =>
  Effect.map(Client.connect(endpoint, options), ({ baseUrl, url }) => ({
    baseUrl,
    say: () => Effect.succeed(url.href)
  }))

describe("the layers of a client", () => {
  const valid: ClientOptions = { apiKey: Redacted.make("prefix.secret"), baseUrl: "https://host.example/v1/" }
  const build = <E>(layer: Layer.Layer<Echo, E, HttpClient.HttpClient>) =>
    Effect.map(Effect.scoped(Layer.build(Layer.provide(layer, NodeTransport.layer))), Context.get(Echo))

  it.effect("give the base URL without its last slash, and the address of the operation below it", () =>
    Effect.gen(function* () {
      const echo = yield* build(Layer.effect(Echo, make(valid)))
      expect(echo.baseUrl).toBe("https://host.example/v1")
      expect(yield* echo.say("")).toBe("https://host.example/v1/echo")
    })
  )

  it.effect.each([
    { what: "the address", options: { baseUrl: "host.example" }, names: "baseUrl (SPEECH_STT_BASE_URL)" },
    { what: "the retries", options: { retries: 0.5 }, names: "retries" },
    { what: "the concurrency", options: { concurrency: 0 }, names: "concurrency" },
    { what: "a deadline", options: { deadlines: { answer: "5 minuts" as "5 minutes" } }, names: "answer" }
  ])("name $what if it is invalid", ({ names, options }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(build(Layer.effect(Echo, make({ ...valid, ...options }))))
      expect(String(error)).toContain(names)
    })
  )

  it.effect("refuse a malformed key, and do not quote it", () =>
    Effect.gen(function* () {
      const key = "no-separator"
      const error = yield* Effect.flip(build(Layer.effect(Echo, make({ ...valid, apiKey: Redacted.make(key) }))))
      expect(error).toMatchObject({ _tag: "EchoInvalidApiKey", message: expect.stringContaining("<prefix>.<secret>") })
      expect(inspect(error)).not.toContain(key)
    })
  )

  it.effect("of a Config take options that are absent at any depth", () =>
    Effect.gen(function* () {
      const [apiKey, baseUrl] = [Config.succeed(valid.apiKey), Config.succeed(valid.baseUrl)]
      const given: Array<unknown> = []
      const recording = (options: ClientOptions) => {
        given.push({ deadlines: options.deadlines, retries: options.retries })
        return make(options)
      }
      for (const deadlines of [undefined, {}, { total: Config.succeed("1 minute" as const) }]) {
        yield* build(Client.layerConfig(Echo, recording, { apiKey, baseUrl, deadlines }))
      }
      expect(given).toEqual([{}, { deadlines: {} }, { deadlines: { total: "1 minute" } }])
    })
  )

  it.effect.each([
    { environment: { SPEECH_API_KEY: "a.b" }, missing: "SPEECH_STT_BASE_URL" },
    { environment: { SPEECH_STT_BASE_URL: "https://host.example" }, missing: "SPEECH_API_KEY" }
  ])("of the environment name the variable $missing if it is missing, and say what to set it to", (each) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(build(Client.layerFromEnv(Echo, make, endpoint)))
      expect(String(error)).toContain(`${each.missing}: "set it to `)
    }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(each.environment)))))
  )
})

describe("the test double of a client", () => {
  const double = (answer: Testing.TestAnswer<string, string, EchoInvalidRequest>) =>
    Client.layerTest({
      tag: Echo,
      calls: EchoCalls,
      validate: (text: string) => (text === "" ? Either.left(new EchoInvalidRequest()) : Either.right(text)),
      answer,
      service: (call) => ({
        say: (text) => Effect.map(call(text), ({ given, number, request }) => `${number} ${request} ${given}`)
      })
    })
  const received = Effect.flatMap(EchoCalls, ({ all }) => all)
  const say = (text: string) => Effect.flatMap(Echo, (echo) => Effect.either(echo.say(text)))

  it.effect.each<{ what: string; answer: Testing.TestAnswer<string, string, EchoInvalidRequest> }>([
    { what: "a value", answer: "ok" },
    { what: "an effect", answer: Effect.succeed("ok") },
    { what: "a function", answer: () => "ok" },
    { what: "a function of an effect", answer: () => Effect.succeed("ok") }
  ])("takes $what, checks its requests, and records those that are valid", ({ answer }) =>
    Effect.gen(function* () {
      expect(yield* say("a")).toEqual(Either.right("1 a ok"))
      expect(yield* say("")).toMatchObject({ left: { _tag: "EchoInvalidRequest" } })
      expect(yield* say("b")).toEqual(Either.right("2 b ok"))
      expect(yield* received).toEqual(["a", "b"])
    }).pipe(Effect.provide(double(answer)))
  )

  const error = new EchoInvalidRequest({ field: "text" })
  it.effect.each<{ what: string; answer: Testing.TestAnswer<string, string, EchoInvalidRequest> }>([
    { what: "an error", answer: error },
    { what: "an effect that fails", answer: Effect.fail(error) },
    { what: "a function of an error", answer: () => error }
  ])("takes $what, and records the request", ({ answer }) =>
    Effect.gen(function* () {
      expect(yield* say("a")).toEqual(Either.left(error))
      expect(yield* received).toEqual(["a"])
    }).pipe(Effect.provide(double(answer)))
  )
})

it("a call without a usable response fails with the error of its client, with the facts and the report", () => {
  const errors: Client.FailureErrors<EchoConnectionFailed | EchoDeadlineExceeded | EchoInvalidApiKey> = {
    ConnectionFailed: EchoConnectionFailed,
    DeadlineExceeded: EchoDeadlineExceeded,
    InvalidApiKey: EchoInvalidApiKey
  }
  const call = { ...CallReport.nothingSent, sentId: "id-1" }
  const failures: ReadonlyArray<Exclude<Failure.Failure, Failure.UploadFailed>> = [
    { _tag: "ConnectionFailed", reason: "reset", code: "ECONNRESET" },
    { _tag: "DeadlineExceeded", phase: "total", limitMillis: 5 },
    { _tag: "InvalidApiKey", problem: "it is empty" }
  ]
  expect(failures.map((failure) => Client.failureError(errors, failure, "part", call))).toMatchObject(
    failures.map(({ _tag, ...facts }) => ({ _tag: `Echo${_tag}`, ...facts, call }))
  )
})

it.effect.each([
  { body: '{"error":"bad a.b\\n","more":1}', texts: { error: "bad <redacted>\\n", message: undefined } },
  ...["", "<html></html>", "{", "[1]", '{"error":{}}'].map((body) => ({ body, texts: {} }))
])("the texts of the body of a failure are redacted, and $body has $texts", ({ body, texts }) =>
  Effect.gen(function* () {
    const read = Client.errorBodyReader(
      Schema.Struct({ error: Schema.String, message: Schema.optional(Schema.String) })
    )
    const redact = (text: string) => text.replace("a.b", "<redacted>").replace("\n", "\\n")
    const response = { errorText: Effect.succeed(body), redact } as Operation.Response<never>
    expect(yield* read(response)).toEqual(texts)
  })
)
