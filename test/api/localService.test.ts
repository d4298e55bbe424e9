/** The local service as a program uses it: how it is built, its errors, its units, and its values. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Root from "@effect-speech/local-service"
import {
  KnownRecordings,
  LocalService,
  type LocalServiceDataDirectoryUnusable,
  type LocalServiceError,
  PlatformApi,
  Recogniser,
  Voice
} from "@effect-speech/local-service"
import * as RecogniserModule from "@effect-speech/local-service/Recogniser"
import * as VoiceModule from "@effect-speech/local-service/Voice"
import { Subtitles } from "@effect-speech/long-form"
import { Duration, Effect, Either, Equal, Hash, Layer, Redacted, Stream } from "effect"
import { teachable } from "effect-speech-test-support/teachable"

/** A voice of your own. */
const hum = Layer.succeed(Voice, {
  voices: [{ name: "hum", languages: ["en"], sampleRate: 8000 }],
  speak: ({ text }) => Stream.make(new Float32Array(text.length * 80))
})
const parts = Layer.mergeAll(hum, KnownRecordings.layer(), NodeFileSystem.layer)

describe("the local service", () => {
  it.scopedLive("is made by the static of its class, in a scope, from parts of your own", () =>
    Effect.gen(function* () {
      const made = LocalService.make({ newKey: true })
      expectTypeOf<Effect.Effect.Success<typeof made>["apiKey"]>().toEqualTypeOf<Redacted.Redacted | undefined>()
      const { apiKey, sttBaseUrl } = yield* made
      expect(sttBaseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(apiKey && Redacted.value(apiKey)).toMatch(/./)
    }).pipe(Effect.provide(parts))
  )

  it("has its services in the index as in their modules, and no bare make", () => {
    expect([Root.Voice, Root.Recogniser]).toEqual([VoiceModule.Voice, RecogniserModule.Recogniser])
    expect(Object.keys(Root)).not.toContain("make")
    // What only the console and its page say to each other is no part of the package.
    expect(Object.keys(Root)).not.toContain("Console")
  })
})

describe("an error of the local service", () => {
  it.effect("has a tag that no other package has", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(LocalService.layer({ port: -1 })))
      expect(error).toMatchObject({ _tag: "LocalServiceOptionInvalid", option: "port" })
    }).pipe(Effect.scoped)
  )

  it("is caught by its tag, and only the others are left", () => {
    const layer = LocalService.layer({ dataDirectory: "/nowhere" })
    const caught = Layer.catchAll(layer, (error) =>
      error._tag === "LocalServiceOptionInvalid" ? Layer.die(error) : Layer.fail(error)
    )
    expectTypeOf<Extract<Layer.Layer.Error<typeof caught>, LocalServiceError>["_tag"]>().toEqualTypeOf<
      "LocalServiceDataDirectoryUnusable" | "LocalServiceRecordingUnusable" | "LocalServiceExchangesUnusable"
    >()
    // @ts-expect-error: tags have the prefix of the package.
    const tag: LocalServiceDataDirectoryUnusable["_tag"] = "DataDirectoryUnusable"
    expect(tag).not.toMatch(/^LocalService/)
  })

  it("is declared with this prefix, each in the package", () => {
    const tags = Object.entries({ ...Root, ...Root.Accounts }).flatMap(([name, value]) =>
      typeof value === "function" && value.prototype instanceof Error ? [name] : []
    )
    expect(tags.length).toBe(10)
    // Those of the engines keep the tags of their package.
    expect(tags.filter((tag) => !tag.startsWith("LocalService"))).toEqual(["RecogniserFailed", "VoiceFailed"])
  })
})

describe("a time of the local service", () => {
  it.effect("is a duration in an option, whose name has no unit", () =>
    Effect.gen(function* () {
      for (const maximumRecording of [0, "0 seconds", Duration.infinity] as const) {
        const error = yield* Effect.flip(Layer.build(LocalService.layer({ maximumRecording })))
        expect(error).toMatchObject({
          option: "maximumRecording",
          message: 'The option maximumRecording must be a duration longer than zero, such as "2 hours".'
        })
      }
      // @ts-expect-error: a duration has a unit.
      const wrong = LocalService.layer({ maximumSpeech: "90" })
      // @ts-expect-error: no option has a unit in its name.
      const former = LocalService.layer({ bodyIdleMillis: 500 })
      expect([wrong, former].every(Layer.isLayer)).toBe(true)
    }).pipe(Effect.scoped)
  )

  it.effect("is in milliseconds in what is taught and recognised, as in a transcript and in subtitles", () =>
    Effect.gen(function* () {
      const { learn, recognise } = yield* Effect.map(Recogniser, teachable)
      // Two seconds of noise of a changing loudness, with silence at both ends.
      let noise = 1
      const samples = Float32Array.from({ length: 16_000 }, (_, at) => {
        noise = (noise * 48_271) % 2_147_483_647
        const loudness = at < 1600 || at >= 14_400 ? 0 : 0.1 + 0.04 * ((Math.floor(at / 800) * 7) % 10)
        return loudness * (noise / 1_073_741_824 - 1)
      })
      const cues = Either.getOrThrow(Subtitles.parse("1\n00:00:00,200 --> 00:00:01,800\nGood morning.\n"))
      yield* learn({ text: "Good morning.", samples, segments: cues })
      const recognised = yield* recognise(Stream.make(new Float32Array(8000), samples))
      expect(recognised?.segments).toMatchObject([{ text: "Good morning.", startMillis: 1200, endMillis: 2800 }])
      // @ts-expect-error: seconds are not milliseconds.
      const inSeconds = learn({ text: "one", samples, segments: [{ text: "one", start: 0.2, end: 1.8 }] })
      expect(Effect.isEffect(inSeconds)).toBe(true)
    }).pipe(Effect.provide(KnownRecordings.layer({ capacity: "10 minutes" })))
  )
})

describe("a value of the local service", () => {
  it.scopedLive("is equal to another of the same content, from the handle and from the typed client", () =>
    Effect.gen(function* () {
      const { accounts, adminToken, platformUrl, requests, ttsBaseUrl } = yield* LocalService.make()
      const before = yield* accounts.account
      expect(Equal.equals(yield* accounts.setAccount({ credits: 1 }), before)).toBe(false)
      expect(Equal.equals(yield* accounts.setAccount(before), before)).toBe(true)
      expect(new Set([Hash.hash(before), Hash.hash(yield* accounts.account)]).size).toBe(1)

      yield* Effect.promise(() => fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST", body: "{}" }))
      const platform = yield* HttpApiClient.make(PlatformApi, {
        baseUrl: platformUrl,
        transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("X-Admin-Token", Redacted.value(adminToken)))
      })
      expect(Equal.equals(yield* platform.account(), before)).toBe(true)
      expect(Equal.equals(yield* platform.keys(), yield* accounts.keys)).toBe(true)
      const [entry, again] = [(yield* requests)[0], (yield* platform.requests())[0]]
      expect(entry).toMatchObject({ operation: "synthesize", outcome: "answered" })
      expect(Equal.equals(entry, again)).toBe(true)
    }).pipe(Effect.provide([parts, FetchHttpClient.layer]))
  )
})
