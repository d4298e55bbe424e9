import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { Archive, Operation, type RunRequest, Source, Worker } from "@effect-speech/archive"
import { TextToSpeech } from "@effect-speech/tts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import Database from "libsql"
import {
  changedFileSystem,
  done,
  ended,
  failed,
  folder,
  inProcess,
  item,
  known,
  request,
  runOnce,
  systemError,
  until,
  worker
} from "./support/double.js"

const storeOf = (directory: string) => join(directory, "runs.db")

const transcribing = (directory: string, double: Worker.Worker, fs = NodeFileSystem.layer) =>
  Layer.provide(Archive.layerEmbedded({ path: storeOf(directory), workers: [double] }), fs)

/** Changes what an archive has stored, as an earlier version or a crash would have left it. */
const change = (directory: string, sql: string) => {
  const database = new Database(storeOf(directory))
  database.exec(sql)
  database.close()
}

const answering = (text: string) => ({ ...done, result: { text, segments: [], warnings: [] } })

/** While the disk is full, no text can be written. */
const disk = () => {
  const state = { isFull: false }
  const layer = changedFileSystem((fs) => ({
    writeFileString: (...args) =>
      state.isFull ? Effect.fail(systemError("writeFile", "ENOSPC")) : fs.writeFileString(...args)
  }))
  return { state, layer }
}

/** The request, whose first recording has another size. */
const withChange = (asked: RunRequest): RunRequest => ({
  ...asked,
  source: { ...asked.source, items: () => Stream.make({ ...item(1), size: 99 }) }
})

describe("the transcripts of a run", () => {
  const textAt = (directory: string, index: number) => join(directory, "out", `${item(index).path}.txt`)
  const read = (path: string) => readFileSync(path, "utf8")

  it.scopedLive("are those of the recordings as they are now, also after one could not be written", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      let text = "one"
      const { layer, state } = disk()
      const archive = transcribing(directory, worker(() => answering(text)).worker, layer)
      const run = yield* runOnce(archive, request(directory, 1))
      expect(read(textAt(directory, 1))).toBe("one\n")
      // The recording changes, and its new transcript has as many bytes.
      text = "two"
      state.isFull = true
      const lacking = yield* Effect.flip(runOnce(archive, withChange(request(directory, 1))))
      expect(lacking).toMatchObject({ _tag: "ArchiveOutputFailed", code: "ENOSPC", path: textAt(directory, 1) })
      expect(read(textAt(directory, 1))).toBe("one\n")
      state.isFull = false
      yield* inProcess(archive, ({ export: write }) => write(run.id))
      expect(read(textAt(directory, 1))).toBe("two\n")

      // Back to the first: it is not called again, and its transcript is its own.
      const back = yield* runOnce(archive, request(directory, 1))
      expect(read(textAt(directory, 1))).toBe("one\n")
      expect(back.output).toMatchObject({ written: 1, changed: 0 })
    })
  )

  it.scopedLive("replace what was there before the run, although its size is the same", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const { layer, state } = disk()
      const archive = transcribing(directory, worker(() => answering("new")).worker, layer)
      mkdirSync(join(directory, "out", "calls"), { recursive: true })
      writeFileSync(textAt(directory, 1), "old\n")
      utimesSync(textAt(directory, 1), 1_000, 1_000)
      state.isFull = true
      yield* Effect.flip(runOnce(archive, request(directory, 1)))
      expect(read(textAt(directory, 1))).toBe("old\n")
      state.isFull = false
      expect((yield* runOnce(archive, request(directory, 1))).output).toMatchObject({ files: 1, written: 1 })
      expect(read(textAt(directory, 1))).toBe("new\n")
    })
  )

  it.scopedLive("are written again by a run if they are missing or empty; what somebody has changed is kept", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const { calls, worker: double } = worker()
      const archive = transcribing(directory, double)
      const first = yield* runOnce(archive, request(directory, 4))
      expect(first.output).toEqual({ files: 4, written: 0, changed: 0, gone: 0, goneCost: 0, goneFiles: [] })
      rmSync(textAt(directory, 1))
      truncateSync(textAt(directory, 2))
      writeFileSync(textAt(directory, 3), "corrected by hand\n")
      const second = yield* runOnce(archive, request(directory, 4))
      expect(second.output).toMatchObject({ files: 4, written: 2, changed: 1 })
      expect([1, 2, 3].map((index) => read(textAt(directory, index)))).toEqual([
        "नमस्ते\n",
        "नमस्ते\n",
        "corrected by hand\n"
      ])
      const report = yield* inProcess(archive, ({ repair }) => repair(second.id))
      expect(report).toMatchObject({ files: 4, written: 1, changed: 0 })
      expect(read(textAt(directory, 3))).toBe("नमस्ते\n")
      expect(calls.begun.length).toBe(4)
    })
  )

  it.scopedLive("that somebody has changed are kept, although an earlier recording of their name had failed", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker((_, { begun }) => (begun.length === 1 ? failed("BadRequest") : done))
      const archive = transcribing(directory, double.worker)
      yield* runOnce(archive, request(directory, 1))
      expect(yield* runOnce(archive, withChange(request(directory, 1)))).toMatchObject({
        counts: { done: 1, failed: 0 }
      })
      writeFileSync(textAt(directory, 1), "corrected by hand\n")
      const again = yield* runOnce(archive, withChange(request(directory, 1)))
      expect(again.output).toMatchObject({ written: 0, changed: 1 })
      expect(read(textAt(directory, 1))).toBe("corrected by hand\n")
    })
  )

  it.scopedLive("with other words of the same size are found by a repair", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const archive = transcribing(directory, worker(() => answering("one")).worker)
      const { id } = yield* runOnce(archive, request(directory, 2))
      writeFileSync(textAt(directory, 2), "two\n", { mode: 0o640 })
      const mode = statSync(textAt(directory, 2)).mode
      expect((yield* runOnce(archive, request(directory, 2))).output).toMatchObject({ written: 0, changed: 0 })
      expect(yield* inProcess(archive, ({ repair }) => repair(id))).toMatchObject({ written: 1 })
      expect(read(textAt(directory, 2))).toBe("one\n")
      expect(statSync(textAt(directory, 2)).mode).toBe(mode)
    })
  )

  it.scopedLive("need no kept pieces any more, also if their process ended before it removed them", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const archive = transcribing(directory, worker().worker)
      const { id } = yield* runOnce(archive, request(directory, 1))
      const [file] = yield* inProcess(archive, ({ results }) => Stream.runCollect(results(id)))
      const pieces = join(directory, "out", ".pieces")
      for (const name of [file?.callId ?? "", "of another file"]) {
        mkdirSync(join(pieces, name), { recursive: true })
        writeFileSync(join(pieces, name, "piece.json"), "{}")
      }
      yield* runOnce(archive, request(directory, 1))
      expect(readdirSync(pieces)).toEqual(["of another file"])
    })
  )

  it.scopedLive("and the results can be read by their owner alone", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* runOnce(transcribing(directory, worker().worker), request(directory, 1))
      const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
      expect(modeOf(textAt(directory, 1))).toBe("600")
      expect(modeOf(join(directory, "out", "results.jsonl"))).toBe("600")
      expect(modeOf(join(directory, "out", "calls"))).toBe("700")
    })
  )

  it.scopedLive("are exported to one folder by two processes at once", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const archive = transcribing(directory, worker().worker)
      const { id } = yield* runOnce(archive, request(directory, 12))
      const client = Archive.layerClient({ path: storeOf(directory) })
      const other = join(directory, "other")
      for (let round = 0; round < 3; round++) {
        rmSync(other, { recursive: true, force: true })
        const exporting = inProcess(client, ({ export: write }) => write(id, { directory: other }))
        yield* Effect.all([exporting, exporting, exporting], { concurrency: "unbounded" })
        expect(readdirSync(join(other, "calls")).length).toBe(12)
        expect(readdirSync(other).toSorted()).toEqual(["calls", "results.jsonl"])
      }
    })
  )

  it.scopedLive("are written in the format of the run, if that changes, and agree with it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const { calls, worker: double } = worker()
      const archive = transcribing(directory, double)
      yield* runOnce(archive, request(directory, 2))
      const asJson = request(directory, 2, { output: { directory: join(directory, "out"), format: "json" } })
      expect((yield* runOnce(archive, asJson)).output).toMatchObject({ files: 2, written: 2 })
      expect((yield* runOnce(archive, asJson)).output).toMatchObject({ written: 0, changed: 0 })
      const json = join(directory, "out", `${item(1).path}.json`)
      expect(JSON.parse(read(json))).toMatchObject({ text: "नमस्ते" })
      // As text it was written by another run of the same.
      expect((yield* runOnce(archive, request(directory, 2))).output).toMatchObject({ written: 0, changed: 0 })
      expect(calls.begun.length).toBe(2)
    })
  )

  it.scopedLive("of an earlier version are compared with their results, and known from then on", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const archive = transcribing(directory, worker().worker)
      yield* runOnce(archive, request(directory, 3))
      change(directory, "UPDATE archive_files SET output_size = NULL, output_digest = NULL")
      truncateSync(textAt(directory, 2))
      expect((yield* runOnce(archive, request(directory, 3))).output).toMatchObject({ written: 1, changed: 0 })
      const database = new Database(storeOf(directory))
      const known = database
        .prepare("SELECT DISTINCT output_size, length(output_digest) AS digest FROM archive_files")
        .all()
      database.close()
      expect(known).toEqual([{ output_size: 19, digest: 16 }])
    })
  )

  it.scopedLive.each(["the next process that opens the store", "a resume of a run that has ended"])(
    "and the results are written by %s, if they are due",
    (who) =>
      Effect.gen(function* () {
        const directory = yield* folder
        const archive = transcribing(directory, worker().worker)
        const inTheWay = join(directory, "out", "results.jsonl")
        mkdirSync(join(inTheWay, "folder"), { recursive: true })
        expect(yield* Effect.flip(runOnce(archive, request(directory, 2)))).toMatchObject({
          _tag: "ArchiveOutputFailed"
        })
        rmSync(inTheWay, { recursive: true })
        rmSync(textAt(directory, 2))
        const isResumed = who.startsWith("a resume")
        if (!isResumed) change(directory, "UPDATE archive_runs SET updated_at = updated_at - 10000")
        const status = yield* inProcess(archive, (service) =>
          Effect.gen(function* () {
            const id = known((yield* service.runs)[0])
            if (!isResumed) {
              return yield* Effect.repeat(Effect.delay(service.status(id), 100), {
                until: ({ resultsDue }) => !resultsDue
              })
            }
            expect(yield* service.resume(id)).toMatchObject({ state: "ended", resultsDue: true })
            return yield* ended(service, id)
          })
        )
        expect(status).toMatchObject({ resultsDue: false })
        expect(read(inTheWay).trimEnd().split("\n").length).toBe(2)
        expect(existsSync(textAt(directory, 2))).toBe(true)
      })
  )

  it.scopedLive("are not those of an earlier recording whose answer was late", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const late = yield* Deferred.make<void>()
      const path = textAt(directory, 1)
      const { calls, worker: double } = worker((_, { begun }) =>
        begun.length === 1 ? Effect.as(Deferred.await(late), answering("one")) : answering("two")
      )
      const status = yield* inProcess(transcribing(directory, double), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 1))
          yield* until(() => calls.begun.length === 1)
          yield* archive.start(withChange(request(directory, 1)))
          yield* until(() => existsSync(path))
          yield* Deferred.succeed(late, undefined)
          return yield* ended(archive, id)
        })
      )
      expect(status).toMatchObject({ counts: { done: 1 }, output: { changed: 0 } })
      expect(read(path)).toBe("two\n")
    })
  )

  it.scopedLive("are all written but the one whose place is taken", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const archive = transcribing(directory, worker().worker)
      const { id } = yield* runOnce(archive, request(directory, 5))
      for (let index = 1; index <= 5; index++) rmSync(textAt(directory, index))
      mkdirSync(join(textAt(directory, 2), "folder"), { recursive: true })
      const error = yield* Effect.flip(inProcess(archive, ({ repair }) => repair(id)))
      expect(error).toMatchObject({ _tag: "ArchiveOutputFailed", code: "EISDIR", path: textAt(directory, 2) })
      expect([1, 3, 4, 5].map((index) => existsSync(textAt(directory, index)))).toEqual([true, true, true, true])
    })
  )
})

describe("the audio of a run", () => {
  const audioAt = (directory: string, name: string) => join(directory, "out", `${name}.wav`)

  /** Audio that is as long for each text, and different. */
  const speaking = (late?: Deferred.Deferred<void>) =>
    TextToSpeech.layerTest(({ text }) =>
      Effect.as(late !== undefined && text === "late" ? Deferred.await(late) : Effect.void, {
        bytes: new Uint8Array(8_000).fill(text.charCodeAt(0)),
        outputFormat: "8000:pcm16"
      })
    )

  const place = (late?: Deferred.Deferred<void>) =>
    Effect.gen(function* () {
      const directory = yield* folder
      const context = yield* Layer.build(Layer.merge(speaking(late), NodeFileSystem.layer))
      const layer = Layer.provide(
        Archive.layerEmbedded({ path: storeOf(directory), workers: [Worker.synthesis] }),
        Layer.succeedContext(context)
      )
      const calls = Effect.map(Effect.provide(TextToSpeech.calls, context), (sent) => sent.map(({ text }) => text))
      const asked = (texts: Readonly<Record<string, string>>): RunRequest => ({
        source: Source.texts(Stream.fromIterable(Object.entries(texts).map(([id, text]) => ({ id, text }))), {
          root: "texts",
          description: "texts"
        }),
        operation: Operation.synthesize({ outputFormat: "8000:pcm16" }),
        output: { directory: join(directory, "out"), format: "wav" }
      })
      /** The character that the samples of a file were made of. */
      const spoken = (name: string) => String.fromCharCode(readFileSync(audioAt(directory, name))[50] ?? 0)
      return { directory, layer, calls, asked, spoken }
    })

  it.scopedLive("that is of another text is told, with its cost, and made again only if asked for", () =>
    Effect.gen(function* () {
      const { asked, calls, directory, layer, spoken } = yield* place()
      const first = yield* runOnce(layer, asked({ a: "Aaa", c: "C" }))
      expect(first.output).toMatchObject({ files: 2, gone: 0 })
      yield* runOnce(layer, asked({ a: "Bbbb", c: "C" }))
      expect(spoken("a")).toBe("B")
      const back = yield* runOnce(layer, asked({ a: "Aaa", c: "C" }))
      const gone = { files: 2, written: 0, gone: 1, goneCost: 3, goneFiles: [audioAt(directory, "a")] }
      expect(back).toMatchObject({ state: "ended", counts: { done: 2 }, output: gone })
      expect(yield* calls).toEqual(["Aaa", "C", "Bbbb"])

      expect(yield* inProcess(layer, ({ repair }) => repair(back.id))).toMatchObject(gone)
      expect(yield* calls).toEqual(["Aaa", "C", "Bbbb"])
      const repaired = yield* inProcess(layer, (archive) =>
        Effect.zipRight(archive.repair(back.id, { synthesize: true }), ended(archive, back.id))
      )
      expect(repaired).toMatchObject({ state: "ended", counts: { done: 2 }, output: { gone: 0 } })
      expect(repaired.credits).toBe(3 + 1 + 4 + 3)
      expect(spoken("a")).toBe("A")
      expect(yield* calls).toEqual(["Aaa", "C", "Bbbb", "Aaa"])
    })
  )

  it.scopedLive("that is missing or empty is told at the end of a run; an export writes all others", () =>
    Effect.gen(function* () {
      const { asked, calls, directory, layer } = yield* place()
      const texts = { a: "Aa", b: "Bb", c: "Cc", d: "Dd" }
      const { id } = yield* runOnce(layer, asked(texts))
      rmSync(audioAt(directory, "a"))
      truncateSync(audioAt(directory, "b"))
      truncateSync(audioAt(directory, "c"), 4_000)
      const gone = { files: 4, gone: 3, goneCost: 6 }
      expect((yield* runOnce(layer, asked(texts))).output).toMatchObject(gone)
      const other = join(directory, "other")
      const report = yield* inProcess(layer, ({ export: write }) => write(id, { directory: other }))
      expect(report).toMatchObject({ ...gone, written: 1 })
      expect(readdirSync(other).toSorted()).toEqual(["d.wav", "results.jsonl"])
      expect((yield* calls).length).toBe(4)
    })
  )

  it.scopedLive("of a text as it is now is not replaced by that of an earlier one, which was late", () =>
    Effect.gen(function* () {
      const late = yield* Deferred.make<void>()
      const { asked, calls, directory, layer, spoken } = yield* place(late)
      const status = yield* inProcess(layer, (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(asked({ a: "late" }))
          while ((yield* calls).length < 1) yield* Effect.sleep(5)
          yield* archive.start(asked({ a: "Now" }))
          yield* until(() => existsSync(audioAt(directory, "a")))
          yield* Deferred.succeed(late, undefined)
          return yield* ended(archive, id)
        })
      )
      expect(status).toMatchObject({ counts: { done: 1 }, output: { files: 1, gone: 0 } })
      expect(spoken("a")).toBe("N")
      expect(readdirSync(join(directory, "out")).toSorted()).toEqual(["a.wav", "results.jsonl"])
    })
  )

  it.scopedLive("is copied from the folder that the run had before", () =>
    Effect.gen(function* () {
      const { asked, calls, directory, layer } = yield* place()
      const texts = { a: "Aa", b: "Bb" }
      yield* runOnce(layer, asked(texts))
      // As long as before.
      writeFileSync(audioAt(directory, "b"), new Uint8Array(8_044))
      const after = join(directory, "after")
      const moved = yield* runOnce(layer, { ...asked(texts), output: { directory: after, format: "wav" } })
      const report = { files: 2, written: 1, gone: 1, goneFiles: [join(after, "b.wav")] }
      expect(moved).toMatchObject({ counts: { done: 2 }, output: report })
      expect(readFileSync(join(after, "a.wav"))).toEqual(readFileSync(audioAt(directory, "a")))
      // The folder may be back later: its audio is still the one that was written.
      rmSync(join(after, "a.wav"))
      expect(yield* inProcess(layer, ({ repair }) => repair(moved.id))).toMatchObject(report)
      expect((yield* calls).length).toBe(2)
    })
  )

  it.scopedLive("of an earlier version is taken as it is if it has all samples, and known from then on", () =>
    Effect.gen(function* () {
      const { asked, directory, layer } = yield* place()
      const { id } = yield* runOnce(layer, asked({ a: "Aa", b: "Bb" }))
      change(directory, "UPDATE archive_files SET output_size = NULL, output_digest = NULL")
      truncateSync(audioAt(directory, "b"), 4_000)
      expect((yield* runOnce(layer, asked({ a: "Aa", b: "Bb" }))).output).toMatchObject({ files: 2, gone: 1 })
      writeFileSync(audioAt(directory, "a"), new Uint8Array(8_044))
      expect(yield* inProcess(layer, ({ repair }) => repair(id))).toMatchObject({ gone: 2 })
    })
  )
})
