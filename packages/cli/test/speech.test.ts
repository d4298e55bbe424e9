import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
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
import { toHotword } from "../src/commands/transcribe.js"
import * as ExitCode from "../src/exitCode.js"
import { speech } from "../src/speech.js"

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

  it.scoped("takes options in any order and form, and never for a file or a text", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
      const spoken = yield* speechCommand(
        "--json",
        "synthesize",
        "--lang=en",
        "--log-level=debug",
        `--out=${path}`,
        "no"
      )
      expect(JSON.parse(spoken.stdout)).toMatchObject({ path })
      const hotwords = ["--hotword=one", "--hotword", "two:2", "--hotword=three"]
      const heard = yield* speechCommand("transcribe", path, ...hotwords, "--telephony", "--model=en-general-v2-8khz")
      expect(heard).toEqual({ code: 0, stdout: "no", stderr: "" })
      const { requests } = yield* LocalService
      expect((yield* requests).at(-1)?.request).toMatchObject({
        hotwords: [{ phrase: "one" }, { phrase: "two", score: 2 }, { phrase: "three" }]
      })
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

  it.scoped("transcribes several recordings in the order given, and a failure stops no other", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const [one, two] = [`${folder}/one.wav`, `${folder}/two.wav`]
      yield* speechCommand("synthesize", "एक", "--out", one)
      yield* speechCommand("synthesize", "दो", "--out", two)
      const files = [one, `${folder}/no.wav`, two]
      const model = ["--model", "hi-general-v2-8khz"]

      const heard = yield* speechCommand("transcribe", ...files, ...model, "--telephony")
      expect(heard).toEqual({
        code: 3,
        stdout: `${one}: एक\n${two}: दो`,
        stderr:
          `speech: ${folder}/no.wav: The recording ${folder}/no.wav can't be sent: it does not exist; check the path. [SttAudioUnreadable]\n` +
          "speech: 1 of 3 recordings failed."
      })

      const lines = yield* speechCommand("transcribe", ...files, ...model, "--json", "--concurrency", "1")
      expect(lines.code).toBe(3)
      expect(lines.stdout.split("\n").map((line) => JSON.parse(line))).toMatchObject([
        { file: one, text: "एक" },
        { file: `${folder}/no.wav`, error: { _tag: "SttAudioUnreadable" } },
        { file: two, text: "दो" }
      ])

      const remarked = yield* speechCommand("transcribe", one, two, ...model)
      expect(remarked.code).toBe(0)
      expect(remarked.stderr).toMatch(/^speech: \S+one\.wav and 1 more: The recording is at 24000 Hz[^\n]*$/)
    })
  )

  it.scoped("gives each of several recordings one line, whatever its name and its text hold", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const [one, two] = [`${folder}/one\n.wav`, `${folder}/two.wav`]
      for (const path of [one, two]) yield* speechCommand("synthesize", "एक", "--out", path)
      const body = JSON.stringify({ text: "first\n second", call_id: "c", status: "success" })
      yield* service.faults.set([{ operation: "transcribe", body, headers: { "content-type": "application/json" } }])
      const heard = yield* speechCommand("transcribe", one, two, "--model", "hi-general-v2-8khz", "--telephony")
      yield* service.faults.set([])
      expect(heard.stdout).toBe(`${folder}/one .wav: first second\n${two}: first second`)
    })
  )

  it.scoped("sends no further recording once the account is refused", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const before = (yield* service.requests).length
      const environment = { ...environmentOf(service), SPEECH_API_KEY: "wrong.key" }
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
      yield* speechCommand("synthesize", "एक", "--out", path)
      const args = ["transcribe", path, path, path, "--model", "hi-general-v2-8khz", "--concurrency", "1"]

      const outcome = yield* run(args, environment)
      expect(outcome).toMatchObject({ code: 11, stdout: "" })
      expect(outcome.stderr).toContain("speech: 1 of 3 recordings failed, and 2 were not sent")
      expect((yield* service.requests).length).toBe(before + 2)

      const lines = yield* run([...args, "--json"], environment)
      expect(lines.stdout.split("\n").map((line) => JSON.parse(line).error._tag)).toEqual([
        "SttUnauthorized",
        "NotTried",
        "NotTried"
      ])
    })
  )

  it.effect("doctor finds both operations in order, and spends nothing", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const before = yield* accounts.account
      const outcome = yield* speechCommand("doctor")
      expect(outcome).toMatchObject({ code: 0, stderr: "" })
      expect(outcome.stdout.split("\n").map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
        ["ok", "SPEECH_API_KEY"],
        ["ok", "SPEECH_STT_BASE_URL"],
        ["ok", "SPEECH_TTS_BASE_URL"],
        ["ok", "transcription"],
        ["ok", "synthesis"]
      ])
      expect(yield* accounts.account).toEqual(before)
    })
  )

  it.effect("doctor tells each thing that is wrong, and asks only where its settings are right", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const findings = (environment: Record<string, string>) =>
        Effect.map(run(["doctor", "--json"], environment), ({ code, stdout }) => ({
          code,
          checks: JSON.parse(stdout).checks.map((check: { outcome: string; error?: { _tag: string } }) =>
            check.error === undefined ? check.outcome : check.error._tag
          )
        }))
      const environment = environmentOf(service)
      expect(yield* findings({ SPEECH_TTS_BASE_URL: environment.SPEECH_TTS_BASE_URL })).toEqual({
        code: 2,
        checks: ["failed", "failed", "ok", "not tried", "not tried"]
      })
      expect(yield* findings({ ...environment, SPEECH_STT_BASE_URL: "nowhere" })).toEqual({
        code: 2,
        checks: ["ok", "failed", "ok", "not tried", "ok"]
      })
      expect(yield* findings({ ...environment, SPEECH_API_KEY: "wrong.key" })).toEqual({
        code: 11,
        checks: ["ok", "ok", "ok", "SttUnauthorized", "TtsUnauthorized"]
      })
      expect(yield* findings({ ...environment, SPEECH_STT_BASE_URL: "http://127.0.0.1:1" })).toEqual({
        code: 30,
        checks: ["ok", "ok", "ok", "SttConnectionFailed", "ok"]
      })
      // A proxy, or a server of something else, that refuses what it does not know.
      yield* service.faults.set([{ status: 400, body: "<html>" }])
      expect(yield* findings(environment)).toEqual({
        code: 10,
        checks: ["ok", "ok", "ok", "SttBadRequest", "TtsBadRequest"]
      })
      yield* service.faults.set([])
      // The other operation's host answers, but not to this path.
      expect(yield* findings({ ...environment, SPEECH_STT_BASE_URL: environment.SPEECH_TTS_BASE_URL })).toEqual({
        code: 21,
        checks: ["ok", "ok", "ok", "SttUnexpectedStatus", "ok"]
      })
    })
  )

  it.effect("sends over plain http to another machine only where it may", () =>
    Effect.gen(function* () {
      // This machine too, but not by a name that says so.
      const elsewhere = {
        SPEECH_API_KEY: "a.b",
        SPEECH_STT_BASE_URL: "http://0.0.0.0:1",
        SPEECH_TTS_BASE_URL: "http://0.0.0.0:1"
      }
      const refused = yield* run(["synthesize", "hello", "--out", `${tmpdir()}/never.wav`], elsewhere)
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain("use https or --allow-insecure-http")
      expect((yield* run(["doctor"], elsewhere)).code).toBe(2)
      expect((yield* run(["doctor", "--allow-insecure-http"], elsewhere)).code).toBe(30)
    })
  )

  it.effect.each([
    {
      what: "a request id that is none, by the name of its option",
      args: ["synthesize", "a", "--out", `${tmpdir()}/never.wav`, "--request-id", "a b"],
      code: 2,
      says: "--request-id must be"
    },
    {
      what: "a new key for no folder",
      args: ["serve", "--new-key"],
      code: 2,
      says: "--new-key is for a --data-dir"
    },
    {
      what: "an option that is misspelt",
      args: ["transcribe", "a.wav", "--model", "m", "--telephny"],
      code: 2,
      says: "--telephny is not an option here. Did you mean --telephony? See speech transcribe --help."
    },
    {
      what: "an option that is given twice",
      args: ["transcribe", "a.wav", "--model", "m", "--model=n"],
      code: 2,
      says: "--model is given more than once"
    },
    {
      what: "a last option without its value",
      args: ["transcribe", "a.wav", "--model", "m", "--hotword"],
      code: 2,
      says: "--hotword needs a value"
    },
    {
      what: "an option in place of a value",
      args: ["transcribe", "a.wav", "--model", "--json"],
      code: 2,
      says: '{"error":{"_tag":"UsageError","message":"--model needs a value.'
    },
    {
      what: "a value that an option does not take",
      args: ["transcribe", "a.wav", "--json=true"],
      code: 2,
      says: '{"error":{"_tag":"UsageError","message":"--json takes no value.'
    },
    {
      what: "a value that is no choice",
      args: ["transcribe", "a.wav", "--model", "m", "--log-level", "loud"],
      code: 2,
      says: "--log-level must be one of all, trace,"
    },
    { what: "a wizard without a person", args: ["transcribe", "--wizard"], code: 2, says: "--wizard is not an option here" },
    {
      what: "a text that begins with dashes",
      args: ["synthesize", "--out", "a.wav", "--- hello"],
      code: 2,
      says: "goes last, after --"
    },
    {
      what: "a text that begins with a dash",
      args: ["synthesize", "-5 degrees", "--out", "a.wav"],
      code: 2,
      says: "--"
    },
    { what: "a command that is none", args: ["speak"], code: 2, says: "The commands are synthesize, transcribe" },
    {
      what: "a speed that is no number",
      args: ["synthesize", "a", "--out", "a", "--speed", "x"],
      code: 2,
      says: "--speed"
    },
    {
      what: "no time at all",
      args: ["transcribe", "a.wav", "--model", "m", "--timeout", "0"],
      code: 2,
      says: "--timeout must be a number above 0"
    },
    {
      what: "one id for several recordings",
      args: ["transcribe", "a", "b", "--model", "m", "--transaction-id", "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"],
      code: 2,
      says: "the id of one request"
    },
    {
      what: "standard input twice",
      args: ["transcribe", "-", "-", "--model", "m"],
      code: 2,
      says: "Standard input can be sent only once"
    },
    {
      what: "a hotword of nothing",
      args: ["transcribe", "a.wav", "--model", "m", "--hotword", ""],
      code: 2,
      says: "--hotword must not be empty"
    },
    { what: "no text", args: ["synthesize", "--out", "a.wav"], code: 2, says: "There is nothing to say" },
    { what: "two texts", args: ["synthesize", "a", "--text-file", "b", "--out", "a.wav"], code: 2, says: "two texts" },
    {
      what: "a dash for an id",
      args: ["transcribe", "a", "--model", "m", "--transaction-id", "-"],
      code: 2,
      says: "UUID"
    },
    {
      what: "a folder that is not there yet for an output",
      args: ["synthesize", "a", "--out", "new/"],
      code: 3,
      says: "new/ is a folder"
    },
    {
      what: "an output whose name is too long",
      args: ["synthesize", "a", "--out", "n".repeat(300)],
      code: 3,
      says: "can't be written (ENAMETOOLONG)"
    },
    ...(existsSync("/dev/full")
      ? [
          {
            what: "a disk that is full",
            args: ["synthesize", "a", "--out", "/dev/full"],
            code: 3,
            says: "/dev/full can't be written: the disk is full."
          }
        ]
      : []),
    {
      what: "a text that is a dash",
      args: ["synthesize", "-", "--out", "a.wav"],
      code: 2,
      says: "to speak standard input, give --text-file -"
    },
    {
      what: "an output that is a folder",
      args: ["synthesize", "a", "--out", "/tmp"],
      code: 3,
      says: "/tmp is a folder"
    },
    { what: "an output of no name", args: ["synthesize", "a", "--out", ""], code: 2, says: "--out must not be empty" },
    {
      what: "a text file that is missing",
      args: ["synthesize", "--text-file", "no.txt", "--out", "a.wav"],
      code: 3,
      says: "no.txt does not exist"
    },
    {
      what: "a folder of texts",
      args: ["synthesize", "--text-file", "/tmp", "--out", "a.wav"],
      code: 3,
      says: "EISDIR"
    },
    {
      what: "audio in place of its text",
      args: ["synthesize", "--text-file", "a.txt", "--out", "./a.txt"],
      code: 2,
      says: "--out is the file of --text-file"
    },
    {
      what: "a text that never ends",
      args: ["synthesize", "--text-file", "/dev/zero", "--out", "a.wav"],
      code: 3,
      says: "/dev/zero is far longer than a text may be"
    },
    {
      what: "a text that is none",
      args: ["synthesize", "--text-file", process.execPath, "--out", "a.wav"],
      code: 3,
      says: "is not text in UTF-8"
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
    {
      what: "a device for a recording",
      args: ["transcribe", "/dev/null", "--model", "m"],
      code: 3,
      says: "Send it as standard input: speech transcribe - < FILE"
    },
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

it.effect.each(["--api-key=pre.secret", "--api-key pre.secret", "-k=pre.secret", "-kpre.secret"])(
  "a key on the command line, as %s, is refused and not shown",
  (given) =>
    Effect.gen(function* () {
      const outcome = yield* run(["doctor", ...given.split(" ")], {})
      expect(outcome).toMatchObject({ code: 2, stdout: "" })
      expect(outcome.stderr).toContain("is not an option here")
      expect(outcome.stderr).not.toContain("secret")
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

describe("help", () => {
  const commands = ["synthesize", "transcribe", "serve", "doctor"]

  it.effect("lists the commands, and what each takes", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run([], {})
      expect(yield* run(["--help"], {})).toEqual({ code: 0, stdout, stderr: "" })
      for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} +[A-Z].+\\.`, "m"))
      const transcribe = yield* run(["transcribe", "--help"], {})
      expect(transcribe).toMatchObject({ code: 0, stderr: "" })
      expect(transcribe.stdout).toContain("$ speech transcribe call.wav --model hi-general-v2-8khz")
      expect(transcribe.stdout).toMatch(/--model NAME .*\n? *Required\./)
      expect(transcribe.stdout).not.toContain("--wizard")
      expect(transcribe.stdout.split("\n").every((line) => line.length <= 100)).toBe(true)
    })
  )

  it.effect("names every option in the README of the command, and no other", () =>
    Effect.gen(function* () {
      const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
      const named = new Set(readme.match(/--[a-z][\w-]+/g))
      const known = new Set<string>()
      for (const command of commands) {
        const { stdout } = yield* run([command, "--help"], {})
        for (const option of stdout.match(/^ {2}--[\w-]+/gm) ?? []) known.add(option.trim())
      }
      const common = ["--help", "--version", "--completions", "--log-level"]
      expect([...named].toSorted()).toEqual([...known, ...common].toSorted())
    })
  )

  it.effect("has the version of the package, and completions for each shell", () =>
    Effect.gen(function* () {
      const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
      expect((yield* run(["--version"], {})).stdout.trim()).toBe(version)
      for (const shell of ["bash", "fish", "zsh"]) {
        const { code, stdout } = yield* run(["--completions", shell], {})
        expect(code).toBe(0)
        for (const command of commands) expect(stdout).toContain(command)
        expect(stdout).toContain("telephony")
      }
    })
  )
})

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
