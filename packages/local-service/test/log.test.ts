import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import { make, Recogniser, Voice } from "@effect-speech/local-service"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const brokenVoice = Layer.succeed(Voice.Voice, {
  languages: ["en"],
  voices: ["default_female"],
  sampleRate: 8000,
  speak: () => Stream.die(new Error("its strings are torn"))
})

it.scopedLive("a failure of the service is told by its log, with where it came from", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ cause, message }) => lines.push(`${String(message)} ${Cause.pretty(cause)}`))
  return Effect.gen(function* () {
    const { apiKey = Redacted.make(""), ttsBaseUrl } = yield* make({ newKey: true })
    const status = yield* Effect.promise(async () => {
      const headers = { "X-API-Key": Redacted.value(apiKey), "Content-Type": "application/json" }
      const body = JSON.stringify({ text: "a", lang: "en" })
      return (await fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body })).status
    })
    expect(status).toBe(500)
    expect(lines.join("\n")).toContain("its strings are torn")
    expect(lines.join("\n")).toContain("log.test.ts")
  }).pipe(
    Effect.provide([
      brokenVoice,
      Recogniser.Recogniser.layerKnownRecordings(),
      NodeFileSystem.layer,
      Logger.replace(Logger.defaultLogger, logger)
    ])
  )
})
