import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { SttError } from "@effect-speech/stt"
import { TtsError } from "@effect-speech/tts"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ExitCode from "../src/exitCode.js"
import { speech } from "../src/speech.js"
import { toHotword } from "../src/transcribe.js"

/** Runs the command in this process, with an environment of its own, and keeps what it prints. */
const run = (args: ReadonlyArray<string>, environment: Record<string, string>) =>
  Effect.gen(function* () {
    const stdout: Array<string> = []
    const stderr: Array<string> = []
    const real = yield* Console.consoleWith(Effect.succeed)
    const code = yield* speech(["node", "speech", ...args]).pipe(
      Effect.withConsole({
        ...real,
        log: (...parts) => Effect.sync(() => stdout.push(parts.join(" "))),
        error: (...parts) => Effect.sync(() => stderr.push(parts.join(" ")))
      }),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
    )
    return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") }
  })

const environmentOf = ({ apiKey, sttBaseUrl, ttsBaseUrl }: LocalService["Type"]) => ({
  SPEECH_API_KEY: Redacted.value(apiKey),
  SPEECH_STT_BASE_URL: sttBaseUrl,
  SPEECH_TTS_BASE_URL: ttsBaseUrl
})

layer(Layer.merge(LocalService.layer(), NodeFileSystem.layer))("the command", (it) => {
  const speechCommand = (...args: ReadonlyArray<string>) =>
    Effect.flatMap(LocalService, (service) => run(args, environmentOf(service)))

  it.scoped("speaks into a file and prints what the file says", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
      const spoken = yield* speechCommand("synthesize", "नमस्ते", "--out", path, "--output-format", "8000:pcm16")
      expect(spoken).toMatchObject({ code: 0, stdout: "" })
      expect(spoken.stderr).toContain(`${path}: `)
      expect(Either.getOrThrow(Wav.decode(yield* fs.readFile(path))).format).toEqual({
        sampleRate: 8000,
        channels: 1,
        encoding: "pcm16"
      })
      const heard = yield* speechCommand("transcribe", path, "--model", "hi-general-v2-8khz")
      expect(heard).toEqual({ code: 0, stdout: "नमस्ते", stderr: "" })
    })
  )

  it.scoped("with --json prints one value, for a result and for a failure", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
      const spoken = yield* speechCommand(
        "synthesize",
        "hello",
        "--lang",
        "en",
        "--out",
        path,
        "--json",
        "--request-id",
        "r-1"
      )
      expect(JSON.parse(spoken.stdout)).toMatchObject({ path, requestId: "r-1", call: { billing: "billed" } })

      const failed = yield* speechCommand("transcribe", path, "--model", "xx", "--json")
      expect(failed.code).toBe(10)
      expect(JSON.parse(failed.stdout)).toMatchObject({ error: { _tag: "SttBadRequest", status: 400 } })
    })
  )

  it.scoped("asks nothing of the service when the output can't be written", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const before = yield* accounts.account
      const refused = yield* speechCommand("synthesize", "hello", "--lang", "en", "--out", "/no/where/a.wav")
      expect(refused.code).toBe(3)
      expect(yield* accounts.account).toEqual(before)
    })
  )

  it.scoped("says so when nothing was recognised", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/silence.wav`
      yield* fs.writeFile(
        path,
        Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(16_000))
      )
      const outcome = yield* speechCommand("transcribe", path, "--model", "hi-general-v2-8khz")
      expect(outcome).toEqual({
        code: 0,
        stdout: "",
        stderr: "speech: Nothing was recognised in the recording."
      })
    })
  )

  it.scoped("leaves no file after a failure", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const failed = yield* speechCommand("synthesize", "hello", "--lang", "tlh", "--out", `${folder}/a.wav`)
      expect(failed.code).toBe(10)
      expect(failed.stderr).toContain("[TtsBadRequest]")
      expect(yield* fs.readDirectory(folder)).toEqual([])
    })
  )

  it.effect.each([
    { what: "no text", args: ["synthesize", "--out", "a.wav"], code: 2, says: "There is nothing to say" },
    { what: "two texts", args: ["synthesize", "a", "--text-file", "b", "--out", "a.wav"], code: 2, says: "two texts" },
    {
      what: "a dash for an id",
      args: ["transcribe", "a", "--model", "m", "--transaction-id", "-"],
      code: 2,
      says: "UUID"
    },
    {
      what: "an output that is a folder",
      args: ["synthesize", "a", "--out", "/tmp"],
      code: 3,
      says: "/tmp is a folder"
    },
    { what: "an output of no name", args: ["synthesize", "a", "--out", ""], code: 3, says: "needs the name" },
    {
      what: "a text file that is missing",
      args: ["synthesize", "--text-file", "no.txt", "--out", "a.wav"],
      code: 3,
      says: "no.txt does not exist"
    },
    {
      what: "overrides that are no JSON",
      args: ["synthesize", "a", "--out", "a", "--g2p-overrides", "{", "--json"],
      code: 2,
      says: "--g2p-overrides must be a JSON object"
    },
    { what: "a port that is none", args: ["serve", "--port", "80000"], code: 2, says: "port must be" },
    { what: "JSON and audio at once", args: ["synthesize", "a", "--out", "-", "--json"], code: 2, says: "--json" },
    { what: "a wrong speed", args: ["synthesize", "a", "--out", "a.wav", "--speed", "9"], code: 2, says: "speed" },
    { what: "no model", args: ["transcribe", "a.wav"], code: 2, says: "" },
    { what: "a missing recording", args: ["transcribe", "no.wav", "--model", "m"], code: 3, says: "does not exist" },
    {
      what: "a folder that is missing",
      args: ["synthesize", "a", "--out", "/no/where/a.wav"],
      code: 3,
      says: "/no/where does not exist"
    }
  ])("exits with $code for $what", ({ args, code, says }) =>
    Effect.gen(function* () {
      const outcome = yield* speechCommand(...args)
      expect(outcome.code).toBe(code)
      expect(outcome.stdout + outcome.stderr).toContain(says)
    })
  )
})

it.effect("a usage that is refused is JSON too with --json", () =>
  Effect.gen(function* () {
    const outcome = yield* run(["transcribe", "a.wav", "--json"], {})
    expect(outcome.code).toBe(2)
    expect(JSON.parse(outcome.stdout)).toEqual({
      error: { _tag: "UsageError", message: expect.stringContaining("--model") }
    })
  })
)

it.effect("a port that is in use is told as such", () =>
  Effect.gen(function* () {
    const { sttBaseUrl } = yield* LocalService
    const outcome = yield* run(["serve", "--port", new URL(sttBaseUrl).port], {})
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain("A port is in use already")
  }).pipe(Effect.provide(LocalService.layer()))
)

it.scoped("a data directory shows its key once, and another in its place where that is asked for", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const served = (...options: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const printed = yield* Deferred.make<string>()
        const real = yield* Console.consoleWith(Effect.succeed)
        const log = (line: string) => Effect.asVoid(Deferred.succeed(printed, line))
        const command = speech(["node", "speech", "serve", "--data-dir", `${folder}/data`, "--json", ...options])
        const fiber = yield* Effect.fork(Effect.withConsole(command, { ...real, log, error: () => Effect.void }))
        const line = JSON.parse(yield* Deferred.await(printed))
        yield* Fiber.interrupt(fiber)
        return line
      })
    const first = yield* served()
    expect(Object.keys(first)).toEqual(["sttBaseUrl", "ttsBaseUrl", "platformUrl", "apiKey", "adminToken"])
    expect(first.apiKey).toMatch(/^local_/)
    expect((yield* served()).apiKey).toBeNull()
    const replaced = (yield* served("--new-key")).apiKey
    expect(replaced).toMatch(/^local_/)
    expect(replaced).not.toBe(first.apiKey)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.scoped("a recording to know that has no text is told, and nothing is served", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    yield* fs.writeFile(`${folder}/a.wav`, new Uint8Array(44))
    const outcome = yield* run(["serve", "--recordings", folder], {})
    expect(outcome).toMatchObject({ code: 3, stdout: "" })
    expect(outcome.stderr).toContain(`${folder}/a.txt can't be read`)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.effect("without configuration says what to set, and that `speech serve` tells how", () =>
  Effect.gen(function* () {
    const outcome = yield* run(["transcribe", "a.wav", "--model", "m"], {})
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain("set SPEECH_API_KEY in the environment")
    expect(outcome.stderr).toContain("speech serve")
  })
)

describe("exit codes", () => {
  it("are the table's, for every error of both services", () => {
    const codes = (members: ReadonlyArray<new () => SttError | TtsError>) =>
      Object.fromEntries(
        members.map((Member) => new Member()).map((error) => [error._tag, ExitCode.ofServiceError(error)])
      )
    expect(codes(SttError.members)).toEqual({
      SttInvalidRequest: 2,
      SttInvalidApiKey: 2,
      SttAudioUnreadable: 3,
      SttBadRequest: 10,
      SttUnauthorized: 11,
      SttCreditExhausted: 12,
      SttForbidden: 13,
      SttServerError: 20,
      SttUnavailable: 20,
      SttUnexpectedStatus: 21,
      SttConnectionFailed: 30,
      SttDeadlineExceeded: 31,
      SttInvalidResponse: 32,
      SttTranscriptionFailed: 32
    })
    expect(codes(TtsError.members)).toEqual({
      TtsInvalidRequest: 2,
      TtsInvalidApiKey: 2,
      TtsBadRequest: 10,
      TtsUnauthorized: 11,
      TtsServerError: 20,
      TtsBackendFailed: 20,
      TtsUnexpectedStatus: 21,
      TtsConnectionFailed: 30,
      TtsDeadlineExceeded: 31,
      TtsInvalidResponse: 32,
      TtsCorruptAudio: 32
    })
  })
})

it.each([
  ["UPI", { phrase: "UPI" }],
  ["Kotak Bank:2.5", { phrase: "Kotak Bank", score: 2.5 }],
  ["at 10:30:2", { phrase: "at 10:30", score: 2 }],
  ["Note: this", { phrase: "Note: this" }],
  ["a:", { phrase: "a:" }]
])("--hotword %j is a phrase, and a score only after the last colon and as a number", (text, hotword) => {
  expect(toHotword(text)).toEqual(hotword)
})
