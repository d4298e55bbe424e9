import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { connectProxy } from "effect-speech-test-support/connectProxy"
import { setProxies } from "effect-speech-test-support/environment"
import { afterAll } from "vitest"
import { toHotword } from "../src/commands/transcribe.js"
import { speech } from "../src/speech.js"
import {
  environmentOf,
  recordingOf,
  rowsOf,
  run,
  serviceOfTones,
  setFaults,
  speechCommand,
  temporaryFolder,
  terminal
} from "./environment.js"

const temporary = (name: string) => Effect.map(temporaryFolder, (folder) => `${folder}/${name}`)

const blankFile = join(mkdtempSync(join(tmpdir(), "speech-")), "blank.txt")
writeFileSync(blankFile, " \t \r\n\r\n")
afterAll(() => rmSync(dirname(blankFile), { recursive: true }))

const jsonLines = (stdout: string) => stdout.split("\n").map((line) => JSON.parse(line))
const hindi = ["--model", "hi-general-v2-8khz"]

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer))("the command", (it) => {
  it.scoped("speaks into a file, and prints what the file says", () =>
    Effect.gen(function* () {
      const path = yield* temporary("a.wav")
      const spoken = yield* speechCommand("synthesize", "नमस्ते", "--out", path, "--output-format", "8000:pcm16")
      expect(spoken).toMatchObject({ code: 0, stdout: "" })
      expect(spoken.stderr).toContain(`${path}: `)
      expect(Either.getOrThrow(Wav.decode(readFileSync(path))).format).toMatchObject({
        sampleRate: 8000,
        encoding: "pcm16"
      })
      const heard = yield* speechCommand("transcribe", path, ...hindi, "--hotword=one", "--hotword", "two:2")
      expect(heard).toEqual({ code: 0, stdout: "नमस्ते", stderr: "" })
      const hotwords = [{ phrase: "one" }, { phrase: "two", score: 2 }]
      expect((yield* (yield* LocalService).requests).at(-1)?.request).toMatchObject({ hotwords })
    })
  )

  it.scoped("with --json prints one value, for a result and for a failure", () =>
    Effect.gen(function* () {
      const path = yield* temporary("a.wav")
      const options = ["--lang=en", "--out", path, "--request-id=r-1", "--log-level=debug"]
      const spoken = yield* speechCommand("--json", "synthesize", "hello", ...options)
      expect(JSON.parse(spoken.stdout)).toMatchObject({ path, requestId: "r-1", call: { billing: "billed" } })
      const failed = yield* speechCommand("transcribe", path, "--model", "xx", "--json")
      expect(failed.code).toBe(10)
      expect(JSON.parse(failed.stdout)).toMatchObject({ error: { _tag: "SttBadRequest", status: 400 } })
    })
  )

  it.scoped("says so when nothing was recognised", () =>
    Effect.gen(function* () {
      const path = yield* temporary("silence.wav")
      writeFileSync(path, recordingOf(1))
      const outcome = yield* speechCommand("transcribe", path, ...hindi)
      const stderr = expect.stringMatching(/^speech: Nothing was recognised: this local service knows only .+\.$/)
      expect(outcome).toEqual({ code: 0, stdout: "", stderr })
      expect(yield* speechCommand("transcribe", path, ...hindi, "-q")).toEqual({ code: 0, stdout: "", stderr: "" })
    })
  )

  it.scoped("with --quiet prints its errors alone", () =>
    Effect.gen(function* () {
      const path = yield* temporary("a.wav")
      expect(yield* speechCommand("synthesize", "नमस्ते", "-qo", path)).toEqual({ code: 0, stdout: "", stderr: "" })
      const failed = yield* speechCommand("transcribe", `${path}x`, path, ...hindi, "--quiet", "--telephony")
      const stderr = expect.stringMatching(/^speech: .*it does not exist.*\nspeech: 1 of 2 recordings failed\.$/)
      expect(failed).toEqual({ code: 3, stdout: `${path}: नमस्ते`, stderr })
    })
  )

  it.scoped("transcribes several recordings in the order given, and a failure stops no other", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, two] = [`${folder}/one.wav`, `${folder}/two.wav`]
      yield* speechCommand("synthesize", "एक", "--out", one)
      yield* speechCommand("synthesize", "दो", "--out", two)
      const files = [one, `${folder}/no.wav`, two]

      const heard = yield* speechCommand("transcribe", ...files, ...hindi, "--telephony")
      expect(heard).toEqual({
        code: 3,
        stdout: `${one}: एक\n${two}: दो`,
        stderr:
          `speech: ${folder}/no.wav: The recording ${folder}/no.wav can't be sent: it does not exist; check the path. [SttAudioUnreadable]\n` +
          "speech: 1 of 3 recordings failed."
      })

      const lines = yield* speechCommand("transcribe", ...files, ...hindi, "--json", "--concurrency", "1")
      expect(lines.code).toBe(3)
      expect(jsonLines(lines.stdout)).toMatchObject([
        { file: one, text: "एक" },
        { file: `${folder}/no.wav`, error: { _tag: "SttAudioUnreadable" } },
        { file: two, text: "दो" }
      ])

      const fast = Wav.encode(new Uint8Array(96_000), { sampleRate: 48_000, channels: 1, encoding: "pcm16" })
      for (const file of [one, two]) writeFileSync(file, fast)
      const remarked = yield* speechCommand("transcribe", one, two, ...hindi)
      expect(remarked.code).toBe(0)
      expect(remarked.stderr).toMatch(/^speech: \S+one\.wav and 1 more: The recording is at 48000 Hz[^\n]*$/m)
    })
  )

  it.scoped("prints one line for each recording when it is done, even if its name or text has line breaks", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, two] = [`${folder}/one\n.wav`, `${folder}/two.wav`]
      for (const path of [one, two]) yield* speechCommand("synthesize", "एक", "--out", path)
      const spaces = " ".repeat(400_000)
      const body = JSON.stringify({ text: `first\n${spaces}second${spaces}third`, call_id: "c", status: "success" })
      yield* setFaults({ operation: "transcribe", body, headers: { "content-type": "application/json" } })
      const heard = yield* speechCommand("transcribe", one, two, ...hindi, "--telephony")
      const line = `first second${spaces}third`
      expect(heard.stdout).toBe(`${folder}/one\\n.wav: ${line}\n${two}: ${line}`)
    })
  )

  it.scoped("retries a failed call as often as --retries says", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const speak = ["synthesize", "hello", "--lang", "en", "--out", yield* temporary("a.wav"), "--retries"]
      const attempts = (retries: string) =>
        Effect.gen(function* () {
          const before = (yield* service.requests).length
          yield* setFaults({ operation: "synthesize", times: 1, status: 500 })
          const { code } = yield* speechCommand(...speak, retries)
          return { code, requests: (yield* service.requests).length - before }
        })
      expect(yield* attempts("0")).toEqual({ code: 20, requests: 1 })
      expect(yield* attempts("1")).toEqual({ code: 0, requests: 2 })
    }).pipe(Effect.withClock(Clock.make()))
  )

  it.scoped("leaves no file if its audio breaks off", () =>
    Effect.gen(function* () {
      yield* setFaults({ operation: "synthesize", truncateAtByte: 1000 })
      const folder = yield* temporaryFolder
      const outcome = yield* speechCommand("synthesize", "hello", "--lang", "en", "--out", `${folder}/a.wav`)
      expect(outcome).toMatchObject({ code: 30, stderr: expect.stringMatching(/^speech: .*\[TtsConnectionFailed\]/) })
      expect(readdirSync(folder)).toEqual([])
    })
  )

  it.scoped("ends a call after --timeout", () =>
    Effect.gen(function* () {
      yield* setFaults({ operation: "synthesize", delayMillis: 60_000 })
      const options = ["--lang", "en", "--out", yield* temporary("a.wav"), "--timeout", "0.1"]
      const outcome = yield* speechCommand("synthesize", "hello", ...options)
      const says = /longer than the 0\.1 s of --timeout.*\[TtsDeadlineExceeded\]/
      expect(outcome).toMatchObject({ code: 31, stderr: expect.stringMatching(says) })
    }).pipe(Effect.withClock(Clock.make()))
  )

  it.scoped("sends no audio to a terminal", () =>
    Effect.gen(function* () {
      yield* terminal(true)
      const outcome = yield* speechCommand("synthesize", "a", "--out", "-")
      expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining("audio to the terminal") })
    })
  )

  it.scoped("sends no further recording once the account is refused", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const before = (yield* service.requests).length
      const environment = { ...environmentOf(service), SPEECH_API_KEY: "wrong.key" }
      const path = yield* temporary("a.wav")
      yield* speechCommand("synthesize", "एक", "--out", path)
      const args = ["transcribe", path, path, path, ...hindi, "--concurrency", "1"]

      const outcome = yield* run(args, environment)
      expect(outcome).toMatchObject({ code: 11, stdout: "" })
      expect(outcome.stderr).toContain("speech: 1 of 3 recordings failed, and 2 were not sent")
      expect((yield* service.requests).length).toBe(before + 2)

      const lines = yield* run([...args, "--json"], environment)
      expect(jsonLines(lines.stdout).map(({ error }) => error._tag)).toEqual([
        "SttUnauthorized",
        "NotTried",
        "NotTried"
      ])
    })
  )

  it.scoped(
    "doctor reports each check in order, spends nothing, and sends a request only if its settings are right",
    () =>
      Effect.gen(function* () {
        const service = yield* LocalService
        const settings = environmentOf(service)
        const { SPEECH_TTS_BASE_URL } = settings
        const cases: ReadonlyArray<readonly [environment: Record<string, string>, code: number, checks: string]> = [
          [settings, 0, "ok ok ok ok ok"],
          [{ SPEECH_TTS_BASE_URL }, 2, "failed failed ok not-tried not-tried"],
          [{ ...settings, SPEECH_STT_BASE_URL: "nowhere" }, 2, "ok failed ok not-tried ok"],
          [{ ...settings, SPEECH_API_KEY: "wrong" }, 2, "failed ok ok not-tried not-tried"],
          [{ ...settings, SPEECH_API_KEY: "wrong.key" }, 11, "ok ok ok SttUnauthorized TtsUnauthorized"],
          [{ ...settings, SPEECH_STT_BASE_URL: "http://127.0.0.1:1" }, 30, "ok ok ok SttConnectionFailed ok"],
          // The host of the other operation, which does not know the path.
          [{ ...settings, SPEECH_STT_BASE_URL: SPEECH_TTS_BASE_URL }, 21, "ok ok ok SttUnexpectedStatus ok"]
        ]
        const diagnose = (environment: Record<string, string>) =>
          Effect.map(run(["doctor", "--json"], environment), ({ code, stdout }) => {
            const checks: ReadonlyArray<{ outcome: string; error?: { _tag: string } }> = JSON.parse(stdout).checks
            return [code, checks.map(({ error, outcome }) => error?._tag ?? outcome.replace(" ", "-")).join(" ")]
          })
        const before = yield* service.accounts.account
        for (const [environment, code, checks] of cases) expect(yield* diagnose(environment)).toEqual([code, checks])
        expect((yield* speechCommand("doctor")).stdout).toMatch(
          /^ok +SPEECH_API_KEY\b.*(\nok .*){2}\nok +transcription\b.*\nok +synthesis\b/
        )
        expect(yield* service.accounts.account).toEqual(before)
        // A proxy or another server, which refuses what it does not know.
        yield* setFaults({ status: 400, body: "<html>" })
        expect(yield* diagnose(settings)).toEqual([10, "ok ok ok SttBadRequest TtsBadRequest"])
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

  it.scoped("uses the proxy that the environment names, and doctor prints which", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const { host, port } = new URL(service.ttsBaseUrl)
      const proxy = yield* connectProxy({ host })
      yield* setProxies({ HTTP_PROXY: `http://user:word@${proxy.host}` })
      // This machine too, but not by a name that says so.
      const elsewhere = { ...environmentOf(service), SPEECH_TTS_BASE_URL: `http://0.0.0.0:${port}` }
      const { code, stdout } = yield* run(["doctor", "--allow-insecure-http"], elsewhere)
      expect(code).toBe(0)
      expect(stdout).toContain(`SPEECH_STT_BASE_URL  ${service.sttBaseUrl}, from the environment\n`)
      expect(stdout).toContain(
        `SPEECH_TTS_BASE_URL  http://0.0.0.0:${port} by the proxy http://${proxy.host}, from the environment\n`
      )
      expect(proxy.connects.map(({ target }) => target)).toEqual([`0.0.0.0:${port}`])
    })
  )

  it.scoped("replaces neither its text, by whatever name, nor a read-only file", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const before = yield* accounts.account
      const text = yield* temporary("a.txt")
      writeFileSync(text, "नमस्ते")
      symlinkSync(text, `${text}.symbolic`)
      linkSync(text, `${text}.hard`)
      for (const out of [text, `${text}.symbolic`, `${text}.hard`]) {
        const outcome = yield* speechCommand("synthesize", "--text-file", text, "--out", out)
        expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining("--out is the file of --text-file") })
      }
      chmodSync(text, 0o444)
      const outcome = yield* speechCommand("synthesize", "नमस्ते", "--out", text)
      expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining(`${text} is read-only`) })
      expect(readFileSync(text, "utf8")).toBe("नमस्ते")
      expect(yield* accounts.account).toEqual(before)
    })
  )

  const fullDisk = existsSync("/dev/full")
    ? "\na full disk | 3 | synthesize a --out /dev/full | Its audio is lost, and may have been billed."
    : ""
  const rows = rowsOf<[what: string, code: string, line: string, says: string]>(`
    a request id that is none         | 2 | synthesize a --out never.wav --request-id a? | --request-id must be
    a wrong speed                     | 2 | synthesize a --out a.wav --speed 9 | Nothing was sent: --speed
    a text of nothing                 | 2 | synthesize '' --out a.wav | Nothing was sent: TEXT
    a text of blanks                  | 2 | synthesize \u00a0\u3000 --out never.wav | Nothing was sent: TEXT must not be blank.
    a file of blanks                  | 2 | synthesize --text-file ${blankFile} --out never.wav | TEXT must not be blank.
    a shell for JSON                  | 2 | serve --json --shell fish | leave out --shell
    a dash for an id                  | 2 | transcribe a --model m --transaction-id - | Nothing was sent: --transaction-id
    a port that is none               | 2 | serve --port 80000 | --port must be a whole number from 0
    a new key for no folder           | 2 | serve --new-key | --new-key is for a --data-dir
    a data directory that is a file   | 2 | serve --data-dir ${process.execPath} | --data-dir must be a folder
    recordings that are missing       | 2 | serve --recordings nowhere | --recordings must be a folder that exists
    an id for several recordings      | 2 | transcribe a b --model m --transaction-id 7f3c | the id of one request
    standard input twice              | 2 | transcribe - - --model m | Standard input can be sent only once
    no text                           | 2 | synthesize --out a.wav | There is nothing to say
    two texts                         | 2 | synthesize a --text-file b --out a.wav | There are two texts
    a text that is a dash             | 2 | synthesize --out a.wav -- - | to speak standard input, give --text-file -
    JSON and audio at once            | 2 | synthesize a --out - --json | where --json can't write too
    audio in place of its text        | 2 | synthesize --text-file a.txt --out ./a.txt | --out is the file of --text-file
    an output that is a folder        | 3 | synthesize a --out /tmp | /tmp is a folder
    an output in a folder to be       | 3 | synthesize a --out new/ | new/ is a folder
    an output whose folder is missing | 3 | synthesize a --lang en --out /no/where/a.wav | /no/where does not exist
    an output with a long name        | 3 | synthesize a --out ${"n".repeat(300)} | its name is too long for this system
    a text file that is missing       | 3 | synthesize --text-file no.txt --out a.wav | no.txt does not exist
    a folder of texts                 | 3 | synthesize --text-file /tmp --out a.wav | /tmp is a folder; give a file
    a text that never ends            | 3 | synthesize --text-file /dev/zero --out a.wav | far longer than a text may be
    a text that is none               | 3 | synthesize --text-file ${process.execPath} --out a.wav | is not text in UTF-8
    a device for a recording          | 3 | transcribe /dev/null --model m | standard input: speech transcribe - < FILE
    a missing recording               | 3 | transcribe no.wav --model m | it does not exist
    telephony of no WAV file          | 3 | transcribe ${process.execPath} --telephony --model m | leave out --telephony${fullDisk}`)
  it.effect.each(rows)("refuses %s", ([_, code, line, says]) =>
    Effect.gen(function* () {
      const args = line.split(" ").map((arg) => (arg === "''" ? "" : arg))
      const { accounts } = yield* LocalService
      const before = yield* accounts.account
      const outcome = yield* speechCommand(...args)
      expect(outcome.stdout + outcome.stderr).toContain(says)
      expect(outcome.code).toBe(Number(code))
      // A full disk shows only when the audio arrives.
      if (!line.includes("/dev/full")) expect(yield* accounts.account).toEqual(before)
    })
  )
})

it.effect("a port that is in use is reported as such", () =>
  Effect.gen(function* () {
    const { sttBaseUrl } = yield* LocalService
    const outcome = yield* run(["serve", "--port", new URL(sttBaseUrl).port], {})
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toMatch(/Port \d+ is in use already/)
  }).pipe(Effect.provide(LocalService.layer()))
)

/** Starts the command, until the scope closes. The result is what it has printed to a stream when `isEnough` holds of it. */
const printedBy = (
  stream: "log" | "error",
  args: ReadonlyArray<string>,
  isEnough: (printed: string) => boolean = () => true
) =>
  Effect.gen(function* () {
    const enough = yield* Deferred.make<string>()
    const real = yield* Console.consoleWith(Effect.succeed)
    const silent = { log: () => Effect.void, error: () => Effect.void }
    let printed = ""
    const keep = (line: string) =>
      Effect.suspend(() => {
        printed += printed === "" ? line : `\n${line}`
        return isEnough(printed) ? Effect.asVoid(Deferred.succeed(enough, printed)) : Effect.void
      })
    const command = speech(["node", "speech", ...args])
    yield* Effect.forkScoped(Effect.withConsole(command, { ...real, ...silent, [stream]: keep }))
    return yield* Deferred.await(enough)
  })

it.scoped("a data directory has the same key at the next start, and a new one with --new-key", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const served = (...options: ReadonlyArray<string>) =>
      Effect.map(
        Effect.scoped(printedBy("log", ["serve", "--port", "0", "--data-dir", `${folder}/data`, "--json", ...options])),
        JSON.parse
      )
    const first = yield* served()
    const keys = ["sttBaseUrl", "ttsBaseUrl", "platformUrl", "apiKey", "adminToken", "consoleUrl"]
    expect(Object.keys(first)).toEqual(keys)
    expect(first.consoleUrl).toMatch(new RegExp(`^${first.platformUrl}/#[\\w-]{32}$`))
    expect(first.apiKey).toMatch(/^local_/)
    expect((yield* served()).apiKey).toBe(first.apiKey)
    const replaced = (yield* served("--new-key")).apiKey
    expect(replaced).toMatch(/^local_/)
    expect(replaced).not.toBe(first.apiKey)
    // Without its file, nothing but the digest of the key is known.
    yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(`${folder}/data/api-key`))
    expect((yield* served()).apiKey).toBeNull()
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.scoped("the lines of serve are for the shell that --shell names", () =>
  Effect.map(printedBy("log", ["serve", "--port", "0", "--shell", "powershell"]), (lines) =>
    expect(lines).toMatch(
      /^\$env:SPEECH_STT_BASE_URL = 'http:\S+'\n\$env:SPEECH_TTS_BASE_URL = 'http:\S+'\n\$env:SPEECH_API_KEY = 'local_\S+'$/
    )
  )
)

/** What `serve --open` prints to standard error, with one folder as PATH. */
const servedOpen = (path: string, isEnough: (printed: string) => boolean) =>
  Effect.gen(function* () {
    const { PATH } = process.env
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(process.env, { PATH: path })),
      () => Effect.sync(() => Object.assign(process.env, { PATH }))
    )
    return yield* printedBy("error", ["serve", "--port", "0", "--open"], isEnough)
  })

/** Signs in as the page does. */
const signIn = (link: string) =>
  Effect.promise(async () => {
    const { hash, origin } = new URL(link)
    const headers = { "Content-Type": "application/json", Origin: origin }
    const body = JSON.stringify({ code: hash.slice(1) })
    return (await fetch(`${origin}/console/session`, { method: "POST", headers, body })).status
  })

const onLinux = process.platform === "linux" ? it.scopedLive : it.scopedLive.skip

onLinux("serve --open opens a link that signs in, and the printed one still does", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(
      `${folder}/xdg-open`,
      `#!/bin/sh\n/bin/cp "$1" ${folder}/opening && /bin/mv ${folder}/opening ${folder}/opened\n`
    )
    chmodSync(`${folder}/xdg-open`, 0o700)
    const printed = yield* servedOpen(folder, (text) => text.includes("Console"))
    while (!existsSync(`${folder}/opened`)) yield* Effect.sleep("20 millis")
    const [link = ""] = /http:\S+#\S+/.exec(printed) ?? []
    const [opened = ""] = /http:[^"<]+#[^"<]+/.exec(readFileSync(`${folder}/opened`, "utf8")) ?? []
    expect(opened).not.toBe(link)
    expect(yield* Effect.forEach([link, opened, link, opened], signIn)).toEqual([204, 204, 401, 401])
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

onLinux("serve --open without a browser says so, and goes on", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const printed = yield* servedOpen(folder, (text) => text.includes("No browser could be opened."))
    const [link = ""] = /http:\S+#\S+/.exec(printed) ?? []
    expect(yield* signIn(link)).toBe(204)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.effect.each([
  [137, ["sh", "-c", "kill -KILL $$"], /^$/],
  [127, ["no-such-command"], /^speech: The command no-such-command was not found: .* \[CommandNotStarted\]$/],
  [126, ["/"], /^speech: The command \/ can't be run \(EACCES\)\. \[CommandNotStarted\]$/]
] as const)("run ends with %d, as a shell does, for %j", ([code, command, says]) =>
  Effect.map(run(["run", "--", ...command], {}), (outcome) =>
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringMatching(says) })
  )
)

it.scoped("run with a data directory has the same key each time, but needs that of an earlier version", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const inFolder = ["run", "--data-dir", `${folder}/data`]
    expect(yield* run([...inFolder, "--", "true"], {})).toEqual({ code: 0, stdout: "", stderr: "" })
    const hasKey = ["--", "sh", "-c", 'test "$SPEECH_API_KEY" = "$(cat "$0")"', `${folder}/data/api-key`]
    expect((yield* run([...inFolder, ...hasKey], {})).code).toBe(0)
    yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(`${folder}/data/api-key`))
    const outcome = yield* run([...inFolder, "--", "true"], {})
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Set SPEECH_API_KEY to it, or give --new-key.")
    })
    expect((yield* run([...inFolder, "--new-key", "--", "false"], {})).code).toBe(1)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.scoped("a recording without its text is reported, and nothing is served", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(`${folder}/a.wav`, new Uint8Array(44))
    const outcome = yield* run(["serve", "--recordings", folder], {})
    expect(outcome).toMatchObject({ code: 3, stdout: "" })
    expect(outcome.stderr).toContain(`${folder}/a.txt can't be read`)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.effect("without configuration says what to set, and that `speech serve` tells how", () =>
  Effect.gen(function* () {
    const outcome = yield* run(["transcribe", "a.wav", "--model", "m"], {})
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain("set SPEECH_API_KEY and SPEECH_STT_BASE_URL in the environment")
    expect(outcome.stderr).toContain("speech serve")
  })
)

it.each([
  ["UPI", { phrase: "UPI" }],
  ["Kotak Bank:2.5", { phrase: "Kotak Bank", score: 2.5 }],
  ["at 10:30:2", { phrase: "at 10:30", score: 2 }],
  ["Note: this", { phrase: "Note: this" }],
  ["a:", { phrase: "a:" }]
])("--hotword %j is a phrase, and a score only after the last colon and as a number", (text, hotword) => {
  expect(toHotword(text)).toEqual(hotword)
})
