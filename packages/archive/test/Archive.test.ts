import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import Database from "libsql"
import { Archive } from "../src/Archive.js"
import { ArchiveSourceFailed } from "../src/ArchiveError.js"
import type { Settlement } from "../src/internal/store/Store.js"
import type { LimitChanges } from "../src/Run.js"
import type { Source } from "../src/Source.js"
import type { Worker } from "../src/Worker.js"
import {
  done,
  ended,
  failed,
  folder,
  inProcess,
  item,
  known,
  refused,
  request,
  runOnce,
  source,
  until,
  worker
} from "./support/double.js"

const embedded = (directory: string, worker: Worker, concurrency = 8) =>
  Archive.layerEmbedded({ path: join(directory, "runs.db"), workers: [worker], concurrency })

/** What happens in one process, with a store of its own. */
const alone = <A, E>(
  { worker }: { readonly worker: Worker },
  body: (archive: Archive["Type"], directory: string) => Effect.Effect<A, E>
) =>
  Effect.flatMap(folder, (directory) => inProcess(embedded(directory, worker), (archive) => body(archive, directory)))

/** A source of recordings. Runs an effect when its listing reaches one of them. */
const stopping = (count: number, at: number, then: Effect.Effect<unknown>): Source => ({
  ...source(count),
  items: () =>
    Stream.tap(source(count).items(), ({ path }) => (path === item(at).path ? Effect.asVoid(then) : Effect.void))
})

describe("an archive in one process", () => {
  it.scopedLive("is a defect if no call could begin at once", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      for (const concurrency of [0, 1.5, Number.NaN]) {
        const opened = inProcess(embedded(directory, worker().worker, concurrency), () => Effect.void)
        const cause = yield* Effect.flip(Effect.sandbox(opened))
        expect(String(cause)).toContain(`concurrency must be a whole number from 1, not ${concurrency}`)
      }
    })
  )

  it.scopedLive("calls each file once and records its result", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 20))
          const status = yield* ended(archive, id)
          expect(status.state).toBe("ended")
          expect(status.counts).toEqual({ pending: 0, started: 0, done: 20, failed: 0, held: 0 })
          expect(double.calls.begun.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => item(index + 1).path))
          const records = yield* Stream.runCollect(archive.results(id))
          expect([...records].map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
          // The same request again, in the same process and in the next one, has nothing to call.
          yield* archive.start(request(directory, 20))
          expect((yield* ended(archive, id)).state).toBe("ended")
          const { done, files, toCall } = yield* archive.plan(request(directory, 30))
          expect({ done, files, toCall }).toEqual({ done: 20, files: 30, toCall: 10 })
        })
      )
      const next = yield* runOnce(embedded(directory, double.worker), request(directory, 30))
      expect([next.counts.done, double.calls.begun.length]).toEqual([30, 30])
    })
  )

  it.scopedLive("with the path `:memory:` makes no file, and forgets its runs with the layer", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      const layer = Archive.layerEmbedded({ path: ":memory:", workers: [double.worker] })
      for (const calls of [3, 6]) {
        expect((yield* runOnce(layer, request(directory, 3))).counts.done).toBe(3)
        expect(double.calls.begun).toHaveLength(calls)
      }
      expect(existsSync(":memory:")).toBe(false)
    })
  )

  it.scopedLive("goes on within its limit if that is left out when it is started again, until it is removed", () => {
    const double = worker()
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const start = (limits?: LimitChanges) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 9, { limits }))
            const { counts, limits: inForce, state } = yield* ended(archive, id)
            return [state, counts.done, inForce]
          })
        expect(yield* start({ maxCredits: 4 })).toEqual(["suspended", 4, { maxCredits: 4 }])
        expect(yield* start()).toEqual(["suspended", 4, { maxCredits: 4 }])
        expect(yield* start({ maxFiles: 6 })).toEqual(["suspended", 4, { maxFiles: 6, maxCredits: 4 }])
        expect(yield* start({ maxCredits: 5 })).toEqual(["suspended", 5, { maxFiles: 6, maxCredits: 5 }])
        expect(yield* start({ maxCredits: "none" })).toEqual(["suspended", 6, { maxFiles: 6 }])
        expect(yield* start({ maxFiles: "none" })).toEqual(["ended", 9, {}])
      })
    )
  })

  it.scopedLive("plans one call for files with the same content, and none for one whose content is done", () => {
    const double = worker()
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const copies = (...contents: ReadonlyArray<string>) =>
          request(directory, 1, {
            source: {
              ...source(0),
              byContent: true,
              items: () =>
                Stream.fromIterable(contents.map((digit, index) => ({ ...item(index + 1), content: digit.repeat(64) })))
            }
          })
        const planOf = (...contents: ReadonlyArray<string>) =>
          Effect.map(archive.plan(copies(...contents)), ({ done, files, mostCost, toCall }) => [
            files,
            done,
            toCall,
            mostCost
          ])
        expect(yield* planOf("a", "b", "a", "a")).toEqual([4, 0, 2, 2])
        const { id } = yield* archive.start(copies("a", "b", "a", "a"))
        yield* ended(archive, id)
        expect(double.calls.begun.length).toBe(2)
        expect(yield* planOf("a", "b", "a", "a", "b", "c", "c")).toEqual([7, 4, 1, 1])
      })
    )
  })

  it.scopedLive("plans one call for a path that the source lists twice, as a run makes one", () => {
    const double = worker()
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const items = [item(1), item(2), item(1), { ...item(2), size: 9 }]
        const twice = request(directory, 1, { source: { ...source(0), items: () => Stream.fromIterable(items) } })
        const { bytes, files, mostCost, toCall } = yield* archive.plan(twice)
        expect([files, toCall, mostCost, bytes]).toEqual([3, 3, 3, item(1).size + item(2).size + 9])
        const { id } = yield* archive.start(twice)
        expect((yield* ended(archive, id)).counts.done).toBe(3)
        expect(double.calls.begun.length).toBe(3)
        expect(yield* archive.plan(twice)).toMatchObject({ files: 3, done: 3, toCall: 0 })
      })
    )
  })

  it.scopedLive("suspends the run at the first refusal, and asks with one call when it goes on", () => {
    let credits = 8
    const double = worker(() => (credits-- > 0 ? done : refused), 5)
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const { id } = yield* archive.start(request(directory, 30))
        const suspended = yield* ended(archive, id)
        expect(suspended).toMatchObject({ state: "suspended", suspension: { tag: "InsufficientCredits" } })
        expect(suspended.counts).toMatchObject({ done: 8, pending: 22, started: 0 })
        const calls = double.calls.begun.length
        expect(calls).toBeLessThanOrEqual(8 + 8)

        yield* archive.resume(id)
        expect((yield* ended(archive, id)).state).toBe("suspended")
        expect(double.calls.begun.length).toBe(calls + 1)

        credits = 1_000
        yield* archive.start(request(directory, 30))
        expect((yield* ended(archive, id)).counts).toMatchObject({ done: 30 })
        expect(double.calls.begun.length).toBe(calls + 1 + 22)
      })
    )
  })

  it.scopedLive.each(["moved", "removed", "replaced"])(
    "ends if its store was %s while it works, and nothing that is recorded is called again",
    (what) =>
      Effect.gen(function* () {
        const directory = yield* folder
        const [path, moved] = [join(directory, "runs.db"), join(directory, "moved")]
        const double = worker(() => done, 400)
        const error = yield* inProcess(embedded(directory, double.worker, 2), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 20))
            yield* until(() => double.calls.begun.length >= 6)
            if (what === "removed") unlinkSync(path)
            else renameSync(path, moved)
            if (what === "replaced") writeFileSync(path, "")
            return yield* Effect.flip(ended(archive, id))
          })
        )
        expect(error).toMatchObject({
          _tag: "ArchiveStoreFailed",
          store: path,
          message: expect.stringMatching(/ was moved or removed while this process worked on it/)
        })
        const begun = double.calls.begun.length
        expect(begun).toBeLessThan(20)
        if (what === "removed") return
        renameSync(moved, path)
        yield* runOnce(embedded(directory, double.worker), request(directory, 20))
        expect(double.calls.begun.length).toBe(20)
      })
  )

  it.scopedLive("finishes the calls under way when it is interrupted, and takes part in the run no more", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const answered = yield* Effect.makeLatch(false)
      const double = worker(() => Effect.as(answered.await, done))
      const process = yield* Effect.fork(
        inProcess(embedded(directory, double.worker, 4), (archive) =>
          Effect.zipRight(archive.start(request(directory, 30)), Effect.never)
        )
      )
      yield* until(() => double.calls.active === 4)
      const ending = yield* Effect.fork(Fiber.interrupt(process))
      yield* Effect.sleep(20)
      yield* answered.open
      yield* Fiber.join(ending)
      expect(double.calls).toMatchObject({ active: 0, begun: { length: 4 } })
      const status = yield* inProcess(Archive.layerClient({ path: join(directory, "runs.db") }), ({ runs, status }) =>
        Effect.flatMap(runs, ([id]) => status(known(id)))
      )
      expect(status).toMatchObject({ counts: { done: 4, pending: 26, started: 0, held: 0 }, machines: 0 })
      expect(status).not.toHaveProperty("heartbeatAt")
    })
  )

  it.scopedLive("ends within its time although another program holds the store, and its files are held", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const answered = yield* Effect.makeLatch(false)
      const double = worker(() => Effect.as(answered.await, done))
      const path = join(directory, "runs.db")
      const layer = Archive.layerEmbedded({ path, workers: [double.worker], concurrency: 2, closeLimit: 500 })
      const { begun, other } = yield* inProcess(layer, (archive) =>
        Effect.gen(function* () {
          yield* archive.start(request(directory, 4))
          yield* until(() => double.calls.active === 2)
          const other = new Database(path)
          other.exec("BEGIN IMMEDIATE")
          yield* answered.open
          return { other, begun: performance.now() }
        })
      )
      // The store waits for 5 s for the other program. A limit of a minute, by a clock that runs ten times as fast, adds 6 s.
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(double.calls.begun.length).toBe(2)
      other.exec("COMMIT")
      other.close()
      expect((yield* runOnce(layer, request(directory, 4))).counts).toMatchObject({ done: 2, held: 2 })
      expect(double.calls.begun.length).toBe(4)
    })
  )

  it.scopedLive("holds a file whose content is held under another name, and sends it once when it is retried", () => {
    const error = { tag: "SttConnectionFailed", message: "Lost." }
    let settlement: Settlement = { _tag: "Held", error, billing: "unknown" }
    const double = worker(() => settlement)
    const copies: Source = {
      ...source(0),
      byContent: true,
      items: () => Stream.map(Stream.range(1, 3), (n) => ({ ...item(n), size: 1, content: "ab".repeat(32) }))
    }
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const { id } = yield* archive.start(request(directory, 0, { source: copies }))
        expect(yield* ended(archive, id)).toMatchObject({ counts: { held: 3 }, holds: { SttConnectionFailed: 3 } })
        expect(double.calls.begun.length).toBe(1)
        settlement = done
        // What is not sent counts for no limit.
        yield* archive.resume(id, { limits: { maxFiles: 2 } })
        yield* archive.retryFailed(id, { only: "SttConnectionFailed" })
        expect(yield* ended(archive, id)).toMatchObject({ counts: { done: 3 } })
        const files = [...(yield* Stream.runCollect(archive.results(id)))]
        expect(files.map(({ attempts }) => attempts)).toEqual([2, 0, 0])
        expect(double.calls.begun.length).toBe(2)
      })
    )
  })

  it.scopedLive.each([
    ["a path that leads out of its folder", { path: "../a" }, 'path must not have a part that is empty, "." or ".."'],
    ["an absolute path", { path: "/a" }, 'path must not have a part that is empty, "." or ".."'],
    ["a digest of another form", { content: "abc" }, "content must be a SHA-256 of 64 hexadecimal digits"],
    ["a line without a digest", { line: { text: "Hello." } }, "content must be a SHA-256 of 64 hexadecimal digits"]
  ] as const)("calls nothing if a source of your own lists %s", ([_, wrong, problem]) => {
    const double = worker()
    const own: Source = { ...source(0), items: () => Stream.make({ ...item(1), ...wrong }) }
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(archive.start(request(directory, 0, { source: own })))
        expect(error).toMatchObject({ _tag: "ArchiveSourceFailed", line: 1 })
        expect(error.message).toContain(problem)
        expect(double.calls.begun).toEqual([])
      })
    )
  })

  it.scopedLive("stops at ten files that fail alike in a row, and probes with one call when it is resumed", () => {
    const error = { tag: "SttBadRequest", message: "The model is unknown." }
    const unknown: Settlement = { _tag: "Failed", error, billing: "notBilled", concernsRun: true }
    let refuses = (_path: string): boolean => true
    const double = worker((path) => (refuses(path) ? unknown : done))
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const { id } = yield* archive.start(request(directory, 60))
        expect(yield* ended(archive, id)).toMatchObject({ state: "suspended", suspension: { tag: "RepeatedFailure" } })
        const before = double.calls.begun.length
        expect(before).toBeGreaterThanOrEqual(10)
        expect(before).toBeLessThan(10 + 8)
        yield* archive.resume(id)
        expect((yield* ended(archive, id)).state).toBe("suspended")
        expect(double.calls.begun.length).toBe(before + 1)
        // Each fifth file is wrong, and so are the last nine.
        refuses = (path) => path.endsWith("5.wav") || path >= "calls/000052.wav"
        yield* archive.resume(id)
        expect((yield* ended(archive, id)).state).toBe("ended")
      })
    )
  })

  it.scopedLive.each([
    "holds a file whose call did not end in the time that the process had",
    "calls such a file again at once if its tag is retried before the run goes on"
  ])("%s", (what) =>
    Effect.gen(function* () {
      const directory = yield* folder
      const never = worker((path) => (path.endsWith("3.wav") ? Effect.never : done))
      const layer = Archive.layerEmbedded({
        path: join(directory, "runs.db"),
        workers: [never.worker],
        concurrency: 2,
        closeLimit: 20
      })
      const run = yield* inProcess(layer, (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 9))
          yield* Effect.repeat(Effect.delay(archive.status(id), 100), { until: ({ counts }) => counts.done === 8 })
          return id
        })
      )
      const double = worker()
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          expect(yield* archive.status(run)).toMatchObject({ counts: { started: 1 }, abandoned: 1, unknownCosts: 1 })
          if (what.startsWith("holds")) {
            yield* archive.resume(run)
            expect((yield* ended(archive, run)).counts).toMatchObject({ done: 8, held: 1 })
            expect(double.calls.begun).toEqual([])
          }
          yield* archive.retryFailed(run, { only: "AnswerUnknown" })
          expect((yield* ended(archive, run)).counts).toMatchObject({ done: 9, held: 0 })
        })
      )
    })
  )

  it.scopedLive("records a failure and a defect with their file, and retries the failures of one tag", () => {
    let broken = true
    const double = worker((path): Settlement => {
      if (path.endsWith("2.wav")) throw new Error("no such codec")
      return broken && path.endsWith("5.wav") ? failed("FileEmpty") : done
    })
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const { id } = yield* archive.start(request(directory, 15))
        expect(yield* ended(archive, id)).toMatchObject({
          state: "ended",
          failures: { FileEmpty: 2 },
          holds: { Defect: 2 }
        })
        const [defect] = yield* Stream.runCollect(archive.results(id, { states: ["held"] }))
        expect(defect?.error?.message).toContain("no such codec")
        broken = false
        yield* archive.retryFailed(id, { only: "FileEmpty" })
        expect(yield* ended(archive, id)).toMatchObject({ failures: {}, holds: { Defect: 2 } })
        expect(double.calls.begun.length).toBe(17)
      })
    )
  })

  it.scopedLive("does not resume a run whose listing was killed, and lists it to its end when started again", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      const listed = yield* Deferred.make<void>()
      const endless = stopping(1_100, 1_050, Effect.zipRight(Deferred.succeed(listed, undefined), Effect.never))
      const run = yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const starting = yield* Effect.fork(archive.start(request(directory, 0, { source: endless })))
          yield* Deferred.await(listed)
          const run = known((yield* archive.runs)[0])
          yield* Fiber.interrupt(starting)
          return run
        })
      )
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          expect(yield* archive.status(run)).toMatchObject({ state: "listing", counts: { pending: 1_000 } })
          for (const again of [archive.resume(run), archive.retryFailed(run)]) {
            expect(yield* Effect.flip(again)).toMatchObject({
              _tag: "ArchiveRunConflict",
              message: expect.stringContaining("not all listed")
            })
          }
          expect(double.calls.begun).toEqual([])
          expect((yield* archive.start(request(directory, 1_100, { limits: { maxFiles: 1 } }))).id).toBe(run)
          expect((yield* ended(archive, run)).counts).toMatchObject({ done: 1, pending: 1_099 })
        })
      )
    })
  )

  it.scopedLive("stays paused if it was paused while its files were listed, also when they are listed again", () => {
    const double = worker()
    return alone(double, (archive, directory) =>
      Effect.forEach([1, 2], (pass) =>
        Effect.gen(function* () {
          const [half, isPaused] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const wait = Effect.zipRight(Deferred.succeed(half, undefined), Deferred.await(isPaused))
          const slow = request(directory, 0, {
            source: stopping(1_100 + pass, 1_050, wait),
            limits: { maxFiles: pass }
          })
          const starting = yield* Effect.fork(archive.start(slow))
          yield* Deferred.await(half)
          const run = known((yield* archive.runs)[0])
          expect((yield* archive.pause(run)).state).toBe("paused")
          yield* Deferred.succeed(isPaused, undefined)
          expect(yield* Fiber.join(starting)).toMatchObject({ state: "paused", counts: { pending: 1_101 } })
          expect(double.calls.begun.length).toBe(pass - 1)
          yield* archive.resume(run)
          expect((yield* ended(archive, run)).counts.done).toBe(pass)
        })
      )
    )
  })

  it.scopedLive("is as it was if its source can't be listed again", () =>
    alone(worker(), (archive, directory) =>
      Effect.gen(function* () {
        const { id } = yield* archive.start(request(directory, 3))
        yield* ended(archive, id)
        const away = new ArchiveSourceFailed({ path: "/calls", message: "The share is away." })
        const broken = { ...source(0), items: () => Stream.concat(source(1_000).items(), Stream.fail(away)) }
        expect(yield* Effect.flip(archive.start(request(directory, 0, { source: broken })))).toBe(away)
        expect(yield* archive.status(id)).toMatchObject({ state: "ended", counts: { done: 3 } })
      })
    )
  )

  it.scopedLive("ends with the error of its store if that is damaged, and waits for none that will not come", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "runs.db")
      const double = worker()
      const limited = request(directory, 1_000, { limits: { maxFiles: 10 } })
      const { id } = yield* runOnce(embedded(directory, double.worker), limited)
      // The pages behind those of the schema and the runs.
      const database = new Database(path)
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      database.close()
      const { size } = statSync(path)
      const file = openSync(path, "r+")
      writeSync(file, Buffer.alloc(size - 16 * 4096, 0xaa), 0, size - 16 * 4096, 16 * 4096)
      closeSync(file)
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(
            Effect.zipRight(archive.resume(id, { limits: { maxFiles: "none" } }), ended(archive, id))
          )
          expect(error).toMatchObject({ _tag: "ArchiveStoreFailed", message: expect.stringContaining("damaged") })
        })
      )
    })
  )

  it.scopedLive("refuses a source that lists nothing, and removes no file for it", () =>
    alone(
      worker(() => failed("BadRequest")),
      (archive, directory) =>
        Effect.gen(function* () {
          const nothing = { _tag: "ArchiveRunInvalid", field: "source", problem: "lists nothing: there are no calls" }
          expect(yield* Effect.flip(archive.start(request(directory, 0)))).toMatchObject(nothing)
          expect(yield* Effect.flip(archive.plan(request(directory, 0)))).toMatchObject(nothing)
          expect(yield* archive.runs).toEqual([])
          const { id } = yield* archive.start(request(directory, 3))
          yield* ended(archive, id)
          expect(yield* Effect.flip(archive.start(request(directory, 0)))).toMatchObject(nothing)
          expect(yield* archive.status(id)).toMatchObject({ state: "ended", counts: { failed: 3 } })
        })
    )
  )

  it.scopedLive("says which setting differs from that of the run with the same output", () =>
    alone(worker(), (archive, directory) =>
      Effect.gen(function* () {
        const operation = { _tag: "Transcribe", model: "hi-general-v2-8khz", parseNumber: true } as const
        const { id } = yield* archive.start(request(directory, 1, { operation }))
        const other = request(directory, 1, {
          operation: { _tag: "Transcribe", model: "en-general-v2-8khz", hotwords: [{ phrase: "secret" }] }
        })
        for (const again of [Effect.asVoid(archive.start(other)), Effect.asVoid(archive.plan(other))]) {
          expect(yield* Effect.flip(again)).toMatchObject({
            _tag: "ArchiveRunConflict",
            run: id,
            message: `${directory}/out has the results of another run: model hi-general-v2-8khz there, en-general-v2-8khz here; parseNumber true there, not set here; another hotwords. Give the same again, or another output.`
          })
        }
      })
    )
  )

  it.scopedLive("refuses to retry a tag that no failed or held file has, and says which they have", () => {
    const result = { text: "", segments: [], warnings: ["NothingRecognised"] }
    const empty: Settlement = { _tag: "Done", result, billing: "billed", credits: 1 }
    const double = worker((path) => (path.endsWith("1.wav") ? failed("BadRequest") : empty))
    return alone(double, (archive, directory) =>
      Effect.gen(function* () {
        const { id } = yield* archive.start(request(directory, 2))
        yield* ended(archive, id)
        const refusal = (only: string) => Effect.flip(archive.retryFailed(id, { only }))
        expect(yield* refusal("Foo")).toMatchObject({
          _tag: "ArchiveRunInvalid",
          field: "only",
          problem: "is Foo, which no failed or held file has: failed and held files have BadRequest"
        })
        expect(yield* refusal("NothingRecognised")).toMatchObject({
          problem: "is NothingRecognised, a warning of files that are done: they are paid, and not called again"
        })
        expect(double.calls.begun.length).toBe(2)
      })
    )
  })

  it.scopedLive("says that its results could not be written, also to who looks later, until they are exported", () =>
    alone(worker(), (archive, directory) =>
      Effect.gen(function* () {
        const inTheWay = join(directory, "out", "results.jsonl")
        mkdirSync(join(inTheWay, "folder"), { recursive: true })
        const { id } = yield* archive.start(request(directory, 3))
        for (const _ of ["first", "later"]) {
          expect(yield* Effect.flip(ended(archive, id))).toMatchObject({ _tag: "ArchiveOutputFailed", path: inTheWay })
        }
        rmSync(inTheWay, { recursive: true })
        expect((yield* archive.export(id)).files).toBe(3)
        expect((yield* ended(archive, id)).state).toBe("ended")
      })
    )
  )
})
