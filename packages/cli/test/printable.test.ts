/** Strings from outside in every output of the command. None may control a terminal, or look like another message. */
import { mkdirSync, writeFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer, vi } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import type { Fault } from "@effect-speech/local-service/Faults"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { Coloured } from "../src/coloured.js"
import { reportDefect } from "../src/report.js"
import { safeConsole } from "../src/safeConsole.js"
import {
  environmentOf,
  recordingConsole,
  run,
  serviceOfTones,
  setFaults,
  temporaryFolder,
  terminal
} from "./environment.js"

/** A name may hold all of it: it clears the screen in two ways, turns the order around, and begins another message. */
const hostile = "\u001b[2J\u009b2J\u007f\u202e\u2066\u2028\nspeech: all is well"
const escaped = "\\u001b[2J\\u009b2J\\u007f\\u202e\\u2066\\u2028\\nspeech: all is well"
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

const json = { "content-type": "application/json" }
const refusal: Fault = {
  status: 400,
  headers: json,
  body: JSON.stringify({ error: hostile, message: hostile, status: "error" })
}
const transcript: Fault = {
  status: 200,
  headers: json,
  body: JSON.stringify({ status: "success", text: hostile, call_id: hostile })
}
const otherId: Fault = { operation: "synthesize", headers: { "x-request-id": "a\u009b\u00ad" } }

const model = ["--model", "en-general-v2-8khz"]
const good = "good.wav"
const named = `${hostile}.wav`

interface Row {
  readonly what: string
  /** File names are in a folder of the test. */
  readonly args: ReadonlyArray<string>
  readonly fault?: Fault
  readonly environment?: Record<string, string>
  /** How often the string is printed. Default: once. */
  readonly times?: number
}

const rows: ReadonlyArray<Row> = [
  { what: "a recording that does not exist", args: ["transcribe", `no${named}`, ...model] },
  { what: "one of several recordings", args: ["transcribe", good, named, `no${named}`, ...model], times: 3 },
  { what: "a warning on one of them", args: ["transcribe", named, good, ...model], times: 3 },
  { what: "a hotword", args: ["transcribe", good, ...model, "--hotword", hostile] },
  { what: "a model", args: ["transcribe", good, "--model", `en-${hostile}`, "--parse-number"] },
  { what: "the words of transcription", args: ["transcribe", good, ...model], fault: refusal, times: 2 },
  { what: "the words of synthesis", args: ["synthesize", "a", "--out", "a.wav"], fault: refusal },
  { what: "the file that was written", args: ["synthesize", "a", "--lang", "en", "--out", named] },
  { what: "an output in no folder", args: ["synthesize", "a", "--out", `${hostile}/a.wav`] },
  { what: "a text file that does not exist", args: ["synthesize", "--text-file", `no${named}`, "--out", "a.wav"] },
  { what: "recordings without a text", args: ["serve", "--recordings", `folder${hostile}`], times: 2 },
  { what: "a misspelt command", args: ["transcrib\u009be"], times: 0 },
  {
    what: "an address",
    args: ["doctor"],
    environment: {
      SPEECH_API_KEY: "a.b",
      SPEECH_STT_BASE_URL: "",
      SPEECH_TTS_BASE_URL: `http://127.0.0.1:1/${hostile}`
    }
  }
]

const countOf = (text: string, part: string): number => text.split(part).length - 1

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer))("a string from outside is printable in", (it) => {
  const prepared = Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const recording = Wav.encode(new Uint8Array(9600), { sampleRate: 48_000, channels: 1, encoding: "pcm16" })
    writeFileSync(`${folder}/${good}`, recording)
    writeFileSync(`${folder}/${named}`, recording)
    mkdirSync(`${folder}/folder${hostile}`)
    writeFileSync(`${folder}/folder${hostile}/a.wav`, recording)
    return folder
  })
  const isPath = (arg: string) => /\.wav$|^folder/.test(arg)

  const runRow = ({ args, environment, fault }: Row, ...more: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const service = yield* LocalService
      yield* setFaults(...(fault === undefined ? [] : [fault]))
      const paths = args.map((arg) => (isPath(arg) ? `${folder}/${arg}` : arg))
      const outcome = yield* run([...paths, ...more], environment ?? environmentOf(service))
      return outcome
    })

  it.scoped.each(rows)("a message and in a line of JSON: $what", (row) =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* runRow(row)
      const lines = `${stdout}\n${stderr}`.split("\n")
      expect(lines.filter((line) => unprintable.test(line) || line.startsWith("speech: all is well"))).toEqual([])
      expect(countOf(lines.join("\n"), escaped)).toBe(row.times ?? 1)
      for (const line of (yield* runRow(row, "--json")).stdout.split("\n")) {
        expect(line).not.toMatch(unprintable)
        expect(JSON.parse(line)).toEqual(expect.any(Object))
      }
    })
  )

  it.scoped("JSON that keeps the value of a transcript", () =>
    Effect.gen(function* () {
      const row = { what: "", args: ["transcribe", good, ...model], fault: transcript }
      const { stdout } = yield* runRow(row, "--json")
      expect(stdout).not.toMatch(unprintable)
      expect(JSON.parse(stdout)).toMatchObject({ text: hostile })
      expect((yield* runRow(row)).stdout).toBe(hostile)
    })
  )

  it.scoped("a note on an id of the service", () =>
    Effect.gen(function* () {
      const { stderr } = yield* runRow({ what: "", args: ["synthesize", "a", "--out", "a.wav"], fault: otherId })
      expect(stderr).not.toMatch(/\u009b/)
    })
  )
})

describe("the console of the command", () => {
  it.scoped.each([
    [true, "one\\u001b[2J\ttwo\nthree"],
    [false, "one\u001b[2J\ttwo\nthree"]
  ] as const)("gives a terminal (%s) escapes for control characters, and a pipe the exact text", ([isTTY, shown]) =>
    Effect.gen(function* () {
      yield* terminal(isTTY)
      const { console, printed } = yield* recordingConsole
      yield* safeConsole(console, { json: false }).log("one\u001b[2J\ttwo\nthree")
      expect(printed().stdout).toBe(shown)
    })
  )

  it.scoped("colours an error where colours are wanted, and lets no text bring its own", () =>
    Effect.gen(function* () {
      const { console, printed } = yield* recordingConsole
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
      const shown = (variable: string, value: string) =>
        Effect.gen(function* () {
          vi.unstubAllEnvs()
          vi.stubEnv(variable, value)
          yield* safeConsole(console, { json: false }).error(new Coloured("red", "speech:"), "\u001b[32mno")
          return printed().stderr.split("\n").at(-1)
        })
      expect(yield* shown("FORCE_COLOR", "1")).toBe("\u001b[31mspeech:\u001b[39m \\u001b[32mno")
      expect(yield* shown("FORCE_COLOR", "0")).toBe("speech: \\u001b[32mno")
      expect(yield* shown("NO_COLOR", "1")).toBe("speech: \\u001b[32mno")
    })
  )

  it.effect("makes logs printable", () =>
    Effect.gen(function* () {
      const { console, printed } = yield* recordingConsole
      yield* Effect.logError(hostile, Cause.fail(new Error(hostile))).pipe(
        Effect.annotateLogs("name", hostile),
        Effect.withConsole(safeConsole(console, { json: true })),
        Effect.provide(Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true, colors: false })))
      )
      const { stderr, stdout } = printed()
      expect(stdout).toBe("")
      expect(stderr.replaceAll("\n", "")).not.toMatch(unprintable)
      expect(countOf(stderr, "\\u009b2J")).toBe(3)
    })
  )

  it.effect.each([false, true])("makes a defect printable, with --json %s", (asJson) =>
    Effect.gen(function* () {
      const { console, printed } = yield* recordingConsole
      yield* Effect.withConsole(
        reportDefect(Cause.die(new Error(hostile)), { json: asJson }),
        safeConsole(console, { json: asJson })
      )
      const { stderr, stdout } = printed()
      expect(`${stdout}${stderr}`.replaceAll("\n", "")).not.toMatch(unprintable)
      if (asJson) expect(JSON.parse(stdout).error.message).toContain(hostile)
    })
  )
})
