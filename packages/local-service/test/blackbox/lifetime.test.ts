import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import { afterAll, describe, expect, it, vi } from "@effect/vitest"
import type { LocalServiceOptions } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import {
  field,
  fields,
  file,
  form,
  synthesisRequest,
  transcriptionRequest,
  validForm,
  wav
} from "./support/messages.js"
import { type Box, blackBox, cannedService, eventually, type Steps } from "./support/service.js"

const root = fs.mkdtempSync(`${tmpdir()}/lifetime-`)
afterAll(() => fs.rmSync(root, { recursive: true }))
let folders = 0
const newPath = () => join(root, String(++folders))

/** Creates a folder with these files. Returns its path. */
const folderOf = (files: Readonly<Record<string, string | Uint8Array>>) => {
  const folder = newPath()
  fs.mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(folder, name)), { recursive: true })
    fs.writeFileSync(join(folder, name), content)
  }
  return folder
}

/** Starts a service, runs the steps and stops it. */
const during = <A>(options: LocalServiceOptions, steps: (box: Box) => Steps<A>) =>
  Effect.provide(Effect.scoped(Effect.flatMap(blackBox, (box) => Effect.gen(() => steps(box)))), cannedService(options))

/** Demands that a service does not start, with these facts of its error. */
const refusal = (options: LocalServiceOptions, facts: object) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(cannedService(options)))), (error) =>
    expect(error).toMatchObject(facts)
  )

/** The facts of an error of a data directory. */
const unusable = (directory: string, message: RegExp | string = "") => ({
  _tag: "LocalServiceDataDirectoryUnusable",
  directory,
  message: expect.stringMatching(message)
})

/** A data directory that a service has used. */
const usedDirectory = Effect.gen(function* () {
  const dataDirectory = newPath()
  yield* during({ dataDirectory }, function* () {})
  return dataDirectory
})

const temporaryFolder = "effect-speech-local-service-temporary"

/** A data directory in which SQLite fails with SQLITE_FULL at a change: it increments a counter that has its largest value. */
const fullAt = (change: "INSERT ON keys" | "UPDATE ON account") =>
  Effect.gen(function* () {
    const dataDirectory = yield* usedDirectory
    const sql = yield* LibsqlClient.make({ url: `file:${dataDirectory}/service.db` })
    for (const statement of [
      "CREATE TABLE counter (number INTEGER PRIMARY KEY AUTOINCREMENT)",
      "INSERT INTO counter VALUES (9223372036854775807)",
      `CREATE TRIGGER full BEFORE ${change} BEGIN INSERT INTO counter VALUES (NULL); END`
    ]) {
      yield* sql.unsafe(statement)
    }
    return dataDirectory
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** Locks the database as another program that writes to it, until the scope closes. */
const lockDatabase = (dataDirectory: string) =>
  Effect.gen(function* () {
    const sql = yield* LibsqlClient.make({ url: `file:${dataDirectory}/service.db` })
    yield* Effect.acquireRelease(sql`BEGIN IMMEDIATE`, () => Effect.orDie(sql`ROLLBACK`))
  })

/** The contents of all files but that of the key. */
const contentsOf = (folder: string) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "api-key")
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name)))

/** A second of a sound that no other frequency gives. */
const sound = (frequency: number) => {
  const recording = wav()
  for (let index = 0; index < 8000; index++) {
    const chirp = Math.sin((2 * Math.PI * frequency * index) / 8000 + 4 * Math.sin(index / 400))
    recording.writeInt16LE(Math.round(8000 * chirp), 44 + index * 2)
  }
  return recording
}
const transcriptOf = ({ transcribe }: Box, recording: Uint8Array, model = "en-general-v2-8khz") =>
  Effect.map(
    transcribe(form(field("model", model), fields[1] ?? Buffer.alloc(0), file(recording))),
    (answer) => answer.json().text
  )

describe("a data directory", () => {
  it.live("keeps credit, usage and digests of keys, and the active key in a file that only its owner can read", () =>
    Effect.gen(function* () {
      const dataDirectory = newPath()
      const kept = yield* during({ dataDirectory, credits: 1000 }, function* ({ ask, key, synthesize, transcribe }) {
        yield* synthesize({ text: "नमस्ते" })
        yield* transcribe(validForm())
        const created = (yield* ask("POST", "/keys", { name: "mine", confirm: true })).json()
        const answers = yield* Effect.all([ask("GET", "/account"), ask("GET", "/usage")])
        const written = contentsOf(dataDirectory)
        expect(fs.readFileSync(join(dataDirectory, "api-key"), "utf8")).toBe(`${created.key}\n`)
        expect(fs.statSync(join(dataDirectory, "api-key")).mode & 0o777).toBe(0o600)
        return { secrets: [key, created.key], id: created.id, answers: answers.map((each) => each.json()), written }
      })
      yield* during({ dataDirectory, credits: 7 }, function* ({ ask }) {
        const answers = yield* Effect.all([ask("GET", "/account"), ask("GET", "/usage")])
        expect(answers.map((each) => each.json())).toEqual(kept.answers)
        expect(kept.answers[0]).toEqual({ state: "active", credits: 1000 - 6 - 1 })
        const keys = (yield* ask("GET", "/keys")).json()
        expect(keys.archived).toMatchObject([{ id: kept.id, name: "mine" }, { name: "local" }])
      })
      for (const content of [...kept.written, ...contentsOf(dataDirectory)]) {
        for (const key of kept.secrets) {
          expect(content.includes(key)).toBe(false)
          expect(content.includes(key.split(".")[1] ?? "")).toBe(false)
        }
      }
    })
  )

  it.live("is used by one service at a time", () =>
    Effect.gen(function* () {
      const dataDirectory = newPath()
      yield* during({ dataDirectory }, function* () {
        yield* refusal({ dataDirectory }, unusable(dataDirectory, /in use by another local service/))
      })
      yield* during({ dataDirectory }, function* () {})
    })
  )

  it.live("that is a file, or holds no database, is refused with its path", () =>
    Effect.gen(function* () {
      const path = newPath()
      fs.writeFileSync(path, "a file")
      yield* refusal({ dataDirectory: path }, unusable(path, path))
      const dataDirectory = folderOf({ "service.db": "no database, ".repeat(1000) })
      yield* refusal({ dataDirectory }, unusable(dataDirectory))
    })
  )

  it.live.skipIf(!fs.existsSync("/proc/self"))("is refused where the system makes no directory", () =>
    refusal({ dataDirectory: "/proc/new/data" }, unusable("/proc/new/data", /\(ENOENT\)/))
  )

  it.live("may have any name", () =>
    Effect.gen(function* () {
      for (const name of ["a b", "a%20b", "100%", "a#b", "a?b=c", "a'b", "नया"]) {
        const dataDirectory = join(newPath(), name)
        yield* during({ dataDirectory }, function* () {})
        expect(fs.readdirSync(dataDirectory)).toEqual(expect.arrayContaining(["lock.db", "service.db"]))
        expect(fs.readdirSync(join(dataDirectory, ".."))).toEqual([name])
      }
    })
  )

  it.live("of another program, of a later version or with damaged tables is refused and not changed", () =>
    Effect.gen(function* () {
      const pages = fs.readFileSync(join(yield* usedDirectory, "service.db"))
      // The version of the tables is in the header of the first page. A page has 4 kB.
      const later = Buffer.from(pages)
      later.writeUInt32BE(2, 60)
      const empty = Buffer.from(pages)
      empty.fill(0xff, 4096)
      const notes = Buffer.from(pages.toString("latin1").replaceAll("account", "accents"), "latin1")
      const unversioned = Buffer.from(pages)
      unversioned.writeUInt32BE(0, 60)
      for (const content of [later, empty, notes, unversioned]) {
        const dataDirectory = folderOf({ "service.db": content })
        yield* refusal({ dataDirectory }, unusable(dataDirectory))
        expect(fs.readFileSync(join(dataDirectory, "service.db")).equals(content)).toBe(true)
      }
    })
  )

  it.live.each([
    ["a mail spool", { "spool/mail/root": "a letter", "cache/index": "of the system" }, "cache"],
    ["no more than a spool", { "spool/mail/root": "a letter" }, "spool"],
    ["the database of this service among documents", { "service.db": "", "letter.txt": "a letter" }, "letter.txt"]
  ] as const)("with %s is refused, not changed, and one of its files is named", ([, files, named]) =>
    Effect.gen(function* () {
      const dataDirectory = folderOf(files)
      const before = fs.readdirSync(dataDirectory, { recursive: true })
      yield* refusal({ dataDirectory }, unusable(dataDirectory, `"${named}"; give an empty directory`))
      expect(fs.readdirSync(dataDirectory, { recursive: true })).toEqual(before)
    })
  )

  it.live("may be the root of a disk, or a folder that macOS has shown", () =>
    during({ dataDirectory: folderOf({ "lost+found/#1": "", ".DS_Store": "" }) }, function* () {})
  )

  it.live("loses the temporary files of a service that was killed at the next start, and no others", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* usedDirectory
      const folder = join(dataDirectory, temporaryFolder)
      for (const name of [randomUUID(), randomUUID(), "letter.txt"]) fs.writeFileSync(join(folder, name), "content")
      fs.mkdirSync(join(folder, randomUUID()))
      // An earlier version kept its files there.
      fs.mkdirSync(join(dataDirectory, "spool"))
      fs.writeFileSync(join(dataDirectory, "spool", randomUUID()), "a recording")
      yield* during({ dataDirectory }, function* () {})
      expect(fs.readdirSync(folder).length).toBe(2)
      expect(fs.readFileSync(join(folder, "letter.txt"), "utf8")).toBe("content")
      expect(fs.readdirSync(join(dataDirectory, "spool")).length).toBe(1)
    })
  )

  it.live("whose temporary folder was replaced by a link is refused, and the link is not followed", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* usedDirectory
      const folder = join(dataDirectory, temporaryFolder)
      fs.rmSync(folder, { recursive: true })
      const elsewhere = folderOf({ [randomUUID()]: "a file of another program" })
      fs.symlinkSync(elsewhere, folder)
      yield* refusal({ dataDirectory }, unusable(dataDirectory, folder))
      expect(fs.readdirSync(elsewhere).length).toBe(1)
    })
  )

  it.live("whose disk is full is refused, and the message says so", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* fullAt("INSERT ON keys")
      yield* refusal(
        { dataDirectory },
        unusable(dataDirectory, `The disk of the data directory ${dataDirectory} is full`)
      )
    })
  )

  it.live("whose disk becomes full bills nothing, cuts the response off, and says so in a 500 to later calls", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* fullAt("UPDATE ON account")
      yield* during({ dataDirectory }, function* ({ ask, key, raw, send, service, synthesize, token, transcribe }) {
        const { answers } = yield* raw("tts", synthesisRequest(key, '{"text":"a"}'), { answers: 0 })
        expect(answers.filter(({ complete }) => complete)).toEqual([])
        yield* eventually(service.requests, ([entry]) => entry?.outcome === "abandoned")
        const later = [
          yield* synthesize({ text: "a" }, {}, { failing: true }),
          yield* transcribe(validForm(), {}, { failing: true })
        ]
        for (const { status, text } of later) {
          expect(status).toBe(500)
          expect(text).toContain("the disk of the service is full")
        }
        expect((yield* ask("GET", "/usage")).json()).toEqual([])
        const headers = { "X-Admin-Token": token, "Content-Type": "application/json" }
        const change = { method: "PATCH", path: "/platform/api/account", headers, body: '{"credits":7}' }
        const changed = yield* send("platform", change, { failing: true })
        expect(changed.status).toBe(500)
        expect(changed.text).toContain("the disk of the service is full")
      })
    })
  )

  it.live("whose database another program has open is refused, and the message says so", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* usedDirectory
      yield* lockDatabase(dataDirectory)
      yield* refusal(
        { dataDirectory },
        unusable(dataDirectory, /service\.db is open in another program; close it there/)
      )
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("whose lock file is damaged is refused, and the message does not say that it is in use", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* usedDirectory
      fs.writeFileSync(join(dataDirectory, "lock.db"), "no database ".repeat(100))
      yield* refusal({ dataDirectory }, unusable(dataDirectory, /lock\.db can't be locked; delete it/))
    })
  )

  // Root may write anywhere, and Windows has no such modes.
  it.live.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "that can't be written is refused, and the message says so",
    () =>
      Effect.gen(function* () {
        const dataDirectory = yield* usedDirectory
        yield* Effect.addFinalizer(() => Effect.sync(() => fs.chmodSync(dataDirectory, 0o700)))
        fs.chmodSync(dataDirectory, 0o500)
        yield* refusal({ dataDirectory }, unusable(dataDirectory, /give a directory that you can write to/))
        fs.chmodSync(dataDirectory, 0o700)
        fs.chmodSync(join(dataDirectory, "service.db"), 0o400)
        yield* refusal({ dataDirectory }, unusable(dataDirectory, /service\.db can't be written/))
      }).pipe(Effect.scoped)
  )

  it.live("has a database that no other program can lock during the run, so each call is billed", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* usedDirectory
      const other = Effect.provide(Effect.scoped(lockDatabase(dataDirectory)), Reactivity.layer)
      yield* during({ dataDirectory }, function* ({ ask, synthesize, transcribe }) {
        expect(yield* Effect.flip(other)).toMatchObject({ cause: { code: "SQLITE_BUSY" } })
        yield* synthesize({ text: "abc" })
        expect(yield* Effect.flip(other)).toMatchObject({ cause: { code: "SQLITE_BUSY" } })
        yield* transcribe(validForm())
        expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 1, credits: 3 }, { calls: 1 }])
      })
      yield* other
    })
  )

  it.live("that was deleted during the run gives 500 to a transcription of a long recording", () =>
    Effect.gen(function* () {
      const dataDirectory = newPath()
      yield* during({ dataDirectory }, function* ({ ask, transcribe }) {
        fs.rmSync(dataDirectory, { recursive: true })
        const long = form(...fields, file(wav({ samples: 600_000 })))
        expect((yield* transcribe(long, {}, { failing: true })).status).toBe(500)
        expect((yield* ask("GET", "/usage")).json()).toEqual([])
      })
    })
  )

  it.live(
    "holds an upload of more than 1 MiB in a file that only its owner can read, and keeps one of more than 256 KiB in one, until the journal is cleared or the service ends",
    () =>
      Effect.gen(function* () {
        const dataDirectory = newPath()
        const folder = join(dataDirectory, temporaryFolder)
        const files = Effect.sync(() => fs.readdirSync(folder))
        yield* during({ dataDirectory }, function* ({ ask, key, raw, transcribe }) {
          const body = form(...fields, file(wav({ samples: 600_000 })))
          const head = transcriptionRequest(key, "", { "Content-Length": body.length })
          const call = yield* Effect.fork(
            raw("stt", [head, body.subarray(0, 1_150_000), 300, body.subarray(1_150_000)])
          )
          const modes = Effect.sync(() =>
            fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).mode & 0o777)
          )
          expect(yield* eventually(modes, (found) => found.length > 0)).toEqual([0o600])
          expect((yield* Fiber.join(call)).answer.status).toBe(200)
          yield* transcribe(form(...fields, file("hello")))
          expect(yield* modes).toEqual([0o600, 0o600])
          expect((yield* ask("DELETE", "/requests")).status).toBe(204)
          yield* eventually(files, (found) => found.length === 0)
          yield* transcribe(form(...fields, file(wav({ samples: 200_000 }))))
          expect(yield* eventually(modes, (found) => found.length > 0)).toEqual([0o600])
        })
        expect(yield* files).toEqual([])
      })
  )
})

describe("services in one process", () => {
  it.live("share nothing", () =>
    Effect.gen(function* () {
      const contexts = yield* Effect.all(
        Array.from({ length: 3 }, () => Layer.build(cannedService())),
        { concurrency: "unbounded" }
      )
      const boxes = yield* Effect.forEach(contexts, (context) => Effect.provide(blackBox, context))
      const urls = boxes.flatMap(({ service }) => [service.sttBaseUrl, service.ttsBaseUrl, service.platformUrl])
      expect(new Set(urls).size).toBe(9)
      expect(new Set(boxes.map(({ key }) => key)).size).toBe(3)
      const [first, second, third] = boxes
      yield* first?.ask("PATCH", "/account", { state: "closed" }) ?? Effect.void
      const answers = yield* Effect.all(
        boxes.map(({ synthesize }) => synthesize({ text: "a" })),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status)).toEqual([401, 200, 200])
      const foreign = yield* second?.synthesize({ text: "a" }, { "X-API-Key": third?.key ?? "" }) ?? Effect.die("")
      expect(foreign.status).toBe(401)
    }).pipe(Effect.scoped)
  )

  const withTemporaryFolder = <A, E, R>(folder: string, effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => vi.stubEnv("TMPDIR", folder)),
      () => effect,
      () => Effect.sync(() => vi.unstubAllEnvs())
    )

  it.live("without a temporary folder do not start, and say what to do", () => {
    const missing = newPath()
    const message = /can't be written \(ENOENT\); set TMPDIR to a folder/
    return withTemporaryFolder(missing, refusal({}, unusable(missing, message)))
  })

  it.live("work on if something cleans up the temporary folder", () => {
    const folder = folderOf({})
    const cleaned = during({}, function* (box) {
      for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name), { recursive: true })
      yield* transcriptOf(box, sound(200))
      expect((yield* box.service.requests).at(-1)).toMatchObject({ status: 200 })
    })
    return withTemporaryFolder(folder, cleaned)
  })

  it.live("without a data directory remove what a service that was killed has left, and nothing else", () => {
    const name = (process: string | number, random = "XXXXXX") => `effect-speech-local-service-${process}-${random}`
    // The largest id of a process is smaller, on any system.
    const gone = name(4_194_305)
    const kept = {
      // It has no lock, so another program made it.
      [`${name(4_194_306)}/${randomUUID()}`]: "a recording",
      [`${name(4_194_307)}/letter.txt`]: "a letter",
      [`${name(4_194_307)}/lock.db`]: "",
      // Its process runs.
      [`${name(process.pid)}/${randomUUID()}`]: "a recording",
      [`${name(process.pid)}/lock.db`]: "",
      [`effect-speech-abcdef/${randomUUID()}`]: "of another command"
    }
    const folder = folderOf({ ...kept, [`${gone}/${randomUUID()}`]: "a recording", [`${gone}/lock.db`]: "" })
    return withTemporaryFolder(
      folder,
      during({}, function* () {
        expect(yield* Effect.sync(() => fs.readdirSync(folder))).not.toContain(gone)
        for (const path of Object.keys(kept)) {
          if (!path.includes("4194307-XXXXXX/lock")) expect(fs.existsSync(join(folder, path)), path).toBe(true)
        }
      })
    )
  })

  it.live.skipIf(process.platform === "win32")(
    "without a data directory keep the files of one that another container runs, where the ids of processes differ",
    () => {
      const folder = folderOf({})
      const other = "effect-speech-local-service-4194305-XXXXXX"
      return withTemporaryFolder(
        folder,
        during({}, function* () {
          const [own = ""] = fs.readdirSync(folder)
          expect(own).toMatch(new RegExp(`^effect-speech-local-service-${process.pid}-`))
          fs.renameSync(join(folder, own), join(folder, other))
          yield* during({}, function* () {
            expect(yield* Effect.sync(() => fs.readdirSync(folder))).toContain(other)
          })
          fs.renameSync(join(folder, other), join(folder, own))
        })
      )
    }
  )

  it.live("leave no folder and no open port behind", () => {
    const folder = folderOf({})
    const ended = during({}, function* ({ service, synthesize }) {
      yield* synthesize({ text: "a" })
      return [service.sttBaseUrl, service.ttsBaseUrl, service.platformUrl]
    })
    return Effect.gen(function* () {
      const urls = yield* withTemporaryFolder(folder, ended)
      expect(fs.readdirSync(folder)).toEqual([])
      for (const url of urls) yield* Effect.promise(() => expect(fetch(url)).rejects.toThrow("fetch failed"))
    })
  })

  it.live("stop while requests are under way", () =>
    during({}, function* ({ service, synthesize }) {
      yield* Effect.fork(Effect.exit(synthesize({ text: "(never)" }, {}, { failing: true })))
      yield* eventually(service.requests, (entries) => entries.some(({ keyId }) => keyId !== null))
    })
  )
})

describe("recordings", () => {
  it.live(
    "of a folder are known to the models of their language, also after a reset, whatever its path looks like",
    () =>
      Effect.gen(function* () {
        const folder = folderOf({
          "low.wav": sound(200),
          "low.txt": "low\n",
          "hi/high.WAV": sound(330),
          "hi/high.txt": "ऊँचा",
          "notes.md": "no recording"
        })
        for (const recordings of [folder, `${folder}/`, relative(".", folder)]) {
          yield* during({ recordings }, function* (box) {
            yield* box.ask("POST", "/reset")
            expect(yield* transcriptOf(box, sound(200), "en-general-v2-8khz")).toBe("low")
            expect(yield* transcriptOf(box, sound(200), "hi-banking-v2-8khz")).toBe("low")
            expect(yield* transcriptOf(box, sound(330), "hi-general-v2-8khz")).toBe("ऊँचा")
            expect(yield* transcriptOf(box, sound(330), "en-general-v2-8khz")).toBe("")
          })
        }
      })
  )

  it.live("can be taught one by one until a reset", () =>
    during({}, function* (box) {
      const path = join(folderOf({ "440.wav": sound(440) }), "440.wav")
      yield* box.service.teach({ path, text: "taught", lang: "en" })
      expect(yield* transcriptOf(box, sound(440))).toBe("taught")
      expect(yield* transcriptOf(box, sound(440), "hi-general-v2-8khz")).toBe("")
      yield* box.service.reset()
      expect(yield* transcriptOf(box, sound(440))).toBe("")
    })
  )

  it.live("that are unreadable are refused with their path", () =>
    Effect.gen(function* () {
      const pipe = folderOf({ "a.txt": "text" })
      execFileSync("mkfifo", [join(pipe, "a.wav")])
      const missing = newPath()
      const silent = folderOf({ "a.wav": "no sound", "a.txt": "text" })
      for (const [recordings, name, message] of [
        [missing, "", "can't be read (ENOENT)"],
        [folderOf({ "a.wav": sound(200) }), "a.wav", "a.txt can't be read"],
        [
          folderOf({ "a.wav": sound(200), "a.txt": Buffer.from("caf\u00e9", "latin1") }),
          "a.wav",
          "a.txt is not text in UTF-8"
        ],
        [silent, "a.wav", "not a WAV file"],
        [pipe, "a.wav", "a.wav can't be taught: it is not a file"],
        [
          folderOf({ "customers/a.wav": sound(200), "customers/a.txt": "text" }),
          "customers/a.wav",
          "no model has the language customers"
        ]
      ] as const) {
        const facts = { _tag: "LocalServiceRecordingUnusable", path: join(recordings, name) }
        yield* refusal({ recordings }, { ...facts, message: expect.stringContaining(message) })
      }
      yield* during({}, function* ({ service }) {
        const path = join(silent, "none.wav")
        const error = yield* Effect.flip(service.teach({ path, text: "x" }))
        expect(error).toMatchObject({ _tag: "LocalServiceRecordingUnusable", path })
        expect(error.message).toContain("none.wav can't be taught: the file can't be read (ENOENT)")
      })
    })
  )
})
