import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll } from "vitest"
import { checker, rules } from "../../checks/conformance/rules.js"
import { knownRecordings, overHttp } from "../../checks/conformance/service.js"

const folder = mkdtempSync(join(tmpdir(), "conformance-"))
const runtime = ManagedRuntime.make(LocalService.layer({ recordings: knownRecordings(folder) }))
afterAll(async () => {
  await runtime.dispose()
  rmSync(folder, { recursive: true })
})

const service = runtime.runPromise(LocalService)
const checking = service.then(({ adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl }) =>
  checker(overHttp({ stt: sttBaseUrl, tts: ttsBaseUrl, platform: platformUrl }), {
    model: "hi-general-v2-8khz",
    otherModel: "en-general-v2-8khz",
    key: Redacted.value(apiKey),
    adminToken: Redacted.value(adminToken)
  })
)

it.each([...rules])("the local service keeps the contract: $sentence", async (rule) => {
  const check = await checking
  expect(await check(rule)).toMatchObject({ held: expect.stringMatching(/^(yes|not specified)$/) })
})
