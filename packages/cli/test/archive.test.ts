import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import { RunStatus } from "@effect-speech/archive/Run"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { freshDatabase, hasPostgres, postgresTitle } from "effect-speech-test-support/postgres"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
import Database from "libsql"
import {
  adviceOn,
  describePlan,
  describe as describeStatus,
  elsewhere,
  exitCodeOf,
  isListingOver,
  leftBy,
  makeLine,
  retryOf
} from "../src/archive/report.js"
import {
  dataFolder,
  environmentOf,
  recordingConsole,
  recordingOf,
  requestCount,
  rowsOf,
  run,
  runOn,
  serviceOfTones,
  setFaults,
  telephony
} from "./environment.js"

/** The tones of these tests are no speech. */
const emptyTranscripts = (files: string) =>
  `speech: Empty transcripts: ${files}. They are paid, and not called again; results.jsonl names them. To make this a failure: --fail-on NothingRecognised`

/** A second and a half. */
const recording = (pitch: number) => recordingOf(1.5, (at) => 8000 * Math.sin(at * pitch))

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer), { excludeTestServices: true })("speech archive", (it) => {
  const settings = (more: Record<string, string>) =>
    Effect.map(LocalService, (local) => ({ ...environmentOf(local), SPEECH_ARCHIVE_STORE: "", ...more }))
  const archive = (line: string, more: Record<string, string> = {}) =>
    Effect.flatMap(settings(more), (environment) => run(["archive", ...line.split(" ")], environment))

  /** How many requests an effect sends. */
  const sentBy = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = yield* requestCount
      yield* effect
      return (yield* requestCount) - before
    })
  const untilSent = (before: number) =>
    Effect.repeat(requestCount, { until: (count) => count > before, schedule: Schedule.spaced(20) })

  /** A folder with recordings in `calls`. `line` begins its run. */
  const place = (files: number) =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      mkdirSync(`${folder}/calls/may`, { recursive: true })
      for (let at = 1; at <= files; at++) {
        writeFileSync(`${folder}/calls/${at === 1 ? "may/" : ""}${at}.wav`, recording(0.1 * at))
      }
      const [calls, out] = [`${folder}/calls`, `${folder}/out`]
      return { folder, calls, out, line: `run ${calls} ${asRun} --out ${out}` }
    })

  const asRun = "--model en-general-v2-8khz --concurrency 2"

  it.scoped("names --out if it is no folder and can't become one, and sends nothing", () =>
    Effect.gen(function* () {
      const { calls, folder } = yield* place(1)
      writeFileSync(`${folder}/taken`, "text")
      symlinkSync("nowhere", `${folder}/dangling`)
      const before = yield* requestCount
      for (const [out, problem] of [
        ["taken", "is a file"],
        ["taken/in", `can't be made: ${folder}/taken is a file`],
        ["dangling", "is a link to nowhere, which does not exist"]
      ]) {
        for (const more of ["", ` --store ${folder}/elsewhere.db`]) {
          expect(yield* archive(`run ${calls} ${asRun} --out ${folder}/${out}${more}`)).toEqual({
            code: 3,
            stdout: "",
            stderr: `speech: --out ${folder}/${out} ${problem}. Give the name of a folder. [OutputFailed]`
          })
        }
      }
      if (process.platform === "linux") {
        const { stderr } = yield* archive(`run ${calls} ${asRun} --out /dev/full`)
        expect(stderr).toBe("speech: --out /dev/full is a device. Give the name of a folder. [OutputFailed]")
      }
      expect(yield* requestCount).toBe(before)
    })
  )

  it.scoped("transcribes a folder, and the same command sends nothing again", () =>
    Effect.gen(function* () {
      const { calls, folder, line, out } = yield* place(4)
      const before = yield* requestCount
      const plan = yield* archive(`${line} --dry-run --json`, { SPEECH_API_KEY: "" })
      expect(plan).toMatchObject({ code: 0, stderr: "" })
      expect(JSON.parse(plan.stdout)).toMatchObject({ files: 4, toCall: 4, done: 0, cost: 8, unknownCost: 0 })
      expect([yield* requestCount, readdirSync(folder)]).toEqual([before, ["calls"]])

      const first = yield* archive(line)
      expect(first).toEqual({
        code: 0,
        stdout: `${out}: ended\n4 of 4 files done.\nWarnings: NothingRecognised 4.\nSpent: 8 credits.`,
        stderr: emptyTranscripts("4 files")
      })
      const tree = ["2.wav.txt", "3.wav.txt", "4.wav.txt", "may", "results.jsonl"]
      expect(readdirSync(out).filter((name) => !name.startsWith("archive.db"))).toEqual(tree)

      expect(yield* archive(line)).toEqual(first)
      expect(yield* archive(`status --out ${out}`)).toEqual(first)
      expect(yield* archive(`run ${calls} --model hi-general-v2-8khz --out ${out}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("model en-general-v2-8khz there, hi-general")
      })
      expect((yield* archive(`${line} --dry-run`)).stdout).toBe(
        "4 files, 96,176 bytes. 4 done already.\nA run would send 0 files: 0 seconds of audio."
      )

      const asJson = yield* archive(`export --out ${out} --to ${out}/json --format json --json`)
      expect(JSON.parse(asJson.stdout)).toMatchObject({ directory: `${out}/json`, files: 4, written: 4, gone: 0 })
      expect(JSON.parse(readFileSync(`${out}/json/may/1.wav.json`, "utf8"))).toMatchObject({ durationMillis: 1500 })
      expect((yield* requestCount) - before).toBe(4)
    })
  )

  it.scoped("sends nothing again by a link, or if the output, the recordings or both were moved", () =>
    Effect.gen(function* () {
      const { calls, folder, out } = yield* place(2)
      const transcribe = (source: string, target: string, ...more: ReadonlyArray<string>) =>
        Effect.tap(archive([`run ${source} ${asRun} --out ${target}`, ...more].join(" ")), (ended) =>
          expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("2 of 2 files done.") })
        )
      expect(yield* sentBy(transcribe(calls, out))).toBe(2)
      symlinkSync("out", `${folder}/link`)
      symlinkSync("calls", `${folder}/same`)
      expect(yield* sentBy(transcribe(`${folder}/same`, `${folder}/link`))).toBe(0)
      renameSync(out, `${folder}/out2`)
      expect(yield* sentBy(transcribe(calls, `${folder}/out2`))).toBe(0)
      renameSync(calls, `${folder}/calls2`)
      expect(yield* sentBy(transcribe(`${folder}/calls2`, `${folder}/out2`))).toBe(0)
      const [other, there] = [`${folder}/other/calls`, `${folder}/other/out`]
      mkdirSync(`${folder}/other`)
      renameSync(`${folder}/calls2`, other)
      renameSync(`${folder}/out2`, there)
      expect(yield* sentBy(transcribe(other, there))).toBe(0)
      expect((yield* archive(`status --out ${there}`)).stdout).toContain("2 of 2 files done.")

      // Another output in the same store: the results are written there, unless the first one has paid pieces.
      const [store, fresh] = [`${there}/archive.db`, `${folder}/new`]
      mkdirSync(`${there}/.pieces/of a file`, { recursive: true })
      expect(yield* archive(`run ${other} ${asRun} --out ${fresh} --store ${store}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("with paid pieces of long")
      })
      rmSync(`${there}/.pieces`, { recursive: true })
      const before = yield* requestCount
      expect((yield* transcribe(other, fresh, "--store", store)).stderr).toBe(
        `speech: The results of this run were written to ${there}, and are written to ${fresh} from now on. No file that is done is called again.\n${emptyTranscripts("2 files")}\nspeech: 2 files in the output were missing or out of date, and have been written again.`
      )
      expect(readdirSync(fresh)).toEqual(["2.wav.txt", "may", "results.jsonl"])

      // A store that does not lie in the output, as a database.
      renameSync(store, `${folder}/far.db`)
      renameSync(other, `${folder}/moved`)
      renameSync(fresh, `${folder}/moved-out`)
      yield* transcribe(`${folder}/moved`, `${folder}/moved-out`, "--store", `${folder}/far.db`)
      expect(yield* requestCount).toBe(before)
      // The default store is in the output.
      expect((yield* transcribe(`${folder}/moved`, `${folder}/moved-out`)).stderr).toBe(
        `speech: ${folder}/moved-out has results.jsonl, but no archive.db, so that each file is called. If the store of these results is elsewhere, stop this command by Ctrl-C, and give it with --store.\n${emptyTranscripts("2 files")}`
      )
      // Other recordings, while those of the run are away.
      rmSync(`${folder}/moved`, { recursive: true })
      mkdirSync(calls)
      writeFileSync(`${calls}/2.wav`, recording(0.7))
      expect(yield* archive(`run ${calls} ${asRun} --out ${folder}/moved-out`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("an output of its own. [ArchiveRunConflict]")
      })
      expect((yield* requestCount) - before).toBe(2)
    })
  )

  it.scoped("refuses another store for an output that has one with a run, until nothing is done there", () =>
    Effect.gen(function* () {
      const { calls, folder, line, out } = yield* place(2)
      expect((yield* archive(line)).code).toBe(0)
      const before = yield* requestCount
      const refused = {
        code: 2,
        stdout: "",
        stderr: `speech: ${out} has a store of its own, archive.db, with a run that has called 2 files. The store ${folder}/other.db knows nothing of it, and would call each file again. To go on with that run, leave out --store and SPEECH_ARCHIVE_STORE. To begin anew in the other store, choose another --out. [UsageError]`
      }
      expect(yield* archive(`${line} --store ${folder}/other.db --dry-run`)).toEqual(refused)
      expect(yield* archive(line, { SPEECH_ARCHIVE_STORE: `${folder}/other.db` })).toEqual(refused)
      expect([readdirSync(folder), (yield* requestCount) - before]).toEqual([["calls", "out"], 0])
      // The value of the message in JSON is printable too.
      const { stdout } = yield* archive(`${line} --store ${folder}/\u001b[2J.db --json`)
      expect(JSON.parse(stdout).error.message).toContain(`The store ${folder}/\\u001b[2J.db knows nothing`)
      // The same store by its path.
      symlinkSync("out", `${folder}/link`)
      expect((yield* archive(`${line} --store ${folder}/link/archive.db`)).code).toBe(0)
      // A run that has done nothing.
      const limited = `run ${calls} ${asRun} --out ${folder}/new`
      expect((yield* archive(`${limited} --max-files 0`)).code).toBe(40)
      expect((yield* archive(`${limited} --store ${folder}/other.db`)).code).toBe(0)
      expect((yield* requestCount) - before).toBe(2)
    })
  )

  it.scoped("refuses another store for an output, too, if that with its run has two names", () =>
    Effect.gen(function* () {
      const { folder, line, out } = yield* place(2)
      expect((yield* archive(line)).code).toBe(0)
      const before = yield* requestCount
      linkSync(`${out}/archive.db`, `${folder}/backup.db`)
      const { code, stderr } = yield* archive(`${line} --store ${folder}/other.db`)
      expect([code, stderr]).toEqual([3, expect.stringContaining("archive.db is one file with 2 names (hard links)")])
      expect(existsSync(`${folder}/other.db`)).toBe(false)
      expect((yield* requestCount) - before).toBe(0)
    })
  )

  it.scoped("takes no file of its store for a recording: its lock would end when it is read", () =>
    Effect.gen(function* () {
      const { calls, out } = yield* place(3)
      const line = `run ${calls}/* ${asRun} --out ${out} --by-content --store ${calls}/runs`
      for (const expected of ["A run would send 2 files", "2 of 2 files done.", "2 files, "]) {
        const { code, stdout } = yield* archive(`${line}${expected.includes("done") ? "" : " --dry-run"}`)
        expect([code, stdout]).toEqual([0, expect.stringContaining(expected)])
      }
    })
  )

  it.scoped("goes on although its heartbeat is late, as after its computer was suspended", () =>
    Effect.gen(function* () {
      const { line, out } = yield* place(2)
      yield* setFaults({ operation: "transcribe", delayMillis: 4_000 })
      const before = yield* requestCount
      const running = yield* Effect.fork(archive(line))
      yield* untilSent(before + 1)
      const database = new Database(`${out}/archive.db`)
      const makeLate = Effect.try(() => database.exec("UPDATE archive_machines SET seen_at = seen_at - 60000"))
      // The run may have the database locked for a moment.
      yield* Effect.retry(makeLate, Schedule.spaced(20))
      yield* Effect.fork(Effect.repeat(Effect.ignore(makeLate), Schedule.spaced(200)))
      expect(yield* archive(`status --out ${out}`)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("2 in progress.")
      })
      const { code, stdout } = yield* running
      expect([code, stdout]).toEqual([0, expect.stringContaining("2 of 2 files done.")])
      database.close()
    })
  )

  it.scoped.each(["retry", "repair --synthesize"])(
    "%s goes on with the run of a killed process of which no file has failed",
    (command) =>
      Effect.gen(function* () {
        const { line, out } = yield* place(2)
        expect((yield* archive(`${line} --max-files 1`)).code).toBe(40)
        const database = new Database(`${out}/archive.db`)
        database.exec("UPDATE archive_runs SET state = 'running', limits = '{}', guarded = 0")
        database.close()
        expect(yield* archive(`${command} --out ${out}`)).toMatchObject({
          code: 0,
          stdout: expect.stringContaining("2 of 2 files done.")
        })
      }),
    15_000
  )

  it.scoped("refuses a second command over an output, with another store, while the first one works", () =>
    Effect.gen(function* () {
      const { calls, folder } = yield* place(2)
      const line = `run ${calls} ${asRun} --out ${folder}/out\u009b`
      yield* setFaults({ operation: "transcribe", delayMillis: 1_000 })
      const before = yield* requestCount
      const running = yield* Effect.fork(archive(`${line} --store ${folder}/one.db`))
      yield* untilSent(before)
      expect(yield* archive(`${line} --store ${folder}/two.db`)).toMatchObject({
        code: 3,
        stderr: `speech: Nothing was sent: another speech command works on ${folder}/out\\u009b, with another store. Wait until it has ended, or stop it; it may be suspended. Or choose another --out. [OutputFailed]`
      })
      expect(yield* archive(`${line} --store ${folder}/one.db`)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("[ArchiveStoreLocked]")
      })
      const { stdout } = yield* archive(`${line} --store ${folder}/two.db --json`)
      expect(JSON.parse(stdout).error.message).toContain(`works on ${folder}/out\\u009b, with`)
      expect((yield* running).code).toBe(0)
      expect((yield* requestCount) - before).toBe(2)
      expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([])
    })
  )

  it.scoped("ends with 41 if files failed, says why, and calls them again only if asked", () =>
    Effect.gen(function* () {
      const { calls, line, out } = yield* place(2)
      writeFileSync(`${calls}/empty.wav`, "")
      yield* setFaults({ operation: "transcribe", times: 1, status: 400, message: "no" })
      expect(yield* archive(line)).toEqual({
        code: 41,
        stdout: `${out}: ended\n1 of 3 files done, 2 failed.\nFailed: FileEmpty 1, SttBadRequest 1.\nWarnings: NothingRecognised 1.\nSpent: 2 credits.`,
        stderr: `speech: 2 files failed: results.jsonl says why. To call them again: speech archive retry --out ${out}\n${emptyTranscripts("1 file")}`
      })
      writeFileSync(`${calls}/new.wav`, recording(0.7))
      const before = yield* requestCount
      const again = yield* archive(line)
      expect([again.code, again.stderr.split("\n")[0]]).toEqual([
        41,
        `speech: 2 files failed before, and not called again now: FileEmpty 1, SttBadRequest 1. To call them again: speech archive retry --out ${out}`
      ])
      const retried = yield* archive(`retry --out ${out} --only SttBadRequest --json`)
      expect(retried).toMatchObject({ code: 41, stderr: "" })
      expect(JSON.parse(retried.stdout)).toMatchObject({ counts: { done: 3, failed: 1 }, failures: { FileEmpty: 1 } })
      expect((yield* requestCount) - before).toBe(2)
    })
  )

  it.scoped("holds a file that a gateway may have had billed, and says so before it is called again", () =>
    Effect.gen(function* () {
      const { line, out } = yield* place(1)
      const before = yield* requestCount
      yield* setFaults({ operation: "transcribe", times: 1, status: 504 })
      const retry = `retry --only SttUnexpectedStatus --out ${out}`
      expect(yield* archive(line)).toEqual({
        code: 41,
        stdout: `${out}: ended\n0 of 1 file done, 1 held.\nHeld: SttUnexpectedStatus 1.\nSpent: at most 2 credits.`,
        stderr: expect.stringContaining(
          `speech: 1 file held: it may have been billed, and has no result. To call it again, which may be billed again: speech archive ${retry}`
        )
      })
      expect((yield* archive(`retry --out ${out}`)).stderr).toMatch(/^speech: No file has failed, so none is called/)
      expect((yield* requestCount) - before).toBe(1)
      const retried = yield* archive(retry)
      expect([retried.code, retried.stderr.split("\n")[0]]).toEqual([
        0,
        "speech: 1 file that may have been billed is to be called again, and may be billed again."
      ])
      expect((yield* requestCount) - before).toBe(2)
    })
  )

  it.scoped.each(["--after-crash", "--unanswered"])(
    "with %s repeat calls a file again whose answer was lost",
    (option) =>
      Effect.gen(function* () {
        const { line } = yield* place(1)
        yield* setFaults({ operation: "transcribe", times: 1, status: 504 })
        expect(yield* sentBy(archive(`${line} ${option} repeat`))).toBe(2)
      })
  )

  it.scoped("ends with 41 for empty transcripts if asked, without a second call", () =>
    Effect.gen(function* () {
      const { line, out } = yield* place(2)
      const before = yield* requestCount
      expect((yield* archive(line)).code).toBe(0)
      const failOn = (command: string, warning = "NothingRecognised") => archive(`${command} --fail-on ${warning}`)
      expect((yield* failOn(`status --out ${out}`)).code).toBe(41)
      expect((yield* failOn(`status --out ${out}`, "MoreThanOneChannel")).code).toBe(0)
      const json = yield* failOn(`${line} --json`)
      expect(json.code).toBe(41)
      expect(JSON.parse(json.stdout)).toMatchObject({ counts: { done: 2 }, warnings: { NothingRecognised: 2 } })
      expect(yield* archive(`retry --out ${out} --only NothingRecognised`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--only is NothingRecognised, a warning of files that are done: they are paid")
      })
      expect((yield* requestCount) - before).toBe(2)
    })
  )

  it.scoped("keeps the limits, the format and --after-crash that a second command leaves out, and says so", () =>
    Effect.gen(function* () {
      const { line, out } = yield* place(4)
      const first = yield* archive(`${line} --max-credits 4 --rate 100 --format srt --after-crash repeat`)
      expect([first.code, first.stdout]).toEqual([40, expect.stringContaining("2 of 4 files done, 2 left.")])
      const inForce =
        "speech: Limits of the run: 4 credits, 100 files a second.\nspeech: A file that may have been billed but has no result is called again"
      expect(first.stderr).toContain(inForce)
      const sent = yield* sentBy(
        Effect.gen(function* () {
          const again = yield* archive(line)
          expect([again.code, again.stdout]).toEqual([40, expect.stringContaining("\nLimits: 4 credits, 100 files")])
          expect(again.stderr).toContain(inForce)
          expect(yield* archive(`resume --out ${out} --rate none`)).toMatchObject({
            code: 40,
            stderr: expect.stringContaining("Limits of the run: 4 credits.\n")
          })
        })
      )
      expect(sent).toBe(0)
      const last = yield* archive(`${line} --max-credits none --after-crash hold`)
      expect([last.code, last.stderr]).toEqual([0, emptyTranscripts("4 files")])
      expect(readdirSync(`${out}/may`)).toEqual(["1.wav.srt"])
      expect(readdirSync(out)).not.toContain("2.wav.txt")
    })
  )

  it.scoped(
    "says at once why the service can't be reached, counts no such call for a limit, and goes on with a higher one",
    () =>
      Effect.gen(function* () {
        const { line, out } = yield* place(3)
        const limited = `${line} --max-files 2`
        const { console, printed } = yield* recordingConsole
        const dead = yield* settings({ SPEECH_STT_BASE_URL: yield* refusedAddress })
        const running = yield* Effect.fork(runOn(console, ["archive", ...limited.split(" ")], dead))
        yield* Effect.repeat(Effect.sync(printed), {
          until: ({ stderr }) => stderr.includes("The service is down"),
          schedule: Schedule.spaced(50)
        }).pipe(Effect.timeout("8 seconds"))
        const status = yield* archive(`status --out ${out}`)
        expect(status.stdout).toMatch(
          /: running\n0 of 3 files done.*\n.*\nLimits: 2 files\.\nMachines: 1; the last heartbeat was \d+ s ago.*\n.*\[SttConnectionFailed\]/
        )
        // It is said once, however often a call is tried.
        const nextTry = Effect.map(
          archive(`status --out ${out} --json`),
          ({ stdout }) => JSON.parse(stdout).slowedUntil
        )
        const first = yield* nextTry
        yield* Effect.repeat(nextTry, { until: (next) => next > first, schedule: Schedule.spaced(100) })
        yield* Fiber.interrupt(running)
        expect(printed().stderr.match(/The service is down or overloaded: .*/g)).toEqual([
          expect.stringMatching(/ECONNREFUSED.* \[SttConnectionFailed\] One call at a time/)
        ])
        expect(yield* archive(limited)).toMatchObject({
          code: 40,
          stdout: expect.stringContaining("2 of 3 files done, 1 left."),
          stderr: expect.stringMatching(/\[FileLimit\].* --max-files N$/m)
        })
        expect((yield* archive(`status --out ${out} --watch --json`)).code).toBe(40)
        expect((yield* archive(`resume --out ${out} --max-files 3`)).code).toBe(0)
      }),
    30_000
  )

  it.scoped(
    "says what a killed process may have had billed, and that no process works on the run, also to who watches",
    () =>
      Effect.gen(function* () {
        const { line, out } = yield* place(3)
        expect((yield* archive(`${line} --max-files 1`)).code).toBe(40)
        const database = new Database(`${out}/archive.db`)
        database.exec(`
        INSERT INTO archive_machines VALUES ('killed', ${Date.now()});
        UPDATE archive_runs SET state = 'running';
        UPDATE archive_files SET state = 1, machine = 'killed', attempts = 1 WHERE seq = 2`)
        database.close()
        const shown = `: running\n1 of 3 files done, 1 with no answer, 1 left.`
        for (const watching of ["", " --watch"]) {
          const seen = yield* archive(`status --out ${out}${watching}`)
          expect([seen.code, seen.stdout]).toEqual([40, expect.stringContaining(shown)])
          expect(seen.stdout).toContain(
            "Spent: 2 credits, and what the calls of 1 file without a result may have cost."
          )
          expect(seen.stdout).toMatch(/\nNo process works on it; the last heartbeat was \d+ s ago/)
          expect(seen.stderr).toMatch(/1 file was in progress when the process ended.*\n.*To resume: /)
        }
        const json = yield* archive(`status --out ${out} --json`)
        expect([json.code, JSON.parse(json.stdout)]).toMatchObject([40, { abandoned: 1, machines: 0 }])
        expect(yield* archive(`retry --out ${out} --only AnswerUnknown`)).toMatchObject({
          code: 40,
          stderr: expect.stringContaining(
            "1 file that may have been billed is to be called again, and may be billed again."
          )
        })
        expect(yield* archive(`resume --out ${out} --max-files none`)).toMatchObject({ code: 0 })
      })
  )

  it.scoped("ends with 40 if the account is refused, and goes on after it was topped up", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const { line, out } = yield* place(3)
      const { credits } = yield* accounts.account
      yield* accounts.setAccount({ credits: 0 })
      expect(yield* archive(line)).toEqual({
        code: 40,
        stdout: `${out}: suspended\n0 of 3 files done, 3 left.\nSpent: 0 credits.`,
        stderr: expect.stringMatching(
          /^speech: The run is suspended: .*402.* \[SttCreditExhausted\] To resume: speech archive resume --out \S+$/
        )
      })
      expect(yield* sentBy(archive(`resume --out ${out} --json`))).toBe(1)
      yield* accounts.setAccount({ credits })
      expect(yield* archive(`resume --out ${out}`)).toMatchObject({ code: 0, stderr: emptyTranscripts("3 files") })
    })
  )

  it.scoped("writes missing transcripts again, says so, and keeps those that were changed until a repair", () =>
    Effect.gen(function* () {
      const { line, out } = yield* place(3)
      const before = yield* requestCount
      expect((yield* archive(line)).code).toBe(0)
      rmSync(`${out}/2.wav.txt`)
      writeFileSync(`${out}/3.wav.txt`, "Corrected.\n")
      const again = yield* archive(line)
      expect(again.stderr.split("\n").slice(1)).toEqual([
        "speech: 1 file in the output was missing or out of date, and has been written again.",
        `speech: 1 file in the output was changed after it was written, and is kept. To write it again from the archive: speech archive repair --out ${out}`
      ])
      const repaired = { code: 0, stdout: `${out}: 3 files, 1 written.`, stderr: "" }
      expect(yield* archive(`repair --out ${out}`)).toEqual(repaired)
      expect(readFileSync(`${out}/3.wav.txt`, "utf8")).toBe("\n")
      expect((yield* requestCount) - before).toBe(3)
    })
  )

  it.scoped("speaks the texts of a CSV file, says which audio is gone, and calls for it only if asked", () =>
    Effect.gen(function* () {
      const { folder, out } = yield* place(0)
      writeFileSync(`${folder}/prompts.csv`, "id,text\nmenu/welcome,Welcome.\nbye,Goodbye.\n")
      const line = `run ${folder}/prompts.csv --lang en --output-format 8000:pcm16 --out ${out}`
      const before = yield* requestCount
      const spent = (credits: number) => `${out}: ended\n2 of 2 files done.\nSpent: ${credits} credits.`
      expect(yield* archive(line)).toEqual({ code: 0, stdout: spent(16), stderr: "" })
      const welcome = readFileSync(`${out}/menu/welcome.wav`)
      expect(Either.getOrThrow(Wav.decode(welcome)).format).toEqual(telephony)
      rmSync(`${out}/menu/welcome.wav`)
      writeFileSync(`${out}/bye.wav`, "")
      const stderr = `speech: Audio of 2 files is missing, or is not what was written: menu/welcome.wav, bye.wav. The archive has no audio. To synthesize it again, for 16 credits: speech archive repair --synthesize --out ${out}`
      for (const [command, stdout] of [
        [line, spent(16)],
        [`repair --out ${out}`, `${out}: 2 files, 0 written.`],
        [`export --out ${out} --to ${folder}/copy`, `${folder}/copy: 2 files, 0 written.`]
      ] as const) {
        expect(yield* archive(command)).toEqual({ code: 41, stdout, stderr })
      }
      // It looks into the store alone.
      expect(yield* archive(`status --out ${out}`)).toEqual({ code: 0, stdout: spent(16), stderr: "" })
      expect((yield* requestCount) - before).toBe(2)
      for (const says of [
        "speech: Audio of 2 files is synthesized again, for 16 credits.",
        "speech: No audio is missing, so none is synthesized."
      ]) {
        const repaired = yield* archive(`repair --synthesize --out ${out}`)
        expect(repaired).toEqual({ code: 0, stdout: spent(32), stderr: says })
        expect((yield* requestCount) - before).toBe(4)
      }
      expect(readFileSync(`${out}/menu/welcome.wav`)).toEqual(welcome)
    })
  )

  it.scoped("pauses a run from another process", () =>
    Effect.gen(function* () {
      const { calls, out } = yield* place(3)
      yield* setFaults({ operation: "transcribe", times: 1, delayMillis: 1_000 })
      const before = yield* requestCount
      const running = yield* Effect.fork(
        archive(`run ${calls} --model en-general-v2-8khz --concurrency 1 --out ${out}`)
      )
      yield* untilSent(before)
      expect(yield* archive(`pause --out ${out}`)).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^speech: The run is paused\. To resume: speech archive resume --out /)
      })
      expect(yield* running).toMatchObject({
        code: 40,
        stdout: expect.stringContaining(": paused\n1 of 3 files done, 2 left.")
      })
      expect((yield* archive(`resume --out ${out}`)).code).toBe(0)
    })
  )

  it.scoped.skipIf(!hasPostgres)(
    `lists and watches a run that another machine works on, in ${postgresTitle}`,
    () =>
      Effect.gen(function* () {
        const { calls, line, out } = yield* place(3)
        const url = yield* Effect.promise(freshDatabase)
        const database = { SPEECH_ARCHIVE_STORE: url }
        const machine = yield* Effect.fork(archive("work", database))
        const ended = yield* archive(line, database)
        expect(ended).toMatchObject({
          code: 0,
          stdout: `${out}: ended\n3 of 3 files done.\nWarnings: NothingRecognised 3.\nSpent: 6 credits.`
        })
        expect(readdirSync(out).toSorted()).toEqual(["2.wav.txt", "3.wav.txt", "may", "results.jsonl"])
        yield* Fiber.interrupt(machine)
        const status = yield* archive("status --json", database)
        expect(JSON.parse(status.stdout)).toMatchObject({ state: "ended", counts: { done: 3 } })
        // The options of earlier versions.
        const ignored = "--host and --port are ignored: machines meet in the database alone."
        const former = yield* archive(`${line} --host a --port 1 --unanswered hold`, database)
        expect([former.code, former.stderr]).toEqual([
          0,
          expect.stringContaining(`${ignored} To work on the run here, too: --work`)
        ])
        const steered = yield* archive(`retry --out ${out} --host a --port 1`, database)
        expect([steered.code, steered.stderr]).toEqual([0, expect.stringContaining(ignored)])
        writeFileSync(`${calls}/4.wav`, recording(0.4))
        const own = yield* archive(`${line} --work`, database)
        expect(own).toMatchObject({ code: 0, stdout: expect.stringContaining("4 of 4 files done.") })
        expect(JSON.stringify([ended, status, former, own])).not.toContain(new URL(url).password)
      }),
    60_000
  )

  it.scoped.skipIf(!hasPostgres)(
    `waits for a machine if none works on the run, and says so, in ${postgresTitle}`,
    () =>
      Effect.gen(function* () {
        const { line, out } = yield* place(2)
        const database = yield* settings({ SPEECH_ARCHIVE_STORE: yield* Effect.promise(freshDatabase) })
        const begin = (words: string) =>
          Effect.gen(function* () {
            const { console, printed } = yield* recordingConsole
            const running = yield* Effect.fork(runOn(console, ["archive", ...words.split(" ")], database))
            return { ended: Fiber.join(running), stderr: Effect.sync(() => printed().stderr) }
          })
        const until = (stderr: Effect.Effect<string>, words: string) =>
          Effect.repeat(stderr, { until: (text) => text.includes(words), schedule: Schedule.spaced(50) })
        const started = yield* begin(line)
        yield* until(started.stderr, "No machine works on the run. Start one: speech archive work")
        const watching = yield* begin(`status --out ${out} --watch`)
        yield* until(watching.stderr, "No machine works on the run. This command waits for one: speech archive work")
        expect((yield* run(["archive", "status", "--out", out], database)).code).toBe(40)
        const machine = yield* begin("work")
        expect([yield* started.ended, yield* watching.ended]).toEqual([0, 0])
        expect((yield* started.stderr).match(/No machine works/g)).toHaveLength(1)
        expect(yield* machine.stderr).toContain("This machine works on the runs of")
      }),
    30_000
  )

  it.scoped.skipIf(!hasPostgres)(
    `fails if another command with another output took the run over meanwhile, in ${postgresTitle}`,
    () =>
      Effect.gen(function* () {
        const { calls, folder } = yield* place(3)
        const database = { SPEECH_ARCHIVE_STORE: yield* Effect.promise(freshDatabase) }
        const line = `run ${calls} --model en-general-v2-8khz --concurrency 1`
        yield* setFaults({ operation: "transcribe", times: 1, delayMillis: 2_500 })
        const before = yield* requestCount
        const first = yield* Effect.fork(archive(`${line} --work --out ${folder}/one`, database))
        yield* untilSent(before)
        const second = yield* archive(`${line} --out ${folder}/two`, database)
        expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(`${folder}/two: ended\n3 of 3 files`) })
        const { code, stderr } = yield* first
        expect({ code, last: stderr.split("\n").at(-1) }).toEqual({
          code: 3,
          last: `speech: The results are in ${folder}/two, and not in ${folder}/one: another command started this run with that output meanwhile. To have them here, too: speech archive export --to ${folder}/one --out ${folder}/two and the same --store [OutputFailed]`
        })
        expect(readdirSync(`${folder}/two`).toSorted()).toEqual(["2.wav.txt", "3.wav.txt", "may", "results.jsonl"])
        expect((yield* requestCount) - before).toBe(3)
      }),
    60_000
  )

  const outside = `list.txt does not name a file in ${process.cwd()}: /elsewhere/1.wav. Correct it, or run this in the folder that holds all files: paths of a list are relative to the working directory. [ArchiveSourceFailed]`
  const refusals = rowsOf<[what: string, code: string, line: string, says: string]>(`
    a folder without a model        | 2 | run $calls --out $out | --model is required to transcribe
    a source that is not there      | 3 | run $calls/no --model m --out $out | no does not exist
    a source that is a device       | 3 | run /dev/zero --model m --out $out | write the list into a file
    one recording                   | 2 | run $calls/may/1.wav --model m --out $out | 1.wav is one recording: give the folder
    one recording of any name       | 2 | run $folder/video.mp4 --model m --out $out | video.mp4 is one recording: give the folder
    what is no text                 | 3 | run $folder/program --model m --out $out | program is no list of paths: line 1 is no text.
    a list with a path elsewhere    | 3 | run $folder/list.txt --model m --out $out | ${outside}
    a language of recordings        | 2 | run $calls --model m --lang en --out $out | --lang is for texts
    a model of texts                | 2 | run $texts --model m --out $out | --model is for recordings
    audio as a transcript           | 2 | run $calls --model m --format wav --out $out | --format must be txt, json, srt or vtt
    a rate of texts too high        | 2 | run $texts --speed 9 --out $out | --speed
    a line that is no text          | 3 | run $texts --out $out | Line 1 of 
    a pattern that no file matches  | 2 | run $calls/*.xyz --model m --out $out | SOURCE lists nothing: there are no files
    a plan of nothing               | 2 | run $calls/*.xyz --model m --out $out --dry-run | SOURCE lists nothing
    a warning that there is not     | 2 | run $calls --model m --out $out --fail-on Foo | --fail-on must be one of NothingRecognised, 
    no run                          | 3 | status --out $out | There is no archive at 
    no place                        | 2 | status | Give --out, or --store.
    a machine without a database    | 2 | work | Give --store, or set SPEECH_ARCHIVE_STORE.
    a database of another kind      | 2 | status --store mysql://a:s3cret@b/c | --store must be a file, or an address
    a file for many machines        | 2 | work --store $out.db | A file is for one machine
    a database that is not there    | 3 | work --store postgresql://user:s3cret@127.0.0.1:1/db | [ArchiveStoreFailed]`)
  it.scoped.each(refusals)("refuses %s", ([_, code, line, says]) =>
    Effect.gen(function* () {
      const { calls, folder, out } = yield* place(1)
      const texts = `${folder}/texts.jsonl`
      writeFileSync(texts, '{"text":"a"}\n')
      writeFileSync(`${folder}/video.mp4`, "\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41mp42\0\0\0\x08free")
      writeFileSync(`${folder}/program`, "\x7fELF\x02\x01\n")
      writeFileSync(`${folder}/list.txt`, "/elsewhere/1.wav\n")
      const places = Object.entries({ calls, folder, out, texts })
      const before = yield* requestCount
      const outcome = yield* archive(places.reduce((text, [name, path]) => text.replace(`$${name}`, path), line))
      expect(outcome.stdout + outcome.stderr).toContain(says)
      expect(outcome.code).toBe(Number(code))
      expect(outcome.stderr).not.toContain("s3cret")
      expect(yield* requestCount).toBe(before)
    })
  )
})

const facts: typeof RunStatus.Encoded = {
  id: "7f3c0f3e-1b2a-8c5d-8e9f-0a1b2c3d4e5f",
  state: "running",
  settings: {
    output: { directory: "/my out", format: "txt" },
    operation: { _tag: "Transcribe", model: "m" },
    byContent: false,
    unanswered: "hold",
    root: "/calls",
    source: ""
  },
  limits: {},
  counts: { pending: 8700, started: 60, done: 1200, failed: 30, held: 10 },
  failures: { FileEmpty: 1, SttBadRequest: 29 },
  holds: { AnswerUnknown: 10 },
  warnings: {},
  credits: 45_678,
  unknownCosts: 0,
  abandoned: 0,
  resultsDue: true,
  machines: 3,
  createdAt: 0,
  updatedAt: 0
}

/** A run that is running, with these facts of another one. */
const statusOf = (changes: Partial<typeof RunStatus.Encoded> = {}) =>
  Schema.decodeSync(RunStatus)({ ...facts, ...changes } as typeof RunStatus.Encoded)
const status = statusOf()

describe("a plan", () => {
  it("says what files of unknown length cost at most, only if there are some", () => {
    const plan = { files: 5, bytes: 9_000, done: 1, toCall: 4, cost: 8, unknownCost: 2, mostCost: 1_308 }
    expect(describePlan(plan, "Transcribe").split("\n").at(-1)).toBe(
      "A run would send 4 files: 8 seconds of audio, and 2 files of unknown length, about 1,308 seconds of audio in all."
    )
    expect(
      describePlan({ ...plan, unknownCost: 0, mostCost: 8 }, "Synthesize")
        .split("\n")
        .at(-1)
    ).toBe("A run would send 4 files: 8 code points.")
  })
})

describe("the report of a run", () => {
  it("says of how many held files the cost is not known", () => {
    expect(describeStatus(statusOf({ unknownCosts: 10 }), 0)).toContain(
      "Spent: 45,678 credits, and what the calls of 10 files without a result may have cost."
    )
  })

  it("says that no process works on it, and what the last one may have had billed", () => {
    const counts = { pending: 2, started: 2, done: 1, failed: 0, held: 0 }
    const left = statusOf({ counts, holds: {}, failures: {}, abandoned: 2, unknownCosts: 2, credits: 2, machines: 0 })
    expect(describeStatus(left, 0).split("\n").slice(1)).toEqual([
      "1 of 5 files done, 2 with no answer, 2 left.",
      "Spent: 2 credits, and what the calls of 2 files without a result may have cost.",
      "No process works on it; there is no heartbeat of one."
    ])
    expect(describeStatus(statusOf({ counts, abandoned: 1 }), 0)).toContain(
      ", 1 in progress, 1 with no answer, 2 left."
    )
    const store = { _tag: "File", path: "/my out/archive.db", isDefault: true } as const
    const inProgress =
      "2 files were in progress when the process ended: they may have been billed, and have no result. The next command that works on the run"
    const goOn = "No process works on the run. To resume: speech archive resume --out '/my out'"
    expect(adviceOn(left, store)).toEqual([`${inProgress} holds them.`, goOn])
    const repeats = statusOf({
      ...RunStatus.pipe(Schema.encodeSync)(left),
      settings: { ...facts.settings, unanswered: "repeat" }
    })
    expect(adviceOn(repeats, store)).toEqual([`${inProgress} calls them again.`, goOn])
    const database = { _tag: "Database", url: Redacted.make("postgresql://db/runs"), shown: "db/runs" } as const
    expect(adviceOn(left, database)[0]).toMatch(
      /no result\. A machine that has worked on the run for 35 s holds them\.$/
    )
    expect([store, database].map((each) => retryOf(left, each, "AnswerUnknown").length)).toEqual([1, 0])
    expect([exitCodeOf(left), exitCodeOf(status)]).toEqual([40, 0])
  })

  it("whose listing has ended without an end says so, and is no success", () => {
    const listing = statusOf({
      state: "listing",
      holds: {},
      counts: { pending: 5, started: 0, done: 0, failed: 0, held: 0 }
    })
    expect([34_999, 35_000].map((now) => isListingOver(listing, now))).toEqual([false, true])
    expect(isListingOver(status, 99_999)).toBe(false)
    const store = { _tag: "File", path: "/my out/archive.db", isDefault: true } as const
    expect(adviceOn(listing, store)).toEqual([])
    expect(adviceOn(listing, store, true)).toEqual([
      "The process that listed the files has ended before it had them all. No file was called. Start the same run again."
    ])
    expect([exitCodeOf(listing), exitCodeOf(listing, [], true)]).toEqual([0, 40])
  })

  it("has its counts, its failures by tag, its cost and its machines", () => {
    const outage = { tag: "SttUnavailable", message: "Try again later.", at: 0 }
    const warnings = { NothingRecognised: 19 }
    const described = describeStatus(statusOf({ warnings, slowedUntil: 1, outage, heartbeatAt: 1_000 }), 121_000)
    expect(described.split("\n")).toEqual([
      "/my out: running",
      "1,200 of 10,000 files done, 30 failed, 10 held, 60 in progress, 8,700 left.",
      "Failed: SttBadRequest 29, FileEmpty 1.",
      "Held: AnswerUnknown 10.",
      "Warnings: NothingRecognised 19.",
      "Spent: at most 45,678 credits.",
      "Machines: 3; the last heartbeat was 2 min ago, at 1970-01-01T00:00:01.000Z.",
      "The service is down or overloaded: Try again later. [SttUnavailable] One call at a time is tried until one succeeds."
    ])
  })

  it("says how to go on, in a command to paste", () => {
    const store = { _tag: "File", path: "/a b.db", isDefault: false } as const
    expect(adviceOn(status, store)).toEqual([
      "30 files failed: results.jsonl says why. To call them again: speech archive retry --out '/my out' --store '/a b.db'",
      "10 files held: they may have been billed, and have no result. To call them again, which may be billed again: speech archive retry --only AnswerUnknown --out '/my out' --store '/a b.db'"
    ])
    const idle = statusOf({ machines: 0, holds: {}, counts: { ...facts.counts, held: 0, failed: 0 } })
    expect(adviceOn(idle, { _tag: "File", path: "/my out/archive.db", isDefault: true })).toEqual([
      "No process works on the run. To resume: speech archive resume --out '/my out'"
    ])
    expect(exitCodeOf(status)).toBe(0)
    expect(exitCodeOf(statusOf({ state: "ended", counts: { ...facts.counts, failed: 0 } }))).toBe(41)
  })

  it("says of copies that are known by their content that one call is made for them", () => {
    const store = { _tag: "File", path: "/out/archive.db", isDefault: true } as const
    const settings = { ...facts.settings, byContent: true, output: { ...facts.settings.output, directory: "/out" } }
    const held = statusOf({ settings })
    const once = "Files with the same content are called once."
    expect(adviceOn(held, store).at(-1)).toBe(
      `10 files held: they may have been billed, and have no result. ${once} To call them again, which may be billed again: speech archive retry --only AnswerUnknown --out /out`
    )
    expect(leftBy(held, store).at(-1)).toContain(`not called again now. ${once} To call them again`)
    expect(retryOf(held, store, "AnswerUnknown")).toEqual([
      `10 files that may have been billed are to be called again, and may be billed again. ${once}`
    ])
    const single = statusOf({ settings, holds: { AnswerUnknown: 1 } })
    expect(adviceOn(single, store).at(-1)).not.toContain(once)
    expect(retryOf(single, store, "AnswerUnknown")[0]).not.toContain(once)
  })

  it("says what the end of a run has found in the output, and what is not written yet", () => {
    const store = { _tag: "File", path: "/my out/archive.db", isDefault: true } as const
    const endedWith = (changes: Partial<typeof RunStatus.Encoded>) =>
      statusOf({ state: "ended", holds: {}, counts: { ...facts.counts, failed: 0, held: 0 }, ...changes })
    const goneFiles = ["a", "b/c", "d\n", "e"].map((name) => `/my out/${name}.wav`)
    const output = { files: 1_200, written: 2, changed: 3, gone: 4, goneCost: 1_204, goneFiles }
    expect(adviceOn(endedWith({ resultsDue: false, output }), store)).toEqual([
      "2 files in the output were missing or out of date, and have been written again.",
      "3 files in the output were changed after they were written, and are kept. To write them again from the archive: speech archive repair --out '/my out'",
      "Audio of 4 files is missing, or is not what was written: a.wav, b/c.wav, d\n.wav, …. The archive has no audio. To synthesize it again, for 1,204 credits: speech archive repair --synthesize --out '/my out'"
    ])
    expect(exitCodeOf(endedWith({ output }))).toBe(41)
    expect(exitCodeOf(endedWith({ output: { ...output, gone: 0 } }))).toBe(0)
    expect(adviceOn(endedWith({ machines: 0, resultsDue: true }), store)).toEqual([
      "results.jsonl was not written at the end of the run. To write it: speech archive repair --out '/my out'"
    ])
    expect(adviceOn(endedWith({ machines: 1, resultsDue: true }), store)).toEqual([])
  })

  it("says in printable text that the results are in another output", () => {
    const store = { _tag: "File", path: "/my out/archive.db", isDefault: true } as const
    expect(elsewhere(status, store, "/o\u009b")).toBe(
      "The results are in /my out, and not in /o\\u009b: another command started this run with that output meanwhile. To have them here, too: speech archive export --to '/o\\u009b' --out '/my out'"
    )
  })

  it("has a line of progress with the pace of the last minute", () => {
    const toWork = makeLine(false)
    const at = (done: number) => statusOf({ counts: { ...facts.counts, done } })
    expect(toWork(at(0), 0).amount).toBe(
      "40 of 8,800 files, failed: SttBadRequest 29, FileEmpty 1, 10 held, 45,678 credits, 3 machines"
    )
    expect(toWork(at(5000), 100_000).amount).toMatch(/^5,040 of 13,800 files, 50\/s, /)
    expect(toWork(at(5100), 200_000)).toMatchObject({
      done: 5140,
      total: 13_900,
      amount: expect.stringMatching(/, 1\.0\/s, /)
    })
  })

  it("says on its line that no process works on it, unless this one does and its heartbeat is late", () => {
    const lines = [false, true].map((works) => makeLine(works)(statusOf({ machines: 0 }), 0).amount)
    expect(lines.map((line) => line.includes("no process works on it"))).toEqual([true, false])
  })
})
