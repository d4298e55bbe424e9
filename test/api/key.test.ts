/** The key of a client: what its effect requires, where it runs, and two tenants in one program. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { ApiKey } from "@effect-speech/transport"
import { TextToSpeech } from "@effect-speech/tts"
import { Config, Context, Effect, FiberRef, Layer, LayerMap, Redacted } from "effect"

/** The secret manager of the program. */
class Vault extends Context.Tag("Vault")<Vault, { readonly keyOf: (tenant: string) => Effect.Effect<string> }>() {}

const baseUrl = "https://host.example"
const keyOf = (tenant: string) => Effect.flatMap(Vault, (vault) => Effect.map(vault.keyOf(tenant), Redacted.make))

it("a key is removed from text of a program's own before it logs it", () => {
  const key = Redacted.make("acme.topsecret")
  expect(ApiKey.withoutKey("GET /?key=acme.topsecret and TOPSECRET", key)).toBe("GET /?key=<redacted> and <redacted>")
})

describe("what the effect of a key requires", () => {
  it("is required of the layer, by its type", () => {
    const apiKey = keyOf("acme")
    const layers = [SpeechToText.layer({ apiKey, baseUrl }), TextToSpeech.layer({ apiKey, baseUrl })] as const
    type Required = Layer.Layer.Context<(typeof layers)[number]>
    expectTypeOf<Extract<Required, Vault>>().toEqualTypeOf<Vault>()

    // @ts-expect-error: the program has no Vault.
    const incomplete: Layer.Layer<TextToSpeech, unknown, HttpClient.HttpClient> = layers[1]
    const complete: Layer.Layer<TextToSpeech, unknown, HttpClient.HttpClient> = Layer.provide(
      layers[1],
      Layer.succeed(Vault, { keyOf: () => Effect.succeed("acme.key") })
    )
    expect([incomplete, complete].every(Layer.isLayer)).toBe(true)
  })

  it("is nothing for a key itself, and for an effect that requires nothing", () => {
    const layers = [Redacted.make("acme.key"), Effect.succeed(Redacted.make("acme.key"))].map((apiKey) =>
      TextToSpeech.layer({ apiKey, baseUrl })
    )
    expectTypeOf<Layer.Layer.Context<(typeof layers)[number]>>().toEqualTypeOf<HttpClient.HttpClient>()
  })

  it("is required of a layer of a Config as well", () => {
    const layer = TextToSpeech.layerConfig({
      apiKey: Config.map(Config.string("TENANT"), keyOf),
      baseUrl: Config.succeed(baseUrl)
    })
    expectTypeOf<Layer.Layer.Context<typeof layer>>().toEqualTypeOf<Vault | HttpClient.HttpClient>()
  })
})

/** A service with an account for each tenant. It records each request as `<text>: <key>`. */
const service = () => {
  const keys = new Map([
    ["acme", "acme.old"],
    ["zeta", "zeta.old"]
  ])
  const received: Array<string> = []
  const client = HttpClient.make((request) =>
    // The other tenant's call runs between the request and the response.
    Effect.map(Effect.yieldNow(), () => {
      const key = request.headers["x-api-key"] ?? ""
      const text =
        request.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(request.body.body)).text : ""
      received.push(`${text}: ${key}`)
      const headers = { "X-Sample-Rate": "8000", "X-Encoding": "pcm16", "X-Audio-Duration-Ms": "1" }
      const isValid = [...keys.values()].includes(key)
      return HttpClientResponse.fromWeb(
        request,
        isValid ? new Response(new Uint8Array(16), { headers }) : new Response("", { status: 401 })
      )
    })
  )
  return { keys, received, client }
}

/** The tenant for whom a fiber works. */
const tenantOfFiber = FiberRef.unsafeMake("nobody")

describe("two tenants in one program", () => {
  const program = () => {
    const { client, keys, received } = service()
    const readings: Array<string> = []
    const vault = Layer.succeed(Vault, {
      keyOf: (tenant: string) =>
        Effect.map(Effect.yieldNow(), () => {
          readings.push(tenant)
          return keys.get(tenant) ?? "nobody.key"
        })
    })
    class Tenants extends LayerMap.Service<Tenants>()("Tenants", {
      lookup: (tenant: string) =>
        TextToSpeech.layer({ apiKey: keyOf(tenant), baseUrl, retries: 0 }).pipe(Layer.provide(vault)),
      dependencies: [Layer.succeed(HttpClient.HttpClient, client)],
      idleTimeToLive: "1 minute"
    }) {}
    /** A call for a tenant, from a fiber whose context and FiberRefs are those of another one. */
    const call = (tenant: string, other: string) =>
      Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: tenant })).pipe(
        Effect.provide(Tenants.get(tenant)),
        Effect.provideService(Vault, { keyOf: () => Effect.succeed(`${other}.old`) }),
        Effect.locally(tenantOfFiber, other)
      )
    return { Tenants, call, keys, readings, received }
  }

  it.live("send their own keys, whoever calls, also at once", () => {
    const { Tenants, call, readings, received } = program()
    return Effect.gen(function* () {
      const calls = Array.from({ length: 8 }, () => [call("acme", "zeta"), call("zeta", "acme")]).flat()
      yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(received.length).toBe(16)
      expect(new Set(received)).toEqual(new Set(["acme: acme.old", "zeta: zeta.old"]))
      // Each layer is built once.
      expect(readings.toSorted()).toEqual(["acme", "zeta"])
    }).pipe(Effect.provide(Tenants.Default))
  })

  it.live("send their own new keys after both were replaced at once", () => {
    const { Tenants, call, keys, readings, received } = program()
    return Effect.gen(function* () {
      yield* Effect.all([call("acme", "zeta"), call("zeta", "acme")])
      keys.set("acme", "acme.new").set("zeta", "zeta.new")
      received.length = 0
      const calls = Array.from({ length: 8 }, () => [call("acme", "zeta"), call("zeta", "acme")]).flat()
      yield* Effect.all(calls, { concurrency: "unbounded" })
      const sent = ["acme: acme.old", "acme: acme.new", "zeta: zeta.old", "zeta: zeta.new"]
      expect(new Set(received)).toEqual(new Set(sent))
      expect(readings.toSorted()).toEqual(["acme", "acme", "zeta", "zeta"])
    }).pipe(Effect.provide(Tenants.Default))
  })
})

it.live(
  "after a 401 the key is read with the services and the FiberRefs of the layer, not with those of the call",
  () => {
    const { client, keys, received } = service()
    const apiKey = Effect.flatMap(FiberRef.get(tenantOfFiber), keyOf)
    const vault = { keyOf: (tenant: string) => Effect.succeed(keys.get(tenant) ?? "nobody.key") }
    return Effect.gen(function* () {
      // Both layers are built from the same options, each in a fiber of its tenant.
      const layer = Layer.fresh(TextToSpeech.layer({ apiKey, baseUrl, retries: 0 }))
      const clientOf = (tenant: string) =>
        Layer.build(layer).pipe(
          Effect.locally(tenantOfFiber, tenant),
          Effect.provideService(Vault, vault),
          Effect.map(Context.get(TextToSpeech))
        )
      const [acme, zeta] = [yield* clientOf("acme"), yield* clientOf("zeta")]
      keys.set("acme", "acme.new").set("zeta", "zeta.new")
      yield* Effect.all(
        [
          Effect.locally(acme.synthesize({ text: "acme" }), tenantOfFiber, "zeta"),
          Effect.locally(zeta.synthesize({ text: "zeta" }), tenantOfFiber, "acme")
        ],
        { concurrency: "unbounded" }
      ).pipe(Effect.provideService(Vault, { keyOf: () => Effect.succeed("stolen.key") }))
      expect(received.toSorted()).toEqual(["acme: acme.new", "acme: acme.old", "zeta: zeta.new", "zeta: zeta.old"])
    }).pipe(Effect.provideService(HttpClient.HttpClient, client), Effect.scoped)
  }
)

it.live("a transcription reads its key the same way", () => {
  const sent: Array<string | undefined> = []
  const client = HttpClient.make((request) => {
    sent.push(request.headers["x-api-key"])
    const body = sent.length === 1 ? {} : { status: "success", text: "hello", call_id: "1" }
    return Effect.succeed(
      HttpClientResponse.fromWeb(request, Response.json(body, { status: sent.length === 1 ? 401 : 200 }))
    )
  })
  let reading = 0
  const vault = Layer.succeed(Vault, { keyOf: (tenant) => Effect.sync(() => `${tenant}.${++reading}`) })
  const layer = SpeechToText.layer({ apiKey: keyOf("acme"), baseUrl }).pipe(
    Layer.provide([vault, NodeFileSystem.layer, Layer.succeed(HttpClient.HttpClient, client)])
  )
  return Effect.gen(function* () {
    const stt = yield* SpeechToText
    const audio = AudioSource.fromBytes(new TextEncoder().encode("RIFF....WAVE"), { filename: "call.wav" })
    yield* stt.transcribe({ audio, model: "hi-general-v2-8khz" })
    expect(sent).toEqual(["acme.1", "acme.2"])
  }).pipe(Effect.provide(layer), Effect.provideService(Vault, { keyOf: () => Effect.succeed("stolen.key") }))
})
