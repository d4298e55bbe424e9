import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import type { LocalService, LocalServiceOptions } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { field, fields, file, form, formType, validForm, wav } from "./support/messages.js"
import { blackBox, cannedService, eventually } from "./support/service.js"

const root = mkdtempSync(`${tmpdir()}/lifetime-`)
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0
const newFolder = () => join(root, String(++folders))

/** A service for as long as it is used. */
const during = <A, E, R>(options: LocalServiceOptions, use: Effect.Effect<A, E, R | LocalService>) =>
  Effect.provide(use, cannedService(options))

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))

/** A second of a sound that is no other's. */
const sound = (frequency: number) => {
  const recording = wav()
  for (let index = 0; index < 8000; index++) {
    const chirp = Math.sin((2 * Math.PI * frequency * index) / 8000 + 4 * Math.sin(index / 400))
    recording.writeInt16LE(Math.round(8000 * chirp), 44 + index * 2)
  }
  return recording
}
const asked = (recording: Uint8Array, model = "en-general-v2-8khz") =>
  form(field("model", model), fields[1] ?? Buffer.alloc(0), file(recording))

describe("a data directory", () => {
  it.live("keeps keys, credit and usage, and of the keys no secret", () =>
    Effect.gen(function* () {
      const dataDirectory = newFolder()
      const kept = yield* during(
        { dataDirectory, credits: 1000 },
        Effect.gen(function* () {
          const { ask, key, synthesize, transcribe } = yield* blackBox
          yield* synthesize({ text: "नमस्ते" })
          yield* transcribe(validForm())
          const created = (yield* ask("POST", "/keys", { name: "mine", confirm: true })).json()
          const answers = yield* Effect.all([ask("GET", "/account"), ask("GET", "/usage")])
          const written = filesOf(dataDirectory)
          return { secrets: [key, created.key], id: created.id, answers: answers.map((each) => each.json()), written }
        })
      )
      yield* during(
        { dataDirectory, credits: 7 },
        Effect.gen(function* () {
          const { ask } = yield* blackBox
          const answers = yield* Effect.all([ask("GET", "/account"), ask("GET", "/usage")])
          expect(answers.map((each) => each.json())).toEqual(kept.answers)
          expect(kept.answers[0]).toEqual({ state: "active", credits: 1000 - 6 - 1 })
          const keys = (yield* ask("GET", "/keys")).json()
          expect(keys.archived).toMatchObject([{ id: kept.id, name: "mine" }, { name: "local" }])
        })
      )
      for (const content of [...kept.written, ...filesOf(dataDirectory)]) {
        for (const key of kept.secrets) {
          expect(content.includes(key)).toBe(false)
          expect(content.includes(key.split(".")[1] ?? "")).toBe(false)
        }
      }
    })
  )

  it.live("is one service's at a time, and free again after it", () =>
    Effect.gen(function* () {
      const dataDirectory = newFolder()
      const build = Effect.scoped(Layer.build(cannedService({ dataDirectory })))
      const error = yield* during({ dataDirectory }, Effect.flip(build))
      expect(error).toMatchObject({
        _tag: "DataDirectoryUnusable",
        directory: dataDirectory,
        message: expect.stringContaining("in use by another local service")
      })
      yield* build
    })
  )

  it.live("that is none is refused, and told by its path", () =>
    Effect.gen(function* () {
      const path = newFolder()
      writeFileSync(path, "a file")
      const ofFile = yield* Effect.flip(Effect.scoped(Layer.build(cannedService({ dataDirectory: path }))))
      expect(ofFile).toMatchObject({ _tag: "DataDirectoryUnusable", message: expect.stringContaining(path) })
      const folder = newFolder()
      yield* Effect.promise(async () => {
        await mkdir(folder)
        await writeFile(join(folder, "service.db"), "no database, ".repeat(1000))
      })
      const ofDamaged = yield* Effect.flip(Effect.scoped(Layer.build(cannedService({ dataDirectory: folder }))))
      expect(ofDamaged).toMatchObject({ _tag: "DataDirectoryUnusable", directory: folder })
    })
  )

  it.live.each(["a b", "a%20b", "100%", "a#b", "a?b=c", "a'b", "नया"])("is the one that is named: %s", (name) =>
    Effect.gen(function* () {
      const dataDirectory = join(newFolder(), name)
      yield* during(
        { dataDirectory },
        Effect.flatMap(blackBox, ({ synthesize }) => synthesize({ text: "a" }))
      )
      expect(readdirSync(dataDirectory)).toEqual(expect.arrayContaining(["lock.db", "service.db"]))
      expect(readdirSync(join(dataDirectory, ".."))).toEqual([name])
    })
  )

  it.live("that is of another program, a later version or damaged further in is refused, and stays as it is", () =>
    Effect.gen(function* () {
      const whole = newFolder()
      yield* during({ dataDirectory: whole }, Effect.void)
      const pages = readFileSync(join(whole, "service.db"))
      // 4 kB each. The version of the tables is in the head of the first: without regard to that, what they hold is.
      const later = Buffer.from(pages)
      later.writeUInt32BE(2, 60)
      const empty = Buffer.from(pages)
      empty.fill(0xff, 4096)
      const notes = Buffer.from(pages.toString("latin1").replaceAll("account", "accents"), "latin1")
      const unversioned = Buffer.from(pages)
      unversioned.writeUInt32BE(0, 60)
      for (const content of [later, empty, notes, unversioned]) {
        const folder = newFolder()
        yield* Effect.promise(async () => {
          await mkdir(folder)
          await writeFile(join(folder, "service.db"), content)
        })
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(cannedService({ dataDirectory: folder }))))
        expect(refused).toMatchObject({ _tag: "DataDirectoryUnusable", directory: folder })
        expect(readFileSync(join(folder, "service.db")).equals(content)).toBe(true)
      }
    })
  )

  it.live("that can no longer be written is a failure of the service, and not of who sends a recording", () =>
    Effect.gen(function* () {
      const dataDirectory = newFolder()
      yield* during(
        { dataDirectory },
        Effect.gen(function* () {
          const { ask, send, key } = yield* blackBox
          rmSync(dataDirectory, { recursive: true })
          const headers = { "X-Api-Key": key, "Content-Type": formType }
          const answer = yield* send("stt", { path: "/api/transcribe", headers, body: validForm() }, { failing: true })
          expect(answer.status).toBe(500)
          expect((yield* ask("GET", "/usage")).json()).toEqual([])
        })
      )
    })
  )

  it.live("holds no recording and no speech once a call has ended", () =>
    Effect.gen(function* () {
      const dataDirectory = newFolder()
      yield* during(
        { dataDirectory },
        Effect.gen(function* () {
          const { synthesize, transcribe } = yield* blackBox
          yield* synthesize({ text: "a" })
          yield* transcribe(validForm())
          yield* transcribe(form(...fields, file("hello")))
        })
      )
      const spooled = Effect.sync(() => readdirSync(join(dataDirectory, "spool")))
      expect(yield* eventually(spooled, (files) => files.length === 0)).toEqual([])
    })
  )
})

describe("many services", () => {
  it.live("in one process are strangers to one another", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const contexts = yield* Effect.all(
          Array.from({ length: 10 }, () => Layer.build(cannedService())),
          { concurrency: "unbounded" }
        )
        const boxes = yield* Effect.forEach(contexts, (context) => Effect.provide(blackBox, context))
        expect(
          new Set(boxes.flatMap(({ service }) => [service.sttBaseUrl, service.ttsBaseUrl, service.platformUrl])).size
        ).toBe(30)
        expect(new Set(boxes.map(({ key }) => key)).size).toBe(10)
        yield* boxes[0]?.ask("PATCH", "/account", { state: "closed" }) ?? Effect.void
        const answers = yield* Effect.all(
          boxes.map(({ synthesize }) => synthesize({ text: "a" })),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ status }) => status)).toEqual([401, ...Array.from({ length: 9 }, () => 200)])
        const foreign = yield* boxes[1]?.synthesize({ text: "a" }, { "X-API-Key": boxes[2]?.key ?? "" }) ??
          Effect.die("")
        expect(foreign.status).toBe(401)
      })
    )
  )

  it.live("leave no folder, and nobody listens once they have ended", () =>
    Effect.gen(function* () {
      const before = process.env.TMPDIR
      const folder = newFolder()
      yield* Effect.promise(() => mkdir(folder))
      process.env.TMPDIR = folder
      const urls = yield* during(
        {},
        Effect.gen(function* () {
          const { service, synthesize } = yield* blackBox
          yield* synthesize({ text: "a" })
          return [service.sttBaseUrl, service.ttsBaseUrl, service.platformUrl]
        })
      )
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      expect(readdirSync(folder)).toEqual([])
      for (const url of urls) {
        const outcome = yield* Effect.promise(() =>
          fetch(url).then(
            () => "answered",
            () => "refused"
          )
        )
        expect(outcome).toBe("refused")
      }
    })
  )

  it.live("end while requests are under way", () =>
    Effect.gen(function* () {
      const scoped = during(
        {},
        Effect.gen(function* () {
          const { service, synthesize } = yield* blackBox
          yield* Effect.fork(Effect.exit(synthesize({ text: "(never)" }, {}, { failing: true })))
          yield* eventually(service.requests, (entries) => entries.some(({ keyId }) => keyId !== null))
        })
      )
      const started = performance.now()
      yield* scoped
      expect(performance.now() - started).toBeLessThan(5000)
    })
  )
})

describe("recordings", () => {
  it.live.each(["absolute", "with a slash", "relative"])(
    "of a folder are known, those of a language to its models, the others to all: its path is %s",
    (spelling) =>
      Effect.gen(function* () {
        const recordings = newFolder()
        yield* Effect.promise(async () => {
          await mkdir(join(recordings, "hi"), { recursive: true })
          await writeFile(join(recordings, "low.wav"), sound(200))
          await writeFile(join(recordings, "low.txt"), "low\n")
          await writeFile(join(recordings, "hi", "high.WAV"), sound(330))
          await writeFile(join(recordings, "hi", "high.txt"), "ऊँचा")
          await writeFile(join(recordings, "notes.md"), "no recording")
        })
        const written =
          { "with a slash": `${recordings}/`, relative: relative(".", recordings) }[spelling] ?? recordings
        yield* during(
          { recordings: written },
          Effect.gen(function* () {
            const { ask, transcribe } = yield* blackBox
            const heard = (recording: Uint8Array, model: string) =>
              Effect.map(transcribe(asked(recording, model)), (answer) => answer.json().text)
            for (let times = 0; times < 2; times++) {
              expect(yield* heard(sound(200), "en-general-v2-8khz")).toBe("low")
              expect(yield* heard(sound(200), "hi-banking-v2-8khz")).toBe("low")
              expect(yield* heard(sound(330), "hi-general-v2-8khz")).toBe("ऊँचा")
              expect(yield* heard(sound(330), "en-general-v2-8khz")).toBe("")
              // They are known again after a reset.
              yield* ask("POST", "/reset")
            }
          })
        )
      })
  )

  it.live("can be taught one by one, and are forgotten at a reset", () =>
    Effect.gen(function* () {
      const path = `${newFolder()}.wav`
      writeFileSync(path, sound(440))
      yield* during(
        {},
        Effect.gen(function* () {
          const { service, transcribe } = yield* blackBox
          yield* service.teach({ path, text: "taught", lang: "en" })
          expect((yield* transcribe(asked(sound(440)))).json().text).toBe("taught")
          expect((yield* transcribe(asked(sound(440), "hi-general-v2-8khz"))).json().text).toBe("")
          yield* service.reset()
          expect((yield* transcribe(asked(sound(440)))).json().text).toBe("")
        })
      )
    })
  )

  it.live("that can't be read are told by their path", () =>
    Effect.gen(function* () {
      const missing = newFolder()
      const start = (recordings: string) => Effect.flip(Effect.scoped(Layer.build(cannedService({ recordings }))))
      expect(yield* start(missing)).toMatchObject({ _tag: "RecordingUnusable", path: missing })

      const folder = newFolder()
      yield* Effect.promise(async () => {
        await mkdir(folder)
        await writeFile(join(folder, "a.wav"), sound(200))
      })
      expect(yield* start(folder)).toMatchObject({
        _tag: "RecordingUnusable",
        path: join(folder, "a.wav"),
        message: expect.stringContaining("a.txt can't be read")
      })
      yield* Effect.promise(async () => {
        await writeFile(join(folder, "a.wav"), "no sound")
        await writeFile(join(folder, "a.txt"), "text")
      })
      expect(yield* start(folder)).toMatchObject({ _tag: "RecordingUnusable", path: join(folder, "a.wav") })

      const ofCustomers = newFolder()
      yield* Effect.promise(async () => {
        await mkdir(join(ofCustomers, "customers"), { recursive: true })
        await writeFile(join(ofCustomers, "customers", "a.wav"), sound(200))
        await writeFile(join(ofCustomers, "customers", "a.txt"), "text")
      })
      expect((yield* start(ofCustomers)).message).toContain("no model has the language customers")

      yield* during(
        {},
        Effect.gen(function* () {
          const { service } = yield* blackBox
          const error = yield* Effect.flip(service.teach({ path: join(folder, "none.wav"), text: "x" }))
          expect(error).toMatchObject({
            _tag: "RecordingUnusable",
            path: join(folder, "none.wav"),
            message: expect.stringContaining("none.wav can't be taught: the file can't be read (ENOENT)")
          })
        })
      )
    })
  )
})
