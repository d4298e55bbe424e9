import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { afterAll, beforeAll } from "vitest"

/** The command as it is built, in a process of its own. */
const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url))

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

const environmentOf = ({ apiKey, sttBaseUrl, ttsBaseUrl }: LocalService["Type"]) => ({
  SPEECH_API_KEY: Redacted.value(apiKey),
  SPEECH_STT_BASE_URL: sttBaseUrl,
  SPEECH_TTS_BASE_URL: ttsBaseUrl
})

const localService = Effect.map(Layer.build(LocalService.layer()), Context.get(LocalService))

const transcribe = ["transcribe", "second.wav", "--model", "hi-general-v2-8khz"]
const synthesize = ["synthesize", "नमस्ते", "--out", "out.wav"]

interface Way {
  readonly way: string
  readonly code: number
  readonly args: ReadonlyArray<string>
  readonly says: string
  readonly environment?: Record<string, string>
  readonly fault?: Fault
  readonly credits?: number
  readonly state?: "suspended"
}

/** One of each exit code. */
const ways: ReadonlyArray<Way> = [
  {
    way: "audio to a terminal",
    code: 2,
    args: ["synthesize", "a", "--out", "-"],
    environment: { NODE_OPTIONS: "--import=data:text/javascript,process.stdout.isTTY=true" },
    says: "would write audio to the terminal"
  },
  {
    way: "an output in a folder that is missing",
    code: 3,
    args: ["synthesize", "a", "--out", "no/a.wav"],
    says: "[OutputFailed]"
  },
  { way: "an unknown model", code: 10, args: ["transcribe", "second.wav", "--model", "m"], says: "[SttBadRequest]" },
  {
    way: "a key that is refused",
    code: 11,
    args: transcribe,
    environment: { SPEECH_API_KEY: "wrong.key" },
    says: "[SttUnauthorized]"
  },
  { way: "an account out of credit", code: 12, args: transcribe, credits: 0, says: "[SttCreditExhausted]" },
  { way: "an account that is suspended", code: 13, args: transcribe, state: "suspended", says: "[SttForbidden]" },
  {
    way: "a service that is overloaded",
    code: 20,
    args: transcribe,
    fault: { operation: "transcribe", status: 503 },
    says: "[SttUnavailable]"
  },
  {
    way: "a status that is in no contract",
    code: 21,
    args: synthesize,
    fault: { operation: "synthesize", status: 418 },
    says: "[TtsUnexpectedStatus]"
  },
  {
    way: "audio that is cut short",
    code: 30,
    args: synthesize,
    fault: { operation: "synthesize", truncateAtByte: 1000 },
    says: "[TtsConnectionFailed]"
  },
  {
    way: "an answer that does not come in time",
    code: 31,
    args: [...transcribe, "--timeout", "0.2"],
    fault: { operation: "transcribe", delayMillis: 60_000 },
    says: "[SttDeadlineExceeded]"
  },
  {
    way: "an answer that is no transcript",
    code: 32,
    args: transcribe,
    fault: { operation: "transcribe", status: 200, body: "<html>" },
    says: "[SttInvalidResponse]"
  },
  {
    way: "a defect",
    code: 70,
    args: ["synthesize", "नमस्ते", "--out", "defect.wav"],
    environment: {
      NODE_OPTIONS: "--import=data:text/javascript,Number.prototype.toFixed=()=>{throw(Error('broken'))}"
    },
    says: "a defect of the command: Error: broken"
  }
]

describe("the built command", () => {
  it.scoped(
    "speaks into a file and prints what the file says, and nothing else where no terminal looks",
    () =>
      Effect.gen(function* () {
        const environment = environmentOf(yield* localService)
        const spoken = yield* run(["synthesize", "नमस्ते", "--out", "a.wav", "--json"], environment)
        expect(spoken).toMatchObject({ code: 0, stderr: "" })
        expect(JSON.parse(spoken.stdout.toString())).toMatchObject({ path: "a.wav", warnings: [] })
        const heard = yield* run(["transcribe", "a.wav", "--model", "hi-general-v2-8khz", "--telephony"], environment)
        expect(heard).toEqual({ code: 0, stdout: Buffer.from("नमस्ते\n"), stderr: "" })
      }),
    60_000
  )

  it.scoped(
    "takes a text and a recording from a pipe, and gives audio to one",
    () =>
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

        // More than the system keeps for whoever reads on.
        const long = `${text} `.repeat(20)
        const unread = yield* run(["synthesize", long, "--lang", "en", "--out", "-"], environment, ({ stdout }) => {
          stdout?.once("data", () => stdout.destroy())
        })
        expect(unread).toMatchObject({ code: 3, stderr: "" })
      }),
    60_000
  )

  it.scoped(
    "ends with the exit code of each way to fail, says what to do, and leaves no file",
    () =>
      Effect.gen(function* () {
        const outcomes = yield* Effect.forEach(
          ways,
          ({ args, credits, environment, fault, state, way }) =>
            Effect.gen(function* () {
              const service = yield* localService
              yield* service.accounts.setAccount({
                ...(credits === undefined ? {} : { credits }),
                ...(state === undefined ? {} : { state })
              })
              if (fault !== undefined) yield* service.faults.set([fault])
              const { code, stderr, stdout } = yield* run(args, { ...environmentOf(service), ...environment })
              return { way, code, stdout: stdout.toString(), stderr }
            }).pipe(Effect.scoped),
          { concurrency: 3 }
        )
        expect(outcomes).toEqual(
          ways.map(({ code, says, way }) => ({ way, code, stdout: "", stderr: expect.stringContaining(says) }))
        )
        expect(readdirSync(folder).filter((name) => name.includes("out"))).toEqual([])
      }),
    120_000
  )

  it.scopedLive.each([
    { what: "recording that is still being sent", args: ["transcribe", "-", "--model", "hi-general-v2-8khz"] },
    { what: "text that is still being spoken", args: ["synthesize", "--text-file", "long.txt", "--out", "out.wav"] }
  ])(
    "cancels a $what at Ctrl-C, and leaves no file",
    ({ args }) =>
      Effect.gen(function* () {
        const service = yield* localService
        writeFileSync(`${folder}/long.txt`, "एक बहुत लंबा वाक्य। ".repeat(450))
        const untilRequestIs = (outcome: JournalEntry["outcome"]) =>
          service.requests.pipe(
            Effect.repeat({ until: (requests) => requests[0]?.outcome === outcome, schedule: Schedule.spaced(20) })
          )
        let command: ChildProcess | undefined
        const spawned = (child: ChildProcess) => {
          command = child
          child.stdin?.write(readFileSync(`${folder}/second.wav`))
        }
        const running = yield* Effect.fork(run(args, environmentOf(service), spawned))
        yield* untilRequestIs("underWay")
        command?.kill("SIGINT")
        expect(yield* running).toEqual({ code: 130, stdout: Buffer.alloc(0), stderr: "" })
        yield* untilRequestIs("abandoned")
        expect(readdirSync(folder).filter((name) => name.includes("out"))).toEqual([])
      }),
    60_000
  )

  it.scoped(
    "gives a terminal no control characters of a transcript, and a pipe all that was said",
    () =>
      Effect.gen(function* () {
        const service = yield* localService
        const text = "one\u001b[2J\ttwo\nthree"
        const body = JSON.stringify({ status: "success", text, call_id: "c" })
        const headers = { "content-type": "application/json" }
        yield* service.faults.set([{ operation: "transcribe", status: 200, headers, body }])
        const terminal = "--import=data:text/javascript,process.stdout.isTTY=true"
        const environment = environmentOf(service)
        const seen = yield* run(transcribe, { ...environment, NODE_OPTIONS: terminal })
        expect(seen.stdout.toString()).toBe("one[2J\ttwo\nthree\n")
        expect((yield* run(transcribe, environment)).stdout.toString()).toBe(`${text}\n`)
      }),
    60_000
  )

  it.scopedLive(
    "leaves no file at Ctrl-C while it draws on a terminal, however often it is pressed",
    () =>
      Effect.gen(function* () {
        const service = yield* localService
        yield* service.faults.set([{ operation: "synthesize", stallAtByte: 20_000 }])
        const terminal = { NODE_OPTIONS: "--import=data:text/javascript,process.stderr.isTTY=true", TERM: "xterm" }
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
      }),
    60_000
  )

  it("speech serve leaves no file when what it prints can't be read", async () => {
    const temporary = mkdtempSync(`${tmpdir()}/unread-`)
    const child = spawn(process.execPath, [bin, "serve", "--json"], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "ignore"]
    })
    try {
      child.stdout.destroy()
      expect(await once(child, "exit")).toEqual([3, null])
      expect(readdirSync(temporary).filter((name) => name.startsWith("effect-speech-"))).toEqual([])
    } finally {
      child.kill("SIGKILL")
      rmSync(temporary, { recursive: true, force: true })
    }
  }, 60_000)

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "speech serve ends at %s as interrupted, and leaves no file",
    async (signal) => {
      const temporary = mkdtempSync(`${tmpdir()}/signal-`)
      const child = spawn(process.execPath, [bin, "serve", "--json"], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ["ignore", "pipe", "ignore"]
      })
      try {
        const ended = once(child, "exit")
        await once(child.stdout, "data")
        const ours = () => readdirSync(temporary).filter((name) => name.startsWith("effect-speech-"))
        expect(ours()).toHaveLength(1)
        child.kill(signal)
        expect(await ended).toEqual([130, null])
        expect(ours()).toEqual([])
      } finally {
        child.kill("SIGKILL")
        rmSync(temporary, { recursive: true, force: true })
      }
    },
    60_000
  )
})
