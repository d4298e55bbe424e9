import { writeFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { recordingOf, serviceOfTones, setFaults, speechCommand, temporaryFolder } from "./environment.js"

// The tests of the commands have the codes of files, deadlines, archives and signals.
layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer), { excludeTestServices: true })("the exit code", (it) => {
  it.scoped.each([
    ["transcribe", 10, "SttBadRequest", { status: 400 }],
    ["transcribe", 11, "SttUnauthorized", { status: 401 }],
    ["transcribe", 12, "SttCreditExhausted", { status: 402 }],
    ["transcribe", 13, "SttForbidden", { status: 403 }],
    ["transcribe", 20, "SttUnavailable", { status: 503 }],
    ["transcribe", 21, "SttUnexpectedStatus", { status: 418 }],
    ["transcribe", 30, "SttConnectionFailed", { reset: "request" }],
    ["transcribe", 32, "SttInvalidResponse", { status: 200, body: "no JSON" }],
    ["synthesize", 10, "TtsBadRequest", { status: 400 }],
    ["synthesize", 11, "TtsUnauthorized", { status: 401 }],
    ["synthesize", 20, "TtsBackendFailed", { status: 502 }],
    ["synthesize", 21, "TtsUnexpectedStatus", { status: 404 }],
    ["synthesize", 21, "TtsUnexpectedStatus", { status: 503 }]
  ] as const)("of %s is %d for %s: %j", ([operation, code, tag, fault]) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(`${folder}/a.wav`, recordingOf(1))
      yield* setFaults({ operation, ...fault })
      const args =
        operation === "transcribe"
          ? ["transcribe", `${folder}/a.wav`, "--model", "hi-general-v2-8khz"]
          : ["synthesize", "a", "--out", `${folder}/b.wav`]
      const outcome = yield* speechCommand(...args, "--retries", "0")
      expect(outcome).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(`[${tag}]`) })
    })
  )
})
