import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import { KnownRecordings, LocalService } from "@effect-speech/local-service"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"

const brokenVoice = cannedVoice(() => Stream.die(new Error("a defect of the voice")))

it.scopedLive("the log has a defect of the service with its stack trace", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ cause, message }) => lines.push(`${String(message)} ${Cause.pretty(cause)}`))
  return Effect.gen(function* () {
    const { apiKey = Redacted.make(""), ttsBaseUrl } = yield* LocalService.make({ newKey: true })
    const status = yield* Effect.promise(async () => {
      const headers = { "X-API-Key": Redacted.value(apiKey), "Content-Type": "application/json" }
      const body = JSON.stringify({ text: "a", lang: "en" })
      return (await fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body })).status
    })
    expect(status).toBe(500)
    expect(lines.join("\n")).toContain("a defect of the voice")
    expect(lines.join("\n")).toContain("log.test.ts")
  }).pipe(
    Effect.provide([
      brokenVoice,
      KnownRecordings.layer(),
      NodeFileSystem.layer,
      Logger.replace(Logger.defaultLogger, logger)
    ])
  )
})
