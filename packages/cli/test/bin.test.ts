import { execFileSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterAll, beforeAll } from "vitest"
import { bin, commandIn, until } from "./builtCommand.js"
import {
  onSpeaking,
  recordingOf,
  requestCount,
  serviceOfTones,
  serviceWith,
  setFaults,
  speechCommand
} from "./environment.js"

const { version }: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/speech-`)
  writeFileSync(`${folder}/second.wav`, recordingOf(1))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { run, runShell, start } = commandIn(() => folder)

/** The files whose names begin so. */
const filesOf = (beginning: string) => readdirSync(folder).filter((name) => name.startsWith(beginning))

/** Runs a module before the command. */
const preload = (module: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` })

const transcribe = ["transcribe", "second.wav", "--model", "hi-general-v2-8khz"]
/** Speaks a text in pieces. Paths are in the folder, also for a command in this process. */
const speak = (text: string, out: string, concurrency = 1) => [
  ...["synthesize", "--text-file", `${folder}/${text}`, "--out", `${folder}/${out}`],
  ...["--concurrency", String(concurrency), "--output-format", "8000:pcm16", "--pause", "line=1"]
]

const toneOf = (pitch: number) => recordingOf(1, (at) => 8000 * Math.sin(at * pitch * 0.1))

/** A text that is sent in pieces. */
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at + 1}. ${"नमस्ते, आप कैसे हैं? मैं ठीक हूँ। ".repeat(6)}`).join("\n\n")

/** On a slow machine a call lasts long enough for a line of progress. */
const quiet = "--quiet"

/** Sends `speech run` a signal at once, and ends when it gets the signal itself. */
const waiting = 'trap "echo ended; exit 9" TERM; kill -TERM $PPID; while :; do sleep 0.05; done'

const onLinux = process.platform === "linux"
const onWindows = process.platform === "win32"

describe("the built command", { timeout: 120_000 }, () => {
  layer(serviceOfTones(), { excludeTestServices: true })((it) => {
    it.scoped("ends when the reader of its audio has closed the pipe", () =>
      Effect.gen(function* () {
        // More than the buffer of a pipe holds.
        const text = "Your order has been shipped.".repeat(20)
        const command = yield* start(["synthesize", text, "--lang", "en", "--out", "-"], yield* serviceWith())
        command.stdout.once("data", () => command.stdout.destroy())
        expect(yield* command.ended).toMatchObject({ code: 3, stderr: "" })
      })
    )

    it.scoped("ends with 70 at a defect of its own, and says what it is", () =>
      Effect.gen(function* () {
        const broken = preload("Number.prototype.toFixed=()=>{throw(Error('broken'))}")
        const args = ["synthesize", "नमस्ते", "--out", "broken.wav"]
        expect(yield* run(args, { ...(yield* serviceWith()), ...broken })).toMatchObject({
          code: 70,
          stdout: "",
          stderr: expect.stringContaining("a defect of the command: Error: broken")
        })
      })
    )

    it.scoped("cancels an upload at Ctrl-C", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith()
        const { requests } = yield* LocalService
        const before = yield* requestCount
        const outcome = Effect.map(requests, (entries) => entries[before]?.outcome)
        const command = yield* start(["transcribe", "-", "--model", "hi-general-v2-8khz", quiet], environment)
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
        const args = ["synthesize", "--text-file", pipe, "--out", `${folder}/piped.wav`]
        const interrupted = yield* start(args, yield* serviceWith())
        const isOpen = Effect.sync(() => {
          try {
            const descriptors = `/proc/${interrupted.pid}/fd`
            return readdirSync(descriptors).some((each) => readlinkSync(`${descriptors}/${each}`) === pipe)
          } catch {
            // It has not started, or has just closed another one.
            return false
          }
        })
        yield* until(isOpen, (open) => open)
        interrupted.kill("SIGINT")
        expect((yield* interrupted.ended).code).toBe(130)

        const spoken = yield* Effect.fork(speechCommand(...args))
        yield* Effect.promise(() => writeFile(pipe, "नमस्ते\n"))
        expect((yield* spoken).code).toBe(0)
        expect((yield* (yield* LocalService).requests).at(-1)?.request).toMatchObject({ text: "नमस्ते" })
      })
    )

    it.scoped("leaves no file at Ctrl-C while it draws on a terminal, however often it is pressed", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith({ operation: "synthesize", stallAtByte: 5000 })
        const terminal = { ...preload("process.stderr.isTTY=true"), TERM: "xterm" }
        const command = yield* start(["synthesize", "नमस्ते", "--out", "out.wav"], { ...environment, ...terminal })
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

    it.scoped(
      "finishes and keeps the calls in flight of a long text at Ctrl-C, so that all runs together send each piece once",
      () =>
        Effect.gen(function* () {
          mkdirSync(`${folder}/finished`)
          writeFileSync(`${folder}/finished/long.txt`, paragraphs(57))
          const args = speak("finished/long.txt", "finished/long.wav", 4)
          const { pieces } = JSON.parse((yield* speechCommand(...args, "--dry-run", "--json")).stdout)
          expect(pieces).toBe(13)
          const before = yield* requestCount
          const environment = yield* serviceWith({ operation: "synthesize", nth: 5, times: 4, delayMillis: 1500 })
          const command = yield* start([...args, quiet], environment)
          yield* until(requestCount, (count) => count === before + 8)
          command.kill("SIGINT")
          const { code, stderr, stdout } = yield* command.ended
          expect({ code, stdout }).toEqual({ code: 130, stdout: "" })
          expect(stderr).toMatch(
            /^speech: Finishing 4 calls\. Press Ctrl-C again to stop now: they may be billed\.\nspeech: 8 finished pieces are kept in \S+\/long\.wav\.pieces\. The same command resumes, and costs at most [\d,]+ code points\.\n$/
          )
          yield* setFaults()
          expect((yield* speechCommand(...args)).code).toBe(0)
          expect((yield* requestCount) - before).toBe(13)
          expect(readdirSync(`${folder}/finished`).toSorted()).toEqual(["long.txt", "long.wav"])
        })
    )

    it.scoped("stops the calls of a long text at a second Ctrl-C, says what may be billed, and leaves no file", () =>
      Effect.gen(function* () {
        mkdirSync(`${folder}/stopped`)
        writeFileSync(`${folder}/stopped/long.txt`, paragraphs(2))
        const args = [...speak("stopped/long.txt", "stopped/long.wav"), quiet]
        const before = yield* requestCount
        const command = yield* start(args, yield* serviceWith({ operation: "synthesize", delayMillis: 60_000 }))
        yield* until(requestCount, (count) => count > before)
        command.kill("SIGTERM")
        yield* until(command.stderrSoFar, (text) => text.includes("Finishing 1 call."))
        // What arrives sooner is the same press.
        yield* Effect.sleep(1100)
        command.kill("SIGINT")
        expect(yield* command.ended).toEqual({
          code: 130,
          stdout: "",
          stderr:
            "speech: Finishing 1 call. Press Ctrl-C again to stop now: it may be billed.\n" +
            "speech: 1 call was stopped. It may be billed, and the same command sends it again.\n"
        })
        expect(readdirSync(`${folder}/stopped`)).toEqual(["long.txt"])
      })
    )

    it.scoped("finishes and keeps the calls in flight of long recordings at Ctrl-C", () =>
      Effect.gen(function* () {
        const files = [5, 6].map((pitch) => `${folder}/long-${pitch}.wav`)
        for (const [at, file] of files.entries()) writeFileSync(file, toneOf(5 + at))
        const pieces = `${folder}/finished-pieces`
        const args = ["transcribe", ...files, "--model", "hi-general-v2-8khz", "--pieces", pieces, quiet]
        const before = yield* requestCount
        const environment = yield* serviceWith({ operation: "transcribe", delayMillis: 1500 })
        const command = yield* start(args, environment)
        yield* until(requestCount, (count) => count === before + 2)
        command.kill("SIGINT")
        expect(yield* command.ended).toEqual({
          code: 130,
          stdout: "",
          stderr:
            "speech: Finishing 2 calls. Press Ctrl-C again to stop now: they may be billed.\n" +
            `speech: 2 finished pieces are kept in ${pieces}. The same command resumes.\n`
        })
        yield* setFaults()
        expect((yield* speechCommand(...args)).code).toBe(0)
        expect((yield* requestCount) - before).toBe(2)
      })
    )

    it.scoped("ends a call at once at Ctrl-C if nothing can be kept, and says that it may be billed", () =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/cut.wav`, toneOf(7))
        mkdirSync(`${folder}/back`)
        writeFileSync(`${folder}/back/one.wav`, toneOf(7))
        writeFileSync(`${folder}/back/one.txt`, "नमस्ते")
        const environment = yield* serviceWith({ delayMillis: 60_000 })
        const { requests } = yield* LocalService
        for (const args of [
          ["synthesize", "नमस्ते", "--out", "short.wav"],
          transcribe,
          ["transcribe", "cut.wav", "--model", "hi-general-v2-8khz", "--long"],
          ["listen-back", "back", "--model", "hi-general-v2-8khz"],
          ["synthesize", "नमस्ते", "--pause", "line=1", "--out", "-"]
        ]) {
          const before = yield* requestCount
          const command = yield* start(args, environment)
          yield* until(requests, (all) => all.length > before && all.at(-1)?.outcome === "faulted")
          command.kill("SIGINT")
          expect(yield* command.ended).toEqual({
            code: 130,
            stdout: "",
            stderr: "speech: 1 call was stopped. It may be billed, and the same command sends it again.\n"
          })
        }
        expect(filesOf("short.wav")).toEqual([])
      })
    )

    it.scoped("says at Ctrl-C that a call may be billed that waits for a retry after a 500, but not after a 503", () =>
      Effect.gen(function* () {
        const { requests } = yield* LocalService
        for (const [status, stderr] of [
          [500, "speech: 1 call was stopped. It may be billed, and the same command sends it again.\n"],
          [503, ""]
        ] as const) {
          const environment = yield* serviceWith({ operation: "transcribe", status, headers: { "Retry-After": "7" } })
          const before = yield* requestCount
          const command = yield* start(transcribe, environment)
          yield* until(requests, (all) => all.length > before && all.at(-1)?.status === status)
          // The response has to arrive.
          yield* Effect.sleep("300 millis")
          command.kill("SIGINT")
          expect(yield* command.ended).toEqual({ code: 130, stdout: "", stderr })
        }
      })
    )

    it.scoped("goes on with a long text after a crash, and pays for no finished piece again", () =>
      Effect.gen(function* () {
        const { requests } = yield* LocalService
        writeFileSync(`${folder}/long.txt`, paragraphs(2))
        const args = [...speak("long.txt", "long.wav"), "--subtitles", `${folder}/long.srt`]
        const environment = yield* serviceWith({ operation: "synthesize", nth: 2, delayMillis: 60_000 })
        const crashed = yield* requestCount
        const command = yield* start(args, environment)
        yield* until(requests, (all) => all.length === crashed + 2 && all.at(-1)?.outcome === "faulted")
        command.kill("SIGKILL")
        expect((yield* command.ended).code).toBe(137)
        expect(filesOf("long")).not.toContain("long.wav")

        yield* setFaults()
        const before = yield* requestCount
        expect(yield* speechCommand(...args)).toEqual({
          code: 0,
          stdout: "",
          stderr: expect.stringMatching(/long\.wav: .*, 2 pieces, request \S+$/)
        })
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
        const args = speak("twice/long.txt", "twice/long.wav")
        const environment = yield* serviceWith()
        const isEnough = yield* Deferred.make<void>()
        yield* onSpeaking(2, Deferred.await(isEnough))
        const before = yield* requestCount
        const first = yield* start(args, environment)
        yield* until(requestCount, (count) => count === before + 2)
        first.kill("SIGSTOP")
        expect(yield* run(args, environment)).toEqual({
          code: 3,
          stdout: "",
          stderr: expect.stringMatching(
            /^speech: Nothing was sent: another speech command is using the pieces in \S+\/long\.wav\.pieces\. Wait until it has ended, .* \[PieceStoreError\]\n$/
          )
        })
        expect(yield* requestCount).toBe(before + 2)
        first.kill("SIGCONT")
        yield* Deferred.succeed(isEnough, undefined)
        expect((yield* first.ended).code).toBe(0)
        expect(readdirSync(`${folder}/twice`).toSorted()).toEqual(["long.txt", "long.wav"])
      })
    )

    it.scoped.skipIf(onWindows)("sends nothing if its pieces can't be kept", () =>
      Effect.gen(function* () {
        const environment = yield* serviceWith()
        const before = yield* requestCount
        writeFileSync(`${folder}/limited.txt`, paragraphs(2))
        const args = speak("limited.txt", "limited.wav")
        const { code, stderr } = yield* runShell('ulimit -f 64; exec "$0" "$@"', args, environment)
        expect(stderr).toMatch(/^speech: A piece was not sent, since its result can't be kept: .*\(ulimit -f\)/)
        expect(code).toBe(3)
        expect(yield* requestCount).toBe(before)
        expect(filesOf("limited")).toEqual(["limited.txt"])
      })
    )

    it.scoped("lets one of many at once do the work, or the next when it has ended", () =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/race.txt`, paragraphs(2))
        const racer = run(speak("race.txt", "race.wav"), yield* serviceWith())
        const before = yield* requestCount
        const codes = (yield* Effect.all([racer, racer, racer], { concurrency: 3 })).map(({ code }) => code)
        const done = codes.filter((code) => code === 0).length
        expect(codes.toSorted()).toEqual([...Array(done).fill(0), ...Array(3 - done).fill(3)])
        expect((yield* requestCount) - before).toBe(2 * done)
        expect(done).toBeGreaterThan(0)
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
      })
    )

    it.scoped(
      "finishes the calls of an archive at Ctrl-C, says what is done and how to go on, and calls no file twice",
      () =>
        Effect.gen(function* () {
          const [calls, out] = [`${folder}/calls`, `${realpathSync(folder)}/texts`]
          mkdirSync(calls)
          for (const pitch of [1, 2, 3]) writeFileSync(`${calls}/${pitch}.wav`, toneOf(pitch))
          const args = [
            "archive",
            "run",
            calls,
            "--model",
            "hi-general-v2-8khz",
            "--concurrency",
            "1",
            "--out",
            out,
            quiet
          ]
          const before = yield* requestCount
          const environment = yield* serviceWith({ operation: "transcribe", times: 1, delayMillis: 500 })
          const command = yield* start(args, environment)
          yield* until(requestCount, (count) => count > before)
          command.kill("SIGINT")
          expect(yield* command.ended).toMatchObject({
            code: 130,
            stdout: expect.stringMatching(
              new RegExp(
                `^${out}: running\\n1 of 3 files done, 2 left.\\nWarnings: NothingRecognised 1.\\nSpent: 1 credits.\\n`
              )
            ),
            stderr:
              "speech: Calls in progress finish, for up to 60 s. Ctrl-C again ends at once, and holds their files.\n" +
              "speech: Run it again to resume. Files that are done are not sent again.\n"
          })
          expect(yield* speechCommand(...args)).toMatchObject({
            code: 0,
            stdout: `${out}: ended\n3 of 3 files done.\nWarnings: NothingRecognised 3.\nSpent: 3 credits.`
          })
          expect((yield* requestCount) - before).toBe(3)
        })
    )

    it.scoped.skipIf(!onLinux)("keeps paid pieces until standard output has their transcript", () =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/tone.wav`, toneOf(4))
        const args = ["transcribe", "tone.wav", "--model", "hi-general-v2-8khz", "--pieces", "kept"]
        const { code, stderr } = yield* runShell('"$0" "$@" > /dev/full', args, yield* serviceWith())
        expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("can't be written (ENOSPC)") })
        expect(readdirSync(`${folder}/kept`).filter((name) => name.endsWith(".json")).length).toBe(1)
      })
    )

    it.scoped("says of a file whose name is not UTF-8 that its name is the problem", () =>
      Effect.gen(function* () {
        const environment = { ...(yield* serviceWith()), LC_ALL: "C.UTF-8" }
        const heard = `cp second.wav "$(printf 'caf\\351.wav')" && "$0" "$1" transcribe "$(printf 'caf\\351.wav')" --model m`
        expect(yield* runShell(heard, [], environment)).toMatchObject({
          code: 3,
          stderr: expect.stringContaining("name is not valid UTF-8, rename it")
        })
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
          const settings = `${temporary}/settings`
          if (end !== "SIGINT") writeFileSync(settings, 'NODE_OPTIONS="--require ./missing.cjs"\n')
          const args = ["serve", "--port", "0", "--json", "--dotenv", settings]
          const command = yield* start(args, { TMPDIR: temporary })
          if (end === "unread") command.stdout.destroy()
          else {
            yield* Effect.promise(() => new Promise((resolve) => command.stdout.once("data", resolve)))
            expect(ours()).toHaveLength(1)
            expect(readFileSync(settings, "utf8")).toContain("SPEECH_API_KEY=")
            command.kill(end)
          }
          expect((yield* command.ended).code).toBe(end === "unread" ? 3 : 130)
          expect(ours()).toEqual([])
        }),
      { concurrency: 2 }
    )
  )

  const page = `
    const { SPEECH_PLATFORM_URL: url, SPEECH_ADMIN_TOKEN: token } = process.env
    const html = await (await fetch(url)).text()
    const [script] = html.match(/console\\/[\\w-]+\\.js/)
    const file = await fetch(url + "/" + script)
    const about = await fetch(url + "/platform/api/about", { headers: { "X-Admin-Token": token } })
    console.log(file.status, (await about.json()).version)`
  const mp3 = fileURLToPath(new URL("../../audio-decoder/test/recordings/cat.mp3", import.meta.url))
  it.scoped(
    "speech run gives a command a service with its threads and console, and its streams, and ends with its code",
    () =>
      Effect.gen(function* () {
        const temporary = mkdtempSync(`${folder}/run-`)
        // Text and audio go through pipes. On a slow machine each command also prints its progress.
        const line = `"$0" "$1" synthesize --text-file - --lang en --out - |
        "$0" "$1" transcribe - "$2" --model en-general-v2-8khz && "$0" --input-type=module --eval "$3" && exit 7`
        const command = ["sh", "-c", line, process.execPath, bin, mp3, page]
        const running = yield* start(["run", "--", ...command], { TMPDIR: temporary })
        running.stdin.end("A cat.\n")
        expect(yield* running.ended).toEqual({
          code: 7,
          stdout: `standard input: A cat.\n${mp3}: \n200 ${version}\n`,
          stderr: expect.stringMatching(/^speech: .+cat\.mp3: Nothing was recognised/m)
        })
        expect(readdirSync(temporary)).toEqual([])
      })
  )

  it.scoped("speech run gives its signals to its command", () =>
    Effect.gen(function* () {
      const ended = yield* run(["run", "--", "sh", "-c", waiting], {})
      expect(ended).toEqual({ code: 9, stdout: "ended\n", stderr: "" })
    })
  )

  it.scoped("says which file fails in a working directory that was deleted", () =>
    Effect.forEach(
      [
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

  /** The files of the command that are loaded with one of them. */
  const loadedWith = (file: string, found = new Set<string>()): ReadonlySet<string> => {
    found.add(file)
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/^(?:.* from|import) "(\..+)";$/gm)) {
      const imported = join(dirname(file), path)
      if (!found.has(imported)) loadedWith(imported, found)
    }
    return found
  }
  /** A bundle names the module of each part. */
  const hasEffect = (file: string) => /^\/\/ .*\/effect\//m.test(readFileSync(file, "utf8"))

  it("loads Effect only to run a command, and few files for one call", () => {
    expect([...loadedWith(bin)].filter(hasEffect)).toEqual([])
    for (const program of ["synthesize", "transcribe"]) {
      const files = [...loadedWith(join(dirname(bin), `internal/bundle/${program}.js`))]
      expect(files.some(hasEffect)).toBe(true)
      expect(files.length).toBeLessThan(12)
    }
  })

  it.scoped("prints what the arguments alone decide", () =>
    Effect.gen(function* () {
      expect(yield* run(["--help"], {})).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^speech /),
        stderr: ""
      })
      expect(yield* run(["transcribe", "--modle"], {})).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("--model")
      })
    })
  )
})
