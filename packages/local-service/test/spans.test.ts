import { expect, it } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import { recordingTracer } from "effect-speech-test-support/telemetry"

it.scopedLive("the requests have spans if the service runs with a tracer", () => {
  const { spans, tracer } = recordingTracer()
  return Effect.gen(function* () {
    const { ttsBaseUrl } = yield* LocalService
    yield* Effect.promise(() => fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST" }))
    const requests = spans.filter(({ kind }) => kind === "server")
    expect(requests).toMatchObject([{ attributes: { "http.response.status_code": 401 } }])
  }).pipe(Effect.provide(LocalService.layer()), Effect.withTracer(tracer))
})
