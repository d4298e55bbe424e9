import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { startHost } from "../src/internal/host/hostProcess.js"
import { endingOf } from "../src/internal/host/reasons.js"
import { problemIn } from "../src/internal/host/requestCheck.js"
import type { Ending } from "../src/internal/supervision/machine.js"

const load = { _tag: "Load", operation: "synthesize", config: {} }
const recognise = { _tag: "Recognise", task: 1, samples: new Float32Array(1) }
const speak = { _tag: "Speak", task: 1, text: "a", speaker: 0, speed: 1 }

describe("the process of a model", () => {
  it.each([
    load,
    { ...load, operation: "transcribe", trial: "a", statesLanguage: true },
    recognise,
    { ...recognise, hotwords: "a b :1", language: "en" },
    speak,
    { _tag: "Withdraw", task: 1 }
  ])("takes %o", (message) => {
    expect(problemIn(message)).toBe(undefined)
  })

  it.each([
    ["nothing", undefined, "It is not a message."],
    ["a text", "Load", "It is not a message."],
    ["no tag", {}, "It is not a message."],
    ["an unknown tag", { _tag: "toString" }, "It has an unknown tag."],
    ["another operation", { ...load, operation: "sing" }, "Load has a wrong operation."],
    ["no configuration", { ...load, config: null }, "Load has a wrong config."],
    ["integers, which would be noise", { ...recognise, samples: new Int16Array(1) }, "Recognise has a wrong samples."],
    ["no samples", { ...recognise, samples: new Float32Array(0) }, "Recognise has a wrong samples."],
    ["blank hotwords", { ...recognise, hotwords: " " }, "Recognise has a wrong hotwords."],
    ["no language", { ...recognise, language: "" }, "Recognise has a wrong language."],
    ["a blank text", { ...speak, text: " \n" }, "Speak has a wrong text."],
    ["a speed of 0", { ...speak, speed: 0 }, "Speak has a wrong speed."],
    ["no end of a speed", { ...speak, speed: Number.POSITIVE_INFINITY }, "Speak has a wrong speed."],
    ["a speaker below 0", { ...speak, speaker: -1 }, "Speak has a wrong speaker."],
    ["two wrong fields", { ...speak, task: 0.5, speaker: "a" }, "Speak has a wrong task and speaker."]
  ])("does not take %s", (_, message, problem) => {
    expect(problemIn(message)).toBe(problem)
  })

  const folder = temporaryFolder("effect-speech-programs-")
  const endOf = (script: string) =>
    Effect.async<Ending>((resume) => {
      const program = join(folder, `${Math.random()}.cjs`)
      writeFileSync(program, script)
      startHost(
        { load: { _tag: "Load", operation: "transcribe", config: {} }, folder, concurrency: 1 },
        { onLoaded: () => undefined, onOutcome: () => undefined, onEnded: (ending) => resume(Effect.succeed(ending)) },
        program
      )
    })

  it.live.each([
    ["a message of another shape", `process.send({ _tag: "Spoken", task: 1, samples: [0.5], sampleRate: 1 })`],
    ["no message", `process.send("hello")`]
  ])("is ended if it sends %s", ([_, script]) =>
    Effect.gen(function* () {
      const ending = yield* endOf(`${script}; setInterval(() => {}, 1000)`)
      expect(ending).toEqual({ killed: false, cause: "Its process sent a message that is not of the protocol." })
    })
  )

  it.live.each([
    ["OOV password", "It gave no reason.", "Its process ended with exit code 255."],
    [
      "OOV password\n2026-11-26 03:00:00.1 [E:onnxruntime:, a.cc:1 Run] Non-zero status code.\nSkip password",
      "Non-zero status code.",
      "Non-zero status code."
    ]
  ])("that is loaded says nothing of the texts of clients: %j", ([lines, failed, ended]) =>
    Effect.gen(function* () {
      const program = join(folder, `${Math.random()}.cjs`)
      writeFileSync(
        program,
        `const say = () => require("node:fs").writeSync(2, ${JSON.stringify(`${lines}\n`)})
        process.on("message", ({ _tag, task }) => {
          if (_tag === "Load") return require("node:fs").writeSync(2, "Loading\\n"), process.send({ _tag: "Loaded" })
          say()
          if (task === 2) process.exit(255)
          setTimeout(() => process.send({ _tag: "Failed", task, reason: "" }), 50)
        })`
      )
      const reasons: Array<unknown> = []
      const ending = yield* Effect.async<Ending>((resume) => {
        const host = startHost(
          { load: { _tag: "Load", operation: "synthesize", config: {} }, folder, concurrency: 1 },
          {
            onLoaded: () => host.send({ _tag: "Speak", task: 1, text: "a", speaker: 0, speed: 1 }),
            onOutcome: (outcome) => {
              reasons.push(outcome)
              host.send({ _tag: "Speak", task: 2, text: "a", speaker: 0, speed: 1 })
            },
            onEnded: (ending) => resume(Effect.succeed(ending))
          },
          program
        )
      })
      expect(reasons).toEqual([{ _tag: "Failed", task: 1, reason: failed }])
      expect(ending).toEqual({ killed: false, cause: ended })
    })
  )

  it.live("says with its last words why it ended, also if there are many", () =>
    Effect.gen(function* () {
      const ending = yield* endOf(
        `for (let line = 0; line < 1e5; line++) console.error("Noise, of which there is a lot in each line."); console.error("The reason"); process.exitCode = 255`
      )
      expect(ending.killed).toBe(false)
      expect(ending.cause).toMatch(/^… .*line\. The reason\.$/)
      expect(ending.cause.length).toBeLessThan(510)
    })
  )
})

describe("the reason of an end", () => {
  const facts = { code: 255, signal: null, lines: [], folder: "/home/me/my models/tiny" }
  it.each([
    ["/shared/sherpa-onnx/csrc/symbol-table.cc:ReadTokens:132 Error: b x 1", "Error: b x 1."],
    ["tokens: '/home/me/my models/tiny/tokens.txt' does not exist", "tokens: 'tokens.txt' does not exist."],
    ["Load model from C:\\models\\tiny\\model.onnx failed: bad", "Load model from model.onnx failed: bad."],
    ["\u001b[1;31m2026-11-26 03:00:00.1 [E:onnxruntime:, graph.cc:1 Run] No op.\u001b[m", "No op."],
    ["Error: no\n    at file:///home/me/node_modules/a/b.js:1:2", "Error: no."],
    ["Cannot find module '/home/me/node_modules/sherpa/x.js'", "Cannot find module 'x.js'."],
    ["a\u202eb", "a\\u202eb."],
    ["3 / 4 of it", "3 / 4 of it."]
  ])("shows no path: %j", (text, cause) => {
    expect(endingOf({ ...facts, lines: text.split("\n") })).toEqual({ killed: false, cause })
  })

  it.each([
    ["Token en is not in the sentence.", "Token en is not in the sentence."],
    ["en/tokens.txt does not exist", "tokens.txt does not exist."],
    [`Load of '${process.cwd()}/en/model.onnx' failed`, "Load of 'model.onnx' failed."]
  ])("keeps its letters if the path of the folder is relative: %j", (line, cause) => {
    expect(endingOf({ ...facts, folder: "en", lines: [line] }).cause).toBe(cause)
  })

  it.each([".h:".repeat(1600) + "1".repeat(1600), ".h:1".repeat(16_000), "/a".repeat(30_000), "/".repeat(60_000)])(
    "is found at once in a line however long",
    (line) => {
      // Otherwise minutes, so the test would time out.
      const { cause } = endingOf({ ...facts, lines: Array.from({ length: 20 }, () => `${line}x and so on`) })
      expect(cause).toMatch(/and so on\.$/)
    }
  )

  it.each([
    [{ code: 1 }, false, "Its process ended with exit code 1."],
    [{ code: null, signal: "SIGSEGV" as const }, false, "Its process ended by SIGSEGV."],
    [{ code: null, signal: "SIGKILL" as const, lines: ["A warning."] }, true, "Its process ended by SIGKILL."],
    [{ code: null, signal: "SIGKILL" as const, refusal: "No." }, false, "No."],
    [{ lines: ["A detail."], refusal: "Failed." }, false, "A detail."]
  ])("is how it ended, if it said nothing else: %o", (of, killed, cause) => {
    expect(endingOf({ ...facts, ...of })).toEqual({ killed, cause })
  })
})
