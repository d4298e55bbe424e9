import { type ChildProcess, execFileSync, spawn } from "node:child_process"
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
import { constants, tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { describe, expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import type { Fault } from "@effect-speech/local-service/Faults"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import { afterAll, beforeAll } from "vitest"
import { environmentOf, onSpeaking, recordingOf, requestCount, serviceOfTones } from "./environment.js"

/** The command as it is built, in a process of its own. */
const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url))
const { version }: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/speech-`)
  writeFileSync(`${folder}/second.wav`, recordingOf(1))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The files whose names begin so. */
const filesOf = (beginning: string) => readdirSync(folder).filter((name) => name.startsWith(beginning))

type Environment = Readonly<Record<string, string>>

/** Starts a program. The scope kills it. */
const startProgram = (file: string, args: ReadonlyArray<string>, environment: Environment) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(file, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      // As a shell says it: a signal is 128 and its number.
      const codeOf = (code: number | null, signal: NodeJS.Signals | null) =>
        code ?? 128 + (signal === null ? 0 : constants.signals[signal])
      const stdout: Array<Buffer> = []
      let stderr = ""
      child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      const ended = new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
        child.on("close", (code, signal) =>
          resolve({ code: codeOf(code, signal), stdout: Buffer.concat(stdout).toString(), stderr })
        )
      )
      return Object.assign(child, { ended: Effect.promise(() => ended) })
    }
  )

const start = (args: ReadonlyArray<string>, environment: Environment) =>
  startProgram(process.execPath, [bin, ...args], environment)

const run = (args: ReadonlyArray<string>, environment: Environment) =>
  Effect.scoped(Effect.flatMap(start(args, environment), ({ ended }) => ended))

/** Runs a line of a shell: in it, `"$0" "$1"` is the command, and `"$@"` is the command with further arguments. */
const runShell = (line: string, args: ReadonlyArray<string>, environment: Environment) =>
  Effect.scoped(
    Effect.flatMap(startProgram("sh", ["-c", line, process.execPath, bin, ...args], environment), ({ ended }) => ended)
  )

/** Waits until something is so. */
const until = <A, E, R>(read: Effect.Effect<A, E, R>, isSo: (value: A) => boolean) =>
  Effect.repeat(read, { until: isSo, schedule: Schedule.spaced(20) })

/** The settings of the service, which has these faults until the scope closes. */
const serviceWith = (...faults: ReadonlyArray<Fault>) =>
  Effect.gen(function* () {
    const service = yield* LocalService
    yield* Effect.acquireRelease(service.faults.set(faults), () => service.faults.set([]))
    return environmentOf(service)
  })

/** Runs a module before the command. */
const preload = (module: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` })

const transcribe = ["transcribe", "second.wav", "--model", "hi-general-v2-8khz"]
const synthesize = ["synthesize", "नमस्ते", "--out", "out.wav"]
const inPieces = ["--concurrency", "1", "--output-format", "8000:pcm16", "--pause", "line=1"]

/** A text that is sent in pieces. */
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at + 1}. ${"नमस्ते, आप कैसे हैं? मैं ठीक हूँ। ".repeat(6)}`).join("\n\n")

/** Sends `speech run` a signal at once, and ends when it gets the signal itself. */
const waiting = 'trap "echo ended; exit 9" TERM; kill -TERM $PPID; while :; do sleep 0.05; done'
const withService = 'cat && "$0" "$1" doctor && test "$SPEECH_PLATFORM_URL$SPEECH_ADMIN_TOKEN" && exit 7'

const onLinux = process.platform === "linux"
const onWindows = process.platform === "win32"

describe("the built command", { timeout: 120_000 }, () => {
  layer(serviceOfTones(), { excludeTestServices: true })((it) => {
    it.scoped("takes a text and a recording from a pipe, and gives audio to one", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith()
        const text = "Your order has been shipped."
        const line = `printf '%s' "$2" | "$0" "$1" synthesize --text-file - --lang en --out - |
          "$0" "$1" transcribe - --model en-general-v2-8khz --telephony`
        expect(yield* runShell(line, [text], environment)).toMatchObject({ code: 0, stdout: `${text}\n`, stderr: "" })

        // More than the buffer of a pipe holds.
        const unread = yield* start(["synthesize", text.repeat(20), "--lang", "en", "--out", "-"], environment)
        unread.stdout.once("data", () => unread.stdout.destroy())
        expect(yield* unread.ended).toMatchObject({ code: 3, stderr: "" })
      })
    )

    it.scoped("ends with the exit code of a failure, says what to do, and leaves no file", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith({ operation: "synthesize", nth: 1, truncateAtByte: 1000 })
        expect(yield* run(synthesize, environment)).toMatchObject({
          code: 30,
          stdout: "",
          stderr: expect.stringMatching(/^speech: .*\[TtsConnectionFailed\]/)
        })
        expect(filesOf("out")).toEqual([])
        const broken = preload("Number.prototype.toFixed=()=>{throw(Error('broken'))}")
        expect(yield* run(synthesize, { ...(yield* serviceWith()), ...broken })).toMatchObject({
          code: 70,
          stdout: "",
          stderr: expect.stringContaining("a defect of the command: Error: broken")
        })
        rmSync(`${folder}/out.wav`)
      })
    )

    it.scoped("cancels an upload at Ctrl-C", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith()
        const { requests } = yield* LocalService
        const before = yield* requestCount
        const outcome = Effect.map(requests, (entries) => entries[before]?.outcome)
        const command = yield* start(["transcribe", "-", "--model", "hi-general-v2-8khz"], environment)
        command.stdin.write(recordingOf(1))
        yield* until(outcome, (is) => is === "underWay")
        command.kill("SIGINT")
        expect(yield* command.ended).toMatchObject({ code: 130, stdout: "", stderr: "" })
        yield* until(outcome, (is) => is === "abandoned")
      })
    )

    it.scoped.skipIf(!onLinux)("waits for the writer of a text, and ends at Ctrl-C", () =>
      Effect.gen(function* () {
        const pipe = `${folder}/text`
        execFileSync("mkfifo", [pipe])
        const environment = yield* serviceWith()
        const isOpen = ({ pid }: ChildProcess) => {
          try {
            const descriptors = `/proc/${pid}/fd`
            return readdirSync(descriptors).some((each) => readlinkSync(`${descriptors}/${each}`) === pipe)
          } catch {
            // It has not started, or has just closed another one.
            return false
          }
        }
        const waiting = Effect.tap(
          start(["synthesize", "--text-file", pipe, "--out", "piped.wav"], environment),
          (child) =>
            until(
              Effect.sync(() => isOpen(child)),
              (open) => open
            )
        )
        const interrupted = yield* waiting
        interrupted.kill("SIGINT")
        expect((yield* interrupted.ended).code).toBe(130)

        const spoken = yield* waiting
        writeFileSync(pipe, "नमस्ते\n")
        expect((yield* spoken.ended).code).toBe(0)
        expect((yield* (yield* LocalService).requests).at(-1)?.request).toMatchObject({ text: "नमस्ते" })
      })
    )

    it.scoped("leaves no file at Ctrl-C while it draws on a terminal, however often it is pressed", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith({ operation: "synthesize", stallAtByte: 5000 })
        const terminal = { ...preload("process.stderr.isTTY=true"), TERM: "xterm" }
        const command = yield* start(synthesize, { ...environment, ...terminal })
        yield* until(
          Effect.sync(() => filesOf("out.wav")),
          (names) => names.length > 0
        )
        for (const _ of [1, 2, 3]) command.kill("SIGINT")
        const { code, stderr } = yield* command.ended
        expect(code).toBe(130)
        expect(stderr).toContain("out.wav  ")
        // What never hides the cursor can't leave it hidden.
        expect(stderr).not.toContain("\u001b[?25l")
        expect(filesOf("out.wav")).toEqual([])
      })
    )

    it.scoped("goes on with a long text after Ctrl-C and after a crash, and pays for no finished piece again", () =>
      Effect.gen(function* () {
        const { requests } = yield* LocalService
        const args = [
          "synthesize",
          "--text-file",
          "long.txt",
          "--out",
          "long.wav",
          "--subtitles",
          "long.srt",
          ...inPieces
        ]
        writeFileSync(`${folder}/long.txt`, paragraphs(2))
        /** Ends a command by a signal when its request of this number waits, for the second piece. */
        const end = (signal: NodeJS.Signals, nth: number) =>
          Effect.gen(function* () {
            const environment = yield* serviceWith({ operation: "synthesize", nth, delayMillis: 60_000 })
            const before = yield* requestCount
            const command = yield* start(args, environment)
            yield* until(requests, (all) => all.length === before + nth && all.at(-1)?.outcome === "faulted")
            command.kill(signal)
            return yield* command.ended
          }).pipe(Effect.scoped)

        expect(yield* end("SIGINT", 2)).toMatchObject({
          code: 130,
          stdout: "",
          stderr: "speech: 1 finished piece is kept in long.wav.pieces. The same command resumes.\n"
        })
        expect((yield* end("SIGKILL", 1)).code).toBe(137)
        expect(filesOf("long")).not.toContain("long.wav")

        const before = yield* requestCount
        const { code, stderr } = yield* run(args, yield* serviceWith())
        expect(stderr).toMatch(/^long\.wav: .*, 2 pieces, request \S+\n$/)
        expect(code).toBe(0)
        expect((yield* requestCount) - before).toBe(1)
        // Also the lock and the temporary files of the killed command are gone with their folder.
        expect(filesOf("long.wav.pieces")).toEqual([])
        expect(filesOf("long.srt")).toEqual(["long.srt"])
        expect(Either.isRight(Wav.decode(readFileSync(`${folder}/long.wav`)))).toBe(true)
      })
    )

    it.scoped("sends nothing for the same command at the same time, also while the first is suspended", () =>
      Effect.gen(function* () {
        mkdirSync(`${folder}/twice`)
        writeFileSync(`${folder}/twice/long.txt`, paragraphs(3))
        symlinkSync(`${folder}/twice`, `${folder}/twice-link`)
        const argsIn = (place: string) => [
          "synthesize",
          "--text-file",
          `${place}/long.txt`,
          "--out",
          `${place}/long.wav`,
          ...inPieces
        ]
        const environment = yield* serviceWith()
        const isEnough = yield* Deferred.make<void>()
        yield* onSpeaking(2, Deferred.await(isEnough))
        const before = yield* requestCount
        const first = yield* start(argsIn("twice"), environment)
        yield* until(requestCount, (count) => count === before + 2)
        first.kill("SIGSTOP")
        const others = yield* Effect.forEach(["twice", "twice-link"], (place) => run(argsIn(place), environment), {
          concurrency: 2
        })
        for (const outcome of others) {
          expect(outcome).toMatchObject({ code: 3, stdout: "" })
          expect(outcome.stderr).toMatch(
            /^speech: Nothing was sent: another speech command is using the pieces in \S+\/long\.wav\.pieces\. Wait until it has ended, .* \[PieceStoreError\]\n$/
          )
        }
        expect(yield* requestCount).toBe(before + 2)
        first.kill("SIGCONT")
        yield* Deferred.succeed(isEnough, undefined)
        expect((yield* first.ended).code).toBe(0)
        expect(readdirSync(`${folder}/twice`).toSorted()).toEqual(["long.txt", "long.wav"])
      })
    )

    it.scoped.skipIf(onWindows)("sends nothing if its pieces can't be kept, at each try", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith()
        const before = yield* requestCount
        writeFileSync(`${folder}/limited.txt`, paragraphs(2))
        const args = ["synthesize", "--text-file", "limited.txt", "--out", "limited.wav", ...inPieces]
        for (let attempt = 0; attempt < 2; attempt++) {
          const { code, stderr } = yield* runShell('ulimit -f 64; exec "$0" "$@"', args, environment)
          expect(stderr).toMatch(/^speech: A piece was not sent, since its result can't be kept: .*\(ulimit -f\)/)
          expect(code).toBe(3)
        }
        expect(yield* requestCount).toBe(before)
        expect(filesOf("limited")).toEqual(["limited.txt"])
      })
    )

    it.scoped("lets one of many at once do the work, and starts anew when it has ended", () =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/race.txt`, paragraphs(2))
        const speak = run(
          ["synthesize", "--text-file", "race.txt", "--out", "race.wav", ...inPieces],
          yield* serviceWith()
        )
        const before = yield* requestCount
        const codes = (yield* Effect.all([speak, speak, speak], { concurrency: 3 })).map(({ code }) => code)
        const done = codes.filter((code) => code === 0).length
        expect(codes.toSorted()).toEqual([...Array(done).fill(0), ...Array(3 - done).fill(3)])
        expect(done).toBeGreaterThan(0)
        const sent = (yield* requestCount) - before
        expect((yield* speak).code).toBe(0)
        expect((yield* requestCount) - before).toBe(sent + sent / done)
        expect(filesOf("race.wav")).toEqual(["race.wav"])
      })
    )

    it.scoped.skipIf(onWindows)("sends nothing if its result would go to a closed standard output", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith()
        const before = yield* requestCount
        for (const args of [transcribe, ["synthesize", "a", "--lang", "en", "--out", "-"]]) {
          const outcome = yield* runShell('"$0" "$@" >&-', args, environment)
          expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining("standard output is closed") })
        }
        expect(yield* requestCount).toBe(before)
        expect((yield* runShell('"$0" "$@" > /dev/null', transcribe, environment)).code).toBe(0)
      })
    )

    it.scoped("finishes the calls of an archive at Ctrl-C, says how to go on, and calls no file twice", () =>
      Effect.gen(function* () {
        mkdirSync(`${folder}/calls`)
        for (const pitch of [1, 2, 3]) {
          writeFileSync(
            `${folder}/calls/${pitch}.wav`,
            recordingOf(1, (at) => 8000 * Math.sin(at * pitch * 0.1))
          )
        }
        const args = [
          "archive",
          "run",
          "calls",
          "--model",
          "hi-general-v2-8khz",
          "--concurrency",
          "1",
          "--out",
          "texts"
        ]
        const before = yield* requestCount
        const environment = yield* serviceWith({ operation: "transcribe", delayMillis: 500 })
        const command = yield* start(args, environment)
        yield* until(requestCount, (count) => count > before)
        command.kill("SIGINT")
        expect(yield* command.ended).toMatchObject({
          code: 130,
          stdout: "",
          stderr:
            "speech: Calls in progress finish, for up to 60 s. Ctrl-C again ends at once, and holds their files.\n" +
            "speech: Run it again to resume. Files that are done are not sent again.\n"
        })
        expect(yield* run(args, yield* serviceWith())).toMatchObject({
          code: 0,
          stdout: `${realpathSync(folder)}/texts: ended\n3 of 3 files done.\nWarnings: NothingRecognised 3.\nSpent: 3 credits.\n`
        })
        expect((yield* requestCount) - before).toBe(3)
      })
    )

    it.scoped.skipIf(!onLinux)("keeps paid pieces until standard output has their transcript", () =>
      Effect.gen(function* () {
        writeFileSync(
          `${folder}/tone.wav`,
          recordingOf(1, (at) => 8000 * Math.sin(at * 0.4))
        )
        const args = ["transcribe", "tone.wav", "--model", "hi-general-v2-8khz", "--pieces", "kept"]
        const { code, stderr } = yield* runShell('"$0" "$@" > /dev/full', args, yield* serviceWith())
        expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("can't be written (ENOSPC)") })
        expect(readdirSync(`${folder}/kept`).filter((name) => name.endsWith(".json")).length).toBe(1)
      })
    )

    it.scoped("refuses an argument that is not UTF-8, and says so of a file with such a name", () =>
      Effect.gen(function* () {
        const environment = { ...(yield* serviceWith()), LC_ALL: "C.UTF-8" }
        const before = yield* requestCount
        const spoken = `"$0" "$1" synthesize "$(printf 'caf\\351')" --lang en --out spoken.wav`
        expect(yield* runShell(spoken, [], environment)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("TEXT is not valid UTF-8")
        })
        const heard = `cp second.wav "$(printf 'caf\\351.wav')" && "$0" "$1" transcribe "$(printf 'caf\\351.wav')" --model m`
        expect(yield* runShell(heard, [], environment)).toMatchObject({
          code: 3,
          stderr: expect.stringContaining("name is not valid UTF-8, rename it")
        })
        expect(yield* requestCount).toBe(before)
      })
    )
  })

  it.scoped("speech serve ends and leaves no file after a signal, and if nobody reads what it prints", () =>
    Effect.forEach(
      ["SIGINT", "SIGTERM", "SIGHUP", "unread"] as const,
      (end) =>
        Effect.gen(function* () {
          const temporary = mkdtempSync(`${folder}/serve-`)
          const ours = () => readdirSync(temporary).filter((name) => name.startsWith("effect-speech-"))
          const command = yield* start(["serve", "--json"], { TMPDIR: temporary })
          if (end === "unread") command.stdout.destroy()
          else {
            yield* Effect.promise(() => new Promise((resolve) => command.stdout.once("data", resolve)))
            expect(ours()).toHaveLength(1)
            command.kill(end)
          }
          expect((yield* command.ended).code).toBe(end === "unread" ? 3 : 130)
          expect(ours()).toEqual([])
        }),
      { concurrency: 2 }
    )
  )

  it.scoped("speech run gives a command a service, its streams and its signals, and ends with its exit code", () =>
    Effect.gen(function* () {
      const temporary = mkdtempSync(`${folder}/run-`)
      const end = (...command: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const running = yield* start(["run", "--", ...command], { TMPDIR: temporary })
          running.stdin.end("from standard input\n")
          return yield* running.ended
        })
      const [served, signalled] = yield* Effect.all([
        end("sh", "-c", withService, process.execPath, bin),
        end("sh", "-c", waiting)
      ])
      expect(served).toEqual({
        code: 7,
        stdout: expect.stringMatching(/^from standard input\n(ok .*\n){5}$/),
        stderr: ""
      })
      expect(signalled).toEqual({ code: 9, stdout: "ended\n", stderr: "" })
      expect(readdirSync(temporary)).toEqual([])
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
  it.scoped("has the threads and the console of its service beside it", () =>
    Effect.gen(function* () {
      const line = `"$0" "$1" synthesize "A cat." --lang en --out cat.wav && "$0" "$1" transcribe --model en-general-v2-8khz cat.wav "$2" &&
        "$0" --input-type=module --eval "$3"`
      const command = ["sh", "-c", line, process.execPath, bin, mp3, page]
      const { code, stderr, stdout } = yield* run(["run", "--", ...command], {})
      expect(stdout, stderr).toBe(`cat.wav: A cat.\n${mp3}: \n200 ${version}\n`)
      expect(code).toBe(0)
    })
  )

  it.scoped("says which file fails in a working directory that was deleted", () =>
    Effect.forEach(
      [
        ["synthesize a --out a.wav", /a\.wav can't be written/],
        ["synthesize --text-file text --out a.wav", /text does not exist/],
        ["serve --data-dir data", /data directory data can't be found.*give an absolute path/]
      ] as const,
      ([line, says], at) =>
        Effect.gen(function* () {
          const settings = { SPEECH_API_KEY: "a.b", SPEECH_TTS_BASE_URL: "http://127.0.0.1:9" }
          const inDeleted = `mkdir gone${at} && cd gone${at} && rmdir ../gone${at} && exec "$0" "$1" ${line}`
          const { code, stderr } = yield* runShell(inDeleted, [], settings)
          expect(stderr).toMatch(says)
          expect(code).toBe(3)
        }),
      { concurrency: 2 }
    )
  )

  it.scoped("loads Effect only to run a command", () =>
    Effect.gen(function* () {
      // A bundle names the module of each part.
      const refuse =
        "export const load=async(url,context,next)=>{const loaded=await next(url,context);if(/^\\/\\/ .*\\/effect\\//m.test(loaded.source))throw Error(url);return loaded}"
      const hooks = `data:text/javascript,${encodeURIComponent(refuse)}`
      const withoutEffect = preload(`import {register} from 'node:module';register(${JSON.stringify(hooks)})`)
      const rows = [
        [0, ["--help"], /^speech /],
        [0, ["--completions", "fish"], /complete/],
        [2, ["transcribe", "--modle"], /--model/],
        [1, ["doctor"], /Error: /]
      ] as const
      for (const [expected, args, says] of rows) {
        const { code, stderr, stdout } = yield* run(args, withoutEffect)
        expect(`${stdout}${stderr}`).toMatch(says)
        expect(code).toBe(expected)
      }
    })
  )
})
