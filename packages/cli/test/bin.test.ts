import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import type { Fault } from "@effect-speech/local-service/Faults"
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { afterAll, beforeAll } from "vitest"
import { environmentOf } from "./environment.js"

/** The command as it is built, in a process of its own. */
const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url))
const { version }: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/speech-`)
  writeFileSync(
    `${folder}/second.wav`,
    Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(16_000))
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

const outcomeOf = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Record<string, string>,
  spawned: (child: ChildProcess) => void = () => {}
) =>
  Effect.async<Outcome>((resume) => {
    const child = spawn(file, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: "pipe"
    })
    const stdout: Array<Buffer> = []
    let stderr = ""
    child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("close", (code) => resume(Effect.succeed({ code, stdout: Buffer.concat(stdout), stderr })))
    spawned(child)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const run = (
  args: ReadonlyArray<string>,
  environment: Record<string, string>,
  spawned?: (child: ChildProcess) => void
) => outcomeOf(process.execPath, [bin, ...args], environment, spawned)

const localService = Effect.map(Layer.build(LocalService.layer()), Context.get(LocalService))

const transcribe = ["transcribe", "second.wav", "--model", "hi-general-v2-8khz"]
const synthesize = ["synthesize", "नमस्ते", "--out", "out.wav"]

/** Runs a module before the command. */
const preload = (module: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` })
const toFixedFails = preload("Number.prototype.toFixed=()=>{throw(Error('broken'))}")
const slow: Fault = { operation: "transcribe", delayMillis: 60_000 }
const id = "[0-9a-f-]{36}"

type Row = readonly [code: number, args: ReadonlyArray<string>, says: RegExp, fault?: Fault | undefined, env?: object]
const intoTerminal = ["synthesize", "a", "--out", "-"]
const cut: Fault = { operation: "synthesize", truncateAtByte: 1000 }
const timedOut = /longer than the 0\.2 s of --timeout.*\[SttDeadlineExceeded\]/
const unavailable = RegExp(`\\[SttUnavailable\\] \\(3 attempts, transaction ${id}\\)`)
const wrongKey = { SPEECH_API_KEY: "wrong.key" }

/** `failure.test.ts` has the exit code of every error. */
const failures: ReadonlyArray<Row> = [
  [2, ["synthesise"], /Did you mean synthesize\?/],
  [2, intoTerminal, /audio to the terminal/, undefined, preload("process.stdout.isTTY=true")],
  [3, ["synthesize", "a", "--out", "no/a.wav"], /\[OutputFailed\]/],
  [11, transcribe, /\[SttUnauthorized\]/, undefined, wrongKey],
  [20, transcribe, unavailable, { status: 503 }],
  [30, synthesize, /\[TtsConnectionFailed\]/, cut],
  [31, [...transcribe, "--timeout", "0.2"], timedOut, slow],
  [70, ["synthesize", "नमस्ते", "--out", "defect.wav"], /a defect of the command: Error: broken/, undefined, toFixedFails]
]

describe("the built command", { timeout: 120_000 }, () => {
  it.scoped("takes a text and a recording from a pipe, and gives audio to one", () =>
    Effect.gen(function* () {
      const environment = environmentOf(yield* localService)
      const line = `printf '%s' "$2" | "$0" "$1" synthesize --text-file - --lang en --out - |
          "$0" "$1" transcribe - --model en-general-v2-8khz --telephony`
      const text = "Your order has been shipped."
      const piped = yield* outcomeOf("sh", ["-c", line, process.execPath, bin, text], environment)
      expect(piped).toEqual({ code: 0, stdout: Buffer.from(`${text}\n`), stderr: "" })

      const audio = yield* run(["synthesize", text, "--lang", "en", "--out", "-"], environment)
      expect(audio).toMatchObject({ code: 0, stderr: "" })
      expect(Either.getOrThrow(Wav.decode(audio.stdout)).bytes.byteLength).toBeGreaterThan(24_000)

      // More than the buffer of a pipe holds.
      const long = `${text} `.repeat(20)
      const unread = yield* run(["synthesize", long, "--lang", "en", "--out", "-"], environment, ({ stdout }) => {
        stdout?.once("data", () => stdout.destroy())
      })
      expect(unread).toMatchObject({ code: 3, stderr: "" })
    })
  )

  it.scoped("ends with its exit code if it fails, says what to do, and leaves no file", () =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.forEach(
        failures,
        ([, args, , fault, environment]) =>
          Effect.gen(function* () {
            const service = yield* localService
            if (fault !== undefined) yield* service.faults.set([fault])
            const { code, stderr, stdout } = yield* run(args, { ...environmentOf(service), ...environment })
            return { args, code, stdout: stdout.toString(), stderr }
          }).pipe(Effect.scoped),
        { concurrency: 3 }
      )
      expect(outcomes).toEqual(
        failures.map(([code, args, says]) => ({ args, code, stdout: "", stderr: expect.stringMatching(says) }))
      )
      expect(readdirSync(folder).filter((name) => name.includes("out"))).toEqual([])
    })
  )

  it.scopedLive("cancels an upload at Ctrl-C", () =>
    Effect.gen(function* () {
      const service = yield* localService
      const untilRequestIs = (outcome: JournalEntry["outcome"]) =>
        service.requests.pipe(
          Effect.repeat({ until: (requests) => requests[0]?.outcome === outcome, schedule: Schedule.spaced(20) })
        )
      let command: ChildProcess | undefined
      const spawned = (child: ChildProcess) => {
        command = child
        child.stdin?.write(readFileSync(`${folder}/second.wav`))
      }
      const args = ["transcribe", "-", "--model", "hi-general-v2-8khz"]
      const running = yield* Effect.fork(run(args, environmentOf(service), spawned))
      yield* untilRequestIs("underWay")
      command?.kill("SIGINT")
      expect(yield* running).toEqual({ code: 130, stdout: Buffer.alloc(0), stderr: "" })
      yield* untilRequestIs("abandoned")
    })
  )

  it.scoped("gives a terminal a transcript with escapes for its control characters, and a pipe all that was said", () =>
    Effect.gen(function* () {
      const service = yield* localService
      const text = "one\u001b[2J\ttwo\nthree"
      const body = JSON.stringify({ status: "success", text, call_id: "c" })
      const headers = { "content-type": "application/json" }
      yield* service.faults.set([{ operation: "transcribe", status: 200, headers, body }])
      const environment = environmentOf(service)
      const seen = yield* run(transcribe, { ...environment, ...preload("process.stdout.isTTY=true") })
      expect(seen.stdout.toString()).toBe("one\\u001b[2J\ttwo\nthree\n")
      expect((yield* run(transcribe, environment)).stdout.toString()).toBe(`${text}\n`)
    })
  )

  it.scopedLive.skipIf(process.platform !== "linux")("waits for the writer of a text, and ends at Ctrl-C", () =>
    Effect.gen(function* () {
      const pipe = `${folder}/text`
      execFileSync("mkfifo", [pipe])
      const service = yield* localService
      const args = ["synthesize", "--text-file", pipe, "--out", "piped.wav"]
      let command: ChildProcess | undefined
      const start = Effect.fork(run(args, environmentOf(service), (child) => (command = child)))
      const isOpen = Effect.sync(() => {
        try {
          const descriptors = `/proc/${command?.pid}/fd`
          return readdirSync(descriptors).some((each) => readlinkSync(`${descriptors}/${each}`) === pipe)
        } catch {
          // It has not started, or has just closed another one.
          return false
        }
      })
      const untilOpen = Effect.repeat(isOpen, { until: (open) => open, schedule: Schedule.spaced(20) })

      const interrupted = yield* start
      yield* untilOpen
      command?.kill("SIGINT")
      expect((yield* interrupted).code).toBe(130)
      command = undefined

      const spoken = yield* start
      yield* untilOpen
      writeFileSync(pipe, "नमस्ते\n")
      expect((yield* spoken).code).toBe(0)
      expect((yield* service.requests).at(-1)?.request).toMatchObject({ text: "नमस्ते" })
    })
  )

  it.scopedLive("leaves no file at Ctrl-C while it draws on a terminal, however often it is pressed", () =>
    Effect.gen(function* () {
      const service = yield* localService
      yield* service.faults.set([{ operation: "synthesize", stallAtByte: 20_000 }])
      const terminal = { ...preload("process.stderr.isTTY=true"), TERM: "xterm" }
      let command: ChildProcess | undefined
      const environment = { ...environmentOf(service), ...terminal }
      const running = yield* Effect.fork(run(synthesize, environment, (child) => (command = child)))
      const written = Effect.sync(() => readdirSync(folder).filter((name) => name.startsWith("out.wav")))
      yield* Effect.repeat(written, { until: (names) => names.length > 0, schedule: Schedule.spaced(20) })
      for (const _ of [1, 2, 3]) command?.kill("SIGINT")
      const { code, stderr } = yield* running
      expect(code).toBe(130)
      expect(stderr).toContain("out.wav  ")
      // What never hides the cursor can't leave it hidden.
      expect(stderr).not.toContain("\u001b[?25l")
      expect(yield* written).toEqual([])
    })
  )

  it.scopedLive("goes on with a long text after Ctrl-C and after a crash, and pays for no finished piece again", () =>
    Effect.gen(function* () {
      const service = yield* localService
      const environment = environmentOf(service)
      const paragraphs = Array.from({ length: 2 }, (_, at) => `${at + 1}. ${"नमस्ते, आप कैसे हैं? मैं ठीक हूँ। ".repeat(4)}`)
      writeFileSync(`${folder}/long.txt`, paragraphs.join("\n\n"))
      const args = ["synthesize", "--text-file", "long.txt", "--out", "long.wav", "--subtitles", "long.srt"]
      const speak = (spawned?: (child: ChildProcess) => void) =>
        run([...args, "--concurrency", "1", "--output-format", "8000:pcm16"], environment, spawned)
      /** Ends a command by a signal when its request of this number waits, for the second piece. */
      const end = (signal: NodeJS.Signals, nth: number) =>
        Effect.gen(function* () {
          yield* service.faults.set([{ operation: "synthesize", nth, delayMillis: 60_000 }])
          const before = (yield* service.requests).length
          let command: ChildProcess | undefined
          const running = yield* Effect.fork(speak((child) => (command = child)))
          const isWaiting = Effect.map(
            service.requests,
            (requests) => requests.length === before + nth && requests.at(-1)?.outcome === "faulted"
          )
          yield* Effect.repeat(isWaiting, { until: (waiting) => waiting, schedule: Schedule.spaced(20) })
          command?.kill(signal)
          return yield* running
        })

      expect(yield* end("SIGINT", 2)).toEqual({
        code: 130,
        stdout: Buffer.alloc(0),
        stderr: "speech: 1 finished piece is kept in long.wav.pieces. The same command goes on where it was.\n"
      })
      expect((yield* end("SIGKILL", 1)).code).toBe(null)
      expect(readdirSync(folder).filter((name) => /^long\.(wav|srt)$/.test(name))).toEqual([])

      yield* service.faults.set([])
      const before = (yield* service.requests).length
      const { code, stderr } = yield* speak()
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/^long\.wav: .*, 2 pieces, request \S+\n$/)
      })
      expect((yield* service.requests).length - before).toBe(1)
      // Also the temporary files of the killed command are gone with their folder.
      expect(readdirSync(folder).filter((name) => /^long\.wav\.pieces|^long\.srt/.test(name))).toEqual(["long.srt"])
      expect(Either.isRight(Wav.decode(readFileSync(`${folder}/long.wav`)))).toBe(true)
    })
  )

  it.scopedLive("sends nothing for the same command at the same time, also while the first is suspended", () =>
    Effect.gen(function* () {
      const service = yield* localService
      const environment = environmentOf(service)
      mkdirSync(`${folder}/twice`)
      const text = Array.from({ length: 3 }, (_, at) => `${at + 1}. ${"नमस्ते, आप कैसे हैं? मैं ठीक हूँ। ".repeat(6)}`).join(
        "\n\n"
      )
      writeFileSync(`${folder}/twice/long.txt`, text)
      symlinkSync(`${folder}/twice`, `${folder}/twice-link`)
      const speak = (place: string, spawned?: (child: ChildProcess) => void) =>
        run(
          [
            ...["synthesize", "--text-file", `${place}/long.txt`, "--out", `${place}/long.wav`, "--pause", "line=1"],
            ...["--concurrency", "1", "--output-format", "8000:pcm16"]
          ],
          environment,
          spawned
        )
      yield* service.faults.set([{ operation: "synthesize", nth: 2, times: 1, delayMillis: 2000 }])
      let command: ChildProcess | undefined
      const first = yield* Effect.fork(speak("twice", (child) => (command = child)))
      const sent = Effect.map(service.requests, (requests) => requests.length)
      yield* Effect.repeat(sent, { until: (count) => count === 2, schedule: Schedule.spaced(20) })
      command?.kill("SIGSTOP")
      const [second, third] = yield* Effect.all([speak("twice"), speak("twice-link")], { concurrency: 2 })
      for (const outcome of [second, third]) {
        expect(outcome).toMatchObject({ code: 3, stdout: Buffer.alloc(0) })
        expect(outcome.stderr).toMatch(
          /^speech: Nothing was sent: another speech command is using the pieces in \S+\/long\.wav\.pieces\. Wait until it has ended, .* \[PieceStoreError\]\n$/
        )
      }
      expect(yield* sent).toBe(2)
      command?.kill("SIGCONT")
      expect((yield* first).code).toBe(0)
      const pieces = yield* sent
      expect(readdirSync(`${folder}/twice`).toSorted()).toEqual(["long.txt", "long.wav"])

      // The lock that kill -9 leaves is none.
      yield* service.faults.set([{ operation: "synthesize", nth: 2, times: 1, delayMillis: 60_000 }])
      const killed = yield* Effect.fork(speak("twice", (child) => (command = child)))
      yield* Effect.repeat(sent, { until: (count) => count === pieces + 2, schedule: Schedule.spaced(20) })
      command?.kill("SIGKILL")
      expect((yield* killed).code).toBe(null)
      yield* service.faults.set([])
      expect((yield* speak("twice-link")).code).toBe(0)
      // One piece of the killed command is found, and the one that waited is sent again.
      expect(yield* sent).toBe(2 * pieces + 1)
      expect(readdirSync(`${folder}/twice`)).not.toContain("long.wav.pieces")
    })
  )

  it.scopedLive.skipIf(process.platform === "win32")("sends nothing if its pieces can't be kept, at each try", () =>
    Effect.gen(function* () {
      const service = yield* localService
      writeFileSync(`${folder}/limited.txt`, "नमस्ते। ".repeat(80))
      const args = ["synthesize", "--text-file", "limited.txt", "--out", "limited.wav", "--pause", "line=1"]
      const limited = ["-c", 'ulimit -f 64; exec "$0" "$@"', process.execPath, bin, ...args]
      for (let attempt = 0; attempt < 2; attempt++) {
        const { code, stderr } = yield* outcomeOf("sh", limited, environmentOf(service))
        expect(stderr).toMatch(/^speech: A piece was not sent, since its result can't be kept: .*\(ulimit -f\)/)
        expect(code).toBe(3)
      }
      expect(yield* service.requests).toEqual([])
      expect(readdirSync(folder).filter((name) => name.startsWith("limited"))).toEqual(["limited.txt"])
    })
  )

  it.scopedLive("lets one of many at once do the work, and starts anew when it has ended", () =>
    Effect.gen(function* () {
      const service = yield* localService
      writeFileSync(`${folder}/race.txt`, "नमस्ते। ".repeat(80))
      const args = ["synthesize", "--text-file", "race.txt", "--out", "race.wav", "--pause", "line=1"]
      const speak = run([...args, "--output-format", "8000:pcm16"], environmentOf(service))
      const outcomes = yield* Effect.all([speak, speak, speak, speak], { concurrency: 4 })
      const done = outcomes.filter(({ code }) => code === 0).length
      expect(outcomes.map(({ code }) => code).filter((code) => code !== 0 && code !== 3)).toEqual([])
      expect(done).toBeGreaterThan(0)
      const sent = (yield* service.requests).length
      expect((yield* speak).code).toBe(0)
      const each = (yield* service.requests).length - sent
      expect(sent).toBe(done * each)
      expect(readdirSync(folder).filter((name) => name.startsWith("race.wav"))).toEqual(["race.wav"])
    })
  )

  it.scoped.skipIf(process.platform === "win32")(
    "sends nothing if its result would go to a closed standard output",
    () =>
      Effect.gen(function* () {
        const service = yield* localService
        const outcomes = yield* Effect.forEach(
          [transcribe, ["synthesize", "a", "--lang", "en", "--out", "-"]],
          (args) => outcomeOf("sh", ["-c", '"$0" "$@" >&-', process.execPath, bin, ...args], environmentOf(service))
        )
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining("standard output is closed") })
        }
        expect(yield* service.requests).toEqual([])
        const discarded = ["-c", '"$0" "$@" > /dev/null', process.execPath, bin, ...transcribe]
        expect((yield* outcomeOf("sh", discarded, environmentOf(service))).code).toBe(0)
      })
  )

  it.scopedLive("finishes the calls of an archive at Ctrl-C, says how to go on, and calls no file twice", () =>
    Effect.gen(function* () {
      const service = yield* localService
      const environment = environmentOf(service)
      mkdirSync(`${folder}/calls`)
      for (const pitch of [1, 2, 3]) {
        const tone = Int16Array.from({ length: 8000 }, (_, at) => 8000 * Math.sin(at * pitch * 0.1))
        const telephony = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const
        writeFileSync(`${folder}/calls/${pitch}.wav`, Wav.encode(telephony, new Uint8Array(tone.buffer)))
      }
      const args = ["archive", "run", "calls", "--model", "hi-general-v2-8khz", "--concurrency", "1", "--out", "texts"]
      yield* service.faults.set([{ operation: "transcribe", delayMillis: 500 }])
      let command: ChildProcess | undefined
      const running = yield* Effect.fork(run(args, environment, (child) => (command = child)))
      yield* Effect.repeat(service.requests, {
        until: (requests) => requests.length > 0,
        schedule: Schedule.spaced(20)
      })
      command?.kill("SIGINT")
      expect(yield* running).toEqual({
        code: 130,
        stdout: Buffer.alloc(0),
        stderr:
          "speech: Calls in progress finish, for up to 60 s. Ctrl-C again ends at once, and holds their files.\n" +
          "speech: Run it again to resume. Files that are done are not sent again.\n"
      })
      yield* service.faults.set([])
      const { code, stdout } = yield* run(args, environment)
      expect({ code, stdout: stdout.toString() }).toEqual({
        code: 0,
        stdout: `${realpathSync(folder)}/texts: ended\n3 of 3 files done.\nWarnings: NothingRecognised 3.\nSpent: 3 credits.\n`
      })
      expect((yield* service.requests).length).toBe(3)
    })
  )

  it.scoped.skipIf(process.platform !== "linux")("keeps paid pieces until standard output has their transcript", () =>
    Effect.gen(function* () {
      const environment = environmentOf(yield* localService)
      const tone = Int16Array.from({ length: 8000 }, (_, at) => 8000 * Math.sin(at * 0.4))
      const telephony = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const
      writeFileSync(`${folder}/tone.wav`, Wav.encode(telephony, new Uint8Array(tone.buffer)))
      const command = [bin, "transcribe", "tone.wav", "--model", "hi-general-v2-8khz", "--pieces", "kept"]
      const line = '"$0" "$@" > /dev/full'
      const { code, stderr } = yield* outcomeOf("sh", ["-c", line, process.execPath, ...command], environment)
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("can't be written (ENOSPC)") })
      expect(readdirSync(`${folder}/kept`).filter((name) => name.endsWith(".json")).length).toBe(1)
    })
  )

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "unread"] as const)(
    "speech serve ends and leaves no file: %s",
    async (end) => {
      const temporary = mkdtempSync(`${tmpdir()}/serve-`)
      const child = spawn(process.execPath, [bin, "serve", "--json"], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ["ignore", "pipe", "ignore"]
      })
      const ours = () => readdirSync(temporary).filter((name) => name.startsWith("effect-speech-"))
      try {
        const exited = once(child, "exit")
        if (end === "unread") {
          child.stdout.destroy()
          expect(await exited).toEqual([3, null])
        } else {
          await once(child.stdout, "data")
          expect(ours()).toHaveLength(1)
          child.kill(end)
          expect(await exited).toEqual([130, null])
        }
        expect(ours()).toEqual([])
      } finally {
        child.kill("SIGKILL")
        rmSync(temporary, { recursive: true, force: true })
      }
    }
  )

  /** Sends `speech run` a signal at once, and ends when it gets the signal itself. */
  const waiting = 'trap "echo ended; exit 9" TERM; kill -TERM $PPID; while :; do sleep 0.05; done'
  const running: ReadonlyArray<
    readonly [code: number, command: ReadonlyArray<string>, stdout: RegExp, stderr: RegExp]
  > = [
    [
      7,
      [
        "sh",
        "-c",
        `"$0" "$1" doctor && test "$SPEECH_PLATFORM_URL$SPEECH_ADMIN_TOKEN" && exit 7`,
        process.execPath,
        bin
      ],
      /^(ok .*\n){5}$/,
      /^$/
    ],
    [0, ["cat"], /^from standard input$/, /^$/],
    [137, ["sh", "-c", "kill -KILL $$"], /^$/, /^$/],
    [9, ["sh", "-c", waiting], /^ended\n$/, /^$/],
    [127, ["no-such-command"], /^$/, /^speech: The command no-such-command was not found: .* \[CommandNotStarted\]\n$/],
    [126, ["/"], /^$/, /^speech: The command \/ can't be run \(EACCES\)\. \[CommandNotStarted\]\n$/]
  ]
  it.effect("speech run gives a command a service, its streams and its signals, and ends with its exit code", () =>
    Effect.gen(function* () {
      const temporary = mkdtempSync(`${tmpdir()}/run-`)
      const outcomes = yield* Effect.forEach(
        running,
        ([, command]) =>
          run(["run", "--", ...command], { TMPDIR: temporary }, (child) => {
            child.stdin?.end("from standard input")
          }),
        { concurrency: 2 }
      )
      expect(outcomes.map(({ code, stderr, stdout }) => ({ code, stdout: stdout.toString(), stderr }))).toEqual(
        running.map(([code, , stdout, stderr]) => ({
          code,
          stdout: expect.stringMatching(stdout),
          stderr: expect.stringMatching(stderr)
        }))
      )
      expect(readdirSync(temporary)).toEqual([])
      rmSync(temporary, { recursive: true })
    })
  )

  const page = `
    const { SPEECH_PLATFORM_URL: url, SPEECH_ADMIN_TOKEN: token } = process.env
    const html = await (await fetch(url)).text()
    const [script] = html.match(/console\\/[\\w-]+\\.js/)
    const file = await fetch(url + "/" + script)
    const about = await fetch(url + "/platform/api/about", { headers: { "X-Admin-Token": token } })
    console.log(file.status, (await about.json()).version)`
  const mp3 = fileURLToPath(new URL("../../local-service/test/recordings/cat.mp3", import.meta.url))
  it.effect("has the threads and the console of its service beside it", () =>
    Effect.gen(function* () {
      const line = `"$0" "$1" synthesize "A cat." --lang en --out cat.wav && "$0" "$1" transcribe --model en-general-v2-8khz cat.wav "$2" &&
        "$0" --input-type=module --eval "$3"`
      const command = ["sh", "-c", line, process.execPath, bin, mp3, page]
      const { code, stderr, stdout } = yield* run(["run", "--", ...command], {})
      expect(stdout.toString(), stderr).toBe(`cat.wav: A cat.\n${mp3}: \n200 ${version}\n`)
      expect(code).toBe(0)
    })
  )

  it.scoped("refuses an argument that is not UTF-8, and says so of a file with such a name", () =>
    Effect.gen(function* () {
      const service = yield* localService
      const shell = (line: string) =>
        outcomeOf("sh", ["-c", line, process.execPath, bin], { ...environmentOf(service), LC_ALL: "C.UTF-8" })
      const before = yield* service.accounts.account
      const spoken = yield* shell(`"$0" "$1" synthesize "$(printf 'caf\\351')" --lang en --out spoken.wav`)
      expect(spoken).toMatchObject({ code: 2, stderr: expect.stringContaining("TEXT is not valid UTF-8") })
      const heard = yield* shell(
        `cp second.wav "$(printf 'caf\\351.wav')" && "$0" "$1" transcribe "$(printf 'caf\\351.wav')" --model en-general-v2-8khz`
      )
      expect(heard).toMatchObject({ code: 3, stderr: expect.stringContaining("name is not valid UTF-8, rename it") })
      expect(yield* service.accounts.account).toEqual(before)
    })
  )

  it.effect.each([
    [3, "synthesize a --out a.wav", /a\.wav can't be written/],
    [3, "synthesize --text-file text --out a.wav", /text does not exist/],
    [3, "serve --data-dir data", /data directory data can't be found.*give an absolute path/]
  ] as const)("ends with %d for %s in a working directory that was deleted", ([expected, line, says]) =>
    Effect.gen(function* () {
      const settings = { SPEECH_API_KEY: "a.b", SPEECH_TTS_BASE_URL: "http://127.0.0.1:9" }
      const inDeleted = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" ${line}`
      const { code, stderr } = yield* outcomeOf("sh", ["-c", inDeleted, process.execPath, bin], settings)
      expect(stderr).toMatch(says)
      expect(code).toBe(expected)
    })
  )

  it.effect.each([
    [0, ["--help"], /^speech /],
    [0, ["--completions", "fish"], /complete/],
    [2, ["transcribe", "--modle"], /--model/]
  ] as const)("ends with %d for %j before it loads Effect", ([expected, args, says]) =>
    Effect.gen(function* () {
      // A bundle names the module of each part.
      const refuse =
        "export const load=async(url,context,next)=>{const loaded=await next(url,context);if(/^\\/\\/ .*\\/effect\\//m.test(loaded.source))throw Error(url);return loaded}"
      const hooks = `data:text/javascript,${encodeURIComponent(refuse)}`
      const register = `import {register} from 'node:module';register(${JSON.stringify(hooks)})`
      const start = (parameters: ReadonlyArray<string>) =>
        outcomeOf(process.execPath, [bin, ...parameters], preload(register))
      const { code, stderr, stdout } = yield* start(args)
      expect(`${stdout}${stderr}`).toMatch(says)
      expect(code).toBe(expected)
      expect((yield* start(["doctor"])).stderr).toContain("Error: ")
    })
  )
})
