import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { expect, layer } from "@effect/vitest"
import { LocalService, PlatformApi } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { cannedService } from "./blackbox/support/service.js"

const clientOf = (adminToken: string) =>
  Effect.flatMap(LocalService, ({ platformUrl }) =>
    HttpApiClient.make(PlatformApi, {
      baseUrl: platformUrl,
      transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("X-Admin-Token", adminToken))
    })
  ).pipe(Effect.provide(FetchHttpClient.layer))

const client = Effect.flatMap(LocalService, ({ adminToken }) => clientOf(Redacted.value(adminToken)))

layer(cannedService({ credits: 100 }), { excludeTestServices: true })("a typed client of the platform", (it) => {
  it.effect("reads and changes all that the platform keeps", () =>
    Effect.gen(function* () {
      const platform = yield* client
      expect(yield* platform.page()).toMatch(/^<!doctype html>/i)
      expect((yield* platform.openApi()).openapi).toBe("3.1.0")
      expect(yield* platform.health()).toEqual({ status: "ok" })
      expect(yield* platform.ready()).toMatchObject({ ready: true })
      expect(yield* platform.metrics()).toContain("\nspeech_transcribed_seconds_total 0\n")
      expect(yield* platform.models()).toEqual(yield* Effect.flatMap(LocalService, ({ models }) => models))
      expect(yield* platform.changeAccount({ payload: { state: "closed" } })).toEqual({ state: "closed", credits: 100 })
      const fixedTime = new Date("2026-01-31T23:59:59.500Z")
      yield* platform.reset({ payload: { seed: 1, fixedTime } })
      expect(yield* platform.account()).toEqual({ state: "active", credits: 100 })
      expect(yield* platform.usage()).toEqual([])

      const { createdAt, id, key } = yield* platform.createKey({ payload: { name: "mine", confirm: true } })
      expect(createdAt).toBe(fixedTime.toISOString())
      expect(Redacted.value(key)).toMatch(/^local_/)
      const changed = yield* platform.changeKey({ path: { id }, payload: { scopes: ["tts:synth"] } })
      expect(changed).toMatchObject({ name: "mine", scopes: ["tts:synth"], revokedAt: null })
      expect((yield* platform.keys()).active).toEqual(changed)
      expect((yield* platform.revokeKey({ path: { id } })).active).toBeNull()

      const faults = yield* platform.setFaults({ payload: [{ operation: "synthesize", status: 502 }] })
      expect(faults).toEqual([{ fault: { operation: "synthesize", status: 502 }, happened: 0 }])
      expect(yield* platform.faults()).toEqual(faults)
      const { ttsBaseUrl } = yield* LocalService
      yield* Effect.promise(() => fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST" }))
      expect(yield* platform.requests()).toMatchObject([{ operation: "synthesize", status: 502, outcome: "faulted" }])
      yield* platform.reset({ payload: {} })
    })
  )

  it.effect("fails with the status and the message of the platform", () =>
    Effect.gen(function* () {
      const platform = yield* client
      const stranger = yield* clientOf("wrong")
      const failures = yield* Effect.all(
        [
          stranger.account(),
          platform.createKey({ payload: { name: "mine" } }),
          platform.revokeKey({ path: { id: "unknown" } })
        ].map((call: Effect.Effect<unknown, unknown>) => Effect.flip(call))
      )
      expect(failures).toMatchObject([
        { _tag: "LocalServicePlatformRequestFailed", status: 401, message: "X-Admin-Token is missing or wrong" },
        { _tag: "LocalServicePlatformRequestFailed", status: 409, message: expect.stringContaining("local") },
        { _tag: "LocalServicePlatformRequestFailed", status: 404, message: "no key has this id" }
      ])
    })
  )
})
