import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
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
import { SourceFailed } from "../src/ArchiveError.js"
import type { Settlement } from "../src/internal/store/Store.js"
import type { Source } from "../src/Source.js"
import type { Worker } from "../src/Worker.js"
import {
  done,
  ended,
  failed,
  folder,
  inProcess,
  item,
  refused,
  request,
  source,
  until,
  worker
} from "./support/double.js"

const embedded = (directory: string, worker: Worker, concurrency = 8) =>
  Archive.layerEmbedded({ path: join(directory, "runs.db"), workers: [worker], concurrency })

describe("an archive in one process", () => {
  it.scopedLive("calls each file once and records its result", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 120))
          const status = yield* ended(archive, id)
          expect(status.state).toBe("ended")
          expect(status.counts).toEqual({ pending: 0, started: 0, done: 120, failed: 0, held: 0 })
          expect(double.calls.begun.length).toBe(120)
          expect(new Set(double.calls.begun).size).toBe(120)
          const records = yield* Stream.runCollect(archive.results(id))
          expect([...records].map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
          // The same request again, in the same process and in the next one, has nothing to call.
          yield* archive.start(request(directory, 120))
          expect((yield* ended(archive, id)).state).toBe("ended")
          const { done, files, toCall } = yield* archive.plan(request(directory, 130))
          expect({ done, files, toCall }).toEqual({ done: 120, files: 130, toCall: 10 })
        })
      )
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 130))
          expect((yield* ended(archive, id)).counts.done).toBe(130)
          expect(double.calls.begun.length).toBe(130)
        })
      )
    })
  )

  it.scopedLive("plans one call for files with the same content, and none for one whose content is done", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      const copies = (...contents: ReadonlyArray<string>): Source => ({
        root: "/calls",
        description: "calls",
        byContent: true,
        items: () =>
          Stream.fromIterable(contents.map((digit, index) => ({ ...item(index + 1), content: digit.repeat(64) })))
      })
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const planOf = (...contents: ReadonlyArray<string>) =>
            Effect.map(archive.plan(request(directory, 1, { source: copies(...contents) })), (plan) => [
              plan.files,
              plan.done,
              plan.toCall,
              plan.mostCost
            ])
          expect(yield* planOf("a", "b", "a", "a")).toEqual([4, 0, 2, 2])
          const { id } = yield* archive.start(request(directory, 1, { source: copies("a", "b", "a", "a") }))
          yield* ended(archive, id)
          expect(double.calls.begun.length).toBe(2)
          expect(yield* planOf("a", "b", "a", "a", "b", "c", "c")).toEqual([7, 4, 1, 1])
        })
      )
    })
  )

  it.scopedLive("suspends the run at the first refusal, and asks with one call when it goes on", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      let credits = 20
      const double = worker(() => (credits-- > 0 ? done : refused), 5)
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 60))
          const suspended = yield* ended(archive, id)
          expect(suspended.state).toBe("suspended")
          expect(suspended.suspension?.tag).toBe("InsufficientCredits")
          expect(suspended.counts).toMatchObject({ done: 20, pending: 40, started: 0 })
          const calls = double.calls.begun.length
          expect(calls).toBeLessThanOrEqual(20 + 8)

          yield* archive.resume(id)
          expect((yield* ended(archive, id)).state).toBe("suspended")
          expect(double.calls.begun.length).toBe(calls + 1)

          credits = 1_000
          yield* archive.start(request(directory, 60))
          expect((yield* ended(archive, id)).counts).toMatchObject({ done: 60 })
          expect(double.calls.begun.length).toBe(calls + 1 + 40)
        })
      )
    })
  )

  it.scopedLive.each(["moved", "removed", "replaced"])(
    "ends if its store was %s while it works, and nothing that is recorded is called again",
    (what) =>
      Effect.gen(function* () {
        const directory = yield* folder
        const [path, moved] = [join(directory, "runs.db"), join(directory, "moved")]
        const double = worker(() => done, 20)
        const error = yield* inProcess(embedded(directory, double.worker, 2), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 60))
            yield* until(() => double.calls.begun.length >= 6)
            if (what === "removed") unlinkSync(path)
            else renameSync(path, moved)
            if (what === "replaced") writeFileSync(path, "")
            return yield* Effect.flip(ended(archive, id))
          })
        )
        expect(error).toMatchObject({
          _tag: "StoreFailed",
          store: path,
          message: expect.stringMatching(/ was moved or removed while this process worked on it/)
        })
        const begun = double.calls.begun.length
        expect(begun).toBeLessThan(20)
        if (what === "removed") return
        renameSync(moved, path)
        yield* inProcess(embedded(directory, double.worker), (archive) =>
          Effect.flatMap(archive.start(request(directory, 60)), ({ id }) => ended(archive, id))
        )
        expect(double.calls.begun.length).toBe(60)
      })
  )

  it.scopedLive("suspends the run at a limit of calls, and goes on with another one", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 30, { limits: { maxFiles: 12 } }))
          const suspended = yield* ended(archive, id)
          expect(suspended.suspension?.tag).toBe("FileLimit")
          expect(suspended.counts).toMatchObject({ done: 12, pending: 18 })
          yield* archive.resume(id, { limits: { maxFiles: 20 } })
          expect((yield* ended(archive, id)).counts).toMatchObject({ done: 20, pending: 10 })
          yield* archive.resume(id, { limits: {} })
          expect((yield* ended(archive, id)).counts).toMatchObject({ done: 30 })
        })
      )
    })
  )

  it.scopedLive("begins no call after a pause, and goes on when it is resumed", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker(() => done, 20)
      yield* inProcess(embedded(directory, double.worker, 4), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 40))
          yield* until(() => double.calls.begun.length >= 6)
          yield* archive.pause(id)
          const begun = double.calls.begun.length
          const paused = yield* ended(archive, id)
          expect(paused.state).toBe("paused")
          expect(paused.counts).toMatchObject({ done: begun, pending: 40 - begun, started: 0 })
          yield* Effect.sleep(60)
          expect(double.calls.begun.length).toBe(begun)
          yield* archive.resume(id)
          expect((yield* ended(archive, id)).counts.done).toBe(40)
          expect(double.calls.begun.length).toBe(40)
        })
      )
    })
  )

  it.scopedLive("finishes the calls under way when its scope is closed, and the next process goes on", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker(() => done, 30)
      let run = ""
      yield* inProcess(embedded(directory, double.worker, 4), (archive) =>
        Effect.gen(function* () {
          run = (yield* archive.start(request(directory, 30))).id
          yield* until(() => double.calls.begun.length >= 5)
        })
      )
      const begun = double.calls.begun.length
      expect(double.calls.active).toBe(0)
      yield* Effect.sleep(60)
      expect(double.calls.begun.length).toBe(begun)
      yield* inProcess(embedded(directory, double.worker, 4), (archive) =>
        Effect.gen(function* () {
          expect((yield* archive.status(run)).counts).toMatchObject({ done: begun, started: 0, held: 0 })
          yield* archive.start(request(directory, 30))
          expect((yield* ended(archive, run)).counts.done).toBe(30)
        })
      )
      expect(double.calls.begun.length).toBe(30)
    })
  )

  it.scopedLive("finishes the calls under way when it is interrupted, and takes part in the run no more", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker(() => done, 800)
      const run = yield* Deferred.make<string>()
      const process = yield* Effect.fork(
        inProcess(embedded(directory, double.worker, 4), (archive) =>
          Effect.gen(function* () {
            yield* Deferred.succeed(run, (yield* archive.start(request(directory, 30))).id)
            yield* Effect.never
          })
        )
      )
      const id = yield* Deferred.await(run)
      yield* until(() => double.calls.active === 4)
      yield* Fiber.interrupt(process)
      expect(double.calls.active).toBe(0)
      const status = yield* inProcess(Archive.layerClient({ path: join(directory, "runs.db") }), ({ status }) =>
        status(id)
      )
      const { length } = double.calls.begun
      expect(status).toMatchObject({ counts: { done: length, pending: 30 - length, started: 0 }, machines: 0 })
      expect(status).not.toHaveProperty("heartbeatAt")
    })
  )

  it.scopedLive("ends within its time although another program holds the store, and its files are held", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker(() => done, 200)
      const path = join(directory, "runs.db")
      const layer = Archive.layerEmbedded({ path, workers: [double.worker], concurrency: 2, closeLimit: 500 })
      let run = ""
      let other: Database.Database | undefined
      const begun = yield* inProcess(layer, (archive) =>
        Effect.gen(function* () {
          run = (yield* archive.start(request(directory, 4))).id
          yield* until(() => double.calls.active === 2)
          other = new Database(path)
          other.exec("BEGIN IMMEDIATE")
          return performance.now()
        })
      )
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(double.calls.begun.length).toBe(2)
      other?.exec("COMMIT")
      other?.close()
      yield* inProcess(layer, (archive) =>
        Effect.gen(function* () {
          yield* archive.start(request(directory, 4))
          expect((yield* ended(archive, run)).counts).toMatchObject({ done: 2, held: 2 })
        })
      )
      expect(double.calls.begun.length).toBe(4)
    })
  )

  it.scopedLive("holds a file whose content is held under another name, and sends it once when it is retried", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const held: Settlement = {
        _tag: "Held",
        error: { tag: "SttConnectionFailed", message: "Lost." },
        billing: "unknown"
      }
      const answers: { settlement: Settlement } = { settlement: held }
      const double = worker(() => answers.settlement)
      const content = "ab".repeat(32)
      const copies = { ...request(directory, 3).source, byContent: true }
      yield* inProcess(embedded(directory, double.worker, 3), (archive) =>
        Effect.gen(function* () {
          const source = {
            ...copies,
            items: () => Stream.map(Stream.range(1, 3), (n) => ({ ...item(n), size: 1, content }))
          }
          const { id } = yield* archive.start({ ...request(directory, 3), source })
          expect(yield* ended(archive, id)).toMatchObject({ counts: { held: 3 }, holds: { SttConnectionFailed: 3 } })
          expect(double.calls.begun.length).toBe(1)
          answers.settlement = done
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
  )

  it.scopedLive(
    "stops at ten files that fail alike, one after the other, and probes with one call when it is resumed",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const refusedRequest: Settlement = {
          _tag: "Failed",
          error: { tag: "SttBadRequest", message: "The model is unknown." },
          billing: "notBilled",
          concernsRun: true
        }
        const answers = { refuses: (_path: string): boolean => true }
        const double = worker((path) => (answers.refuses(path) ? refusedRequest : done))
        const status = yield* inProcess(embedded(directory, double.worker, 3), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 60))
            const stopped = yield* ended(archive, id)
            expect(stopped).toMatchObject({ state: "suspended", suspension: { tag: "RepeatedFailure" } })
            expect(double.calls.begun.length).toBeGreaterThanOrEqual(10)
            expect(double.calls.begun.length).toBeLessThanOrEqual(12)
            const before = double.calls.begun.length
            yield* archive.resume(id)
            expect((yield* ended(archive, id)).state).toBe("suspended")
            expect(double.calls.begun.length).toBe(before + 1)
            // Each fifth file is wrong, and so are the last nine.
            answers.refuses = (path) => path.endsWith("5.wav") || path >= "calls/000052.wav"
            yield* archive.resume(id)
            return yield* ended(archive, id)
          })
        )
        expect(status.state).toBe("ended")
      })
  )

  it.scopedLive("holds a file whose call did not end in the time that the process had", () =>
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
          yield* Effect.repeat(Effect.delay(archive.status(id), 10), { until: ({ counts }) => counts.done === 8 })
          return id
        })
      )
      const double = worker()
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          yield* archive.resume(run)
          expect((yield* ended(archive, run)).counts).toMatchObject({ done: 8, held: 1 })
          expect(double.calls.begun).toEqual([])
          yield* archive.retryFailed(run, { only: "AnswerUnknown" })
          expect((yield* ended(archive, run)).counts).toMatchObject({ done: 9, held: 0 })
        })
      )
    })
  )

  it.scopedLive("records a failure and a defect with their file, and retries the failures of one tag", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      let broken = true
      const double = worker((path): Settlement => {
        if (path.endsWith("2.wav")) throw new Error("no such codec")
        return broken && path.endsWith("5.wav") ? failed("FileEmpty") : done
      })
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 30))
          const status = yield* ended(archive, id)
          expect(status.state).toBe("ended")
          expect(status).toMatchObject({ failures: { FileEmpty: 3 }, holds: { Defect: 3 } })
          const [defect] = yield* Stream.runCollect(archive.results(id, { states: ["held"] }))
          expect(defect?.error?.message).toContain("no such codec")
          broken = false
          yield* archive.retryFailed(id, { only: "FileEmpty" })
          expect(yield* ended(archive, id)).toMatchObject({ failures: {}, holds: { Defect: 3 } })
          expect(double.calls.begun.length).toBe(33)
        })
      )
    })
  )

  it.scopedLive(
    "does not resume a run whose listing was killed, and lists it to its end when it is started again",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const double = worker()
        const listed = yield* Deferred.make<void>()
        const all = source(3_000)
        const endless: Source = {
          ...all,
          items: () =>
            Stream.tap(all.items(), (each) =>
              each.path === item(2_500).path
                ? Effect.zipRight(Deferred.succeed(listed, undefined), Effect.never)
                : Effect.void
            )
        }
        let run = ""
        yield* inProcess(embedded(directory, double.worker), (archive) =>
          Effect.gen(function* () {
            const starting = yield* Effect.fork(archive.start(request(directory, 0, { source: endless })))
            yield* Deferred.await(listed)
            run = (yield* archive.runs)[0] ?? ""
            yield* Fiber.interrupt(starting)
          })
        )
        yield* inProcess(embedded(directory, double.worker), (archive) =>
          Effect.gen(function* () {
            expect(yield* archive.status(run)).toMatchObject({ state: "listing", counts: { pending: 2_000 } })
            const refusals = [yield* Effect.flip(archive.resume(run)), yield* Effect.flip(archive.retryFailed(run))]
            for (const refusal of refusals) {
              expect(refusal).toMatchObject({ _tag: "RunConflict", message: expect.stringContaining("not all listed") })
            }
            expect(double.calls.begun).toEqual([])
            const { id } = yield* archive.start(request(directory, 3_000))
            expect(id).toBe(run)
            expect((yield* ended(archive, run)).counts.done).toBe(3_000)
          })
        )
      })
  )

  it.scopedLive("stays paused if it was paused while its files were listed, also when they are listed again", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          for (const count of [1_500, 2_500]) {
            const before = double.calls.begun.length
            const half = yield* Deferred.make<void>()
            const isPaused = yield* Deferred.make<void>()
            const all = source(count)
            const slow: Source = {
              ...all,
              items: () =>
                Stream.tap(all.items(), (each) =>
                  each.path === item(count - 100).path
                    ? Effect.zipRight(Deferred.succeed(half, undefined), Deferred.await(isPaused))
                    : Effect.void
                )
            }
            const starting = yield* Effect.fork(archive.start(request(directory, 0, { source: slow })))
            yield* Deferred.await(half)
            const [run = ""] = yield* archive.runs
            expect((yield* archive.pause(run)).state).toBe("paused")
            yield* Deferred.succeed(isPaused, undefined)
            expect(yield* Fiber.join(starting)).toMatchObject({ state: "paused", counts: { pending: count - before } })
            yield* Effect.sleep(50)
            expect(double.calls.begun.length).toBe(before)
            yield* archive.resume(run)
            expect((yield* ended(archive, run)).counts.done).toBe(count)
          }
        })
      )
    })
  )

  it.scopedLive("is as it was if its source can't be listed again", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker()
      const broken: Source = {
        ...source(0),
        items: () =>
          Stream.concat(
            Stream.map(Stream.range(1, 1_000), item),
            Stream.fail(new SourceFailed({ path: "/calls", message: "The share is away." }))
          )
      }
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 3))
          yield* ended(archive, id)
          expect(yield* Effect.flip(archive.start(request(directory, 0, { source: broken })))).toMatchObject({
            _tag: "SourceFailed"
          })
          expect(yield* archive.status(id)).toMatchObject({ state: "ended", counts: { done: 3 } })
        })
      )
    })
  )

  it.scopedLive("ends with the error of its store if that is damaged, and waits for none that will not come", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "runs.db")
      const double = worker()
      const { id } = yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 5_000, { limits: { maxFiles: 10 } }))
          return yield* ended(archive, id)
        })
      )
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
            Effect.zipRight(archive.resume(id, { limits: {} }), ended(archive, id)).pipe(Effect.timeout(10_000))
          )
          expect(error).toMatchObject({ _tag: "StoreFailed", message: expect.stringContaining("damaged") })
        })
      )
    })
  )

  it.scopedLive("refuses a source that lists nothing, and removes no file for it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const double = worker(() => failed("BadRequest"))
      const nothing = { _tag: "RunInvalid", field: "source", problem: "lists nothing: there are no calls" }
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(archive.start(request(directory, 0)))).toMatchObject(nothing)
          expect(yield* Effect.flip(archive.plan(request(directory, 0)))).toMatchObject(nothing)
          expect(yield* archive.runs).toEqual([])
          const { id } = yield* archive.start(request(directory, 3))
          yield* ended(archive, id)
          expect(yield* Effect.flip(archive.start(request(directory, 0)))).toMatchObject(nothing)
          expect(yield* archive.status(id)).toMatchObject({ state: "ended", counts: { failed: 3 } })
        })
      )
    })
  )

  it.scopedLive("says which setting differs from that of the run with the same output", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* inProcess(embedded(directory, worker().worker), (archive) =>
        Effect.gen(function* () {
          const operation = { _tag: "Transcribe", model: "hi-general-v2-8khz", parseNumber: true } as const
          const { id } = yield* archive.start(request(directory, 1, { operation }))
          yield* ended(archive, id)
          const other = request(directory, 1, {
            operation: { _tag: "Transcribe", model: "en-general-v2-8khz", hotwords: [{ phrase: "secret" }] }
          })
          for (const conflict of [yield* Effect.flip(archive.start(other)), yield* Effect.flip(archive.plan(other))]) {
            expect(conflict).toMatchObject({ _tag: "RunConflict", run: id })
            expect(conflict.message).toBe(
              `${directory}/out has the results of another run: model hi-general-v2-8khz there, en-general-v2-8khz here; parseNumber true there, not set here; another hotwords. Give the same again, or another output.`
            )
          }
        })
      )
    })
  )

  it.scopedLive("refuses to retry a tag that no failed or held file has, and says which they have", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const result = { text: "", segments: [], warnings: ["NothingRecognised"] }
      const empty: Settlement = { _tag: "Done", result, billing: "billed", credits: 1 }
      const double = worker((path) => (path.endsWith("1.wav") ? failed("BadRequest") : empty))
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 2))
          yield* ended(archive, id)
          const refusal = (only: string) => Effect.flip(archive.retryFailed(id, { only }))
          expect(yield* refusal("Foo")).toMatchObject({
            _tag: "RunInvalid",
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
  )

  it.scopedLive("slows down while the service is down, and fails no file for it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      let down = true
      const double = worker(
        (): Settlement =>
          down
            ? {
                _tag: "Unavailable",
                error: { tag: "ServiceUnavailable", message: "Overloaded." },
                billing: "notBilled",
                begunAt: Date.now()
              }
            : done
      )
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 200))
          yield* Effect.sleep(400)
          expect(double.calls.begun.length).toBeLessThanOrEqual(8 + 1)
          expect((yield* archive.status(id)).counts.failed).toBe(0)
          down = false
          expect((yield* ended(archive, id)).counts.done).toBe(200)
        })
      )
    })
  )

  it.scopedLive("writes the result of each file, also of one whose process ended before it did", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const text = (index: number) => join(directory, "out", `${item(index).path}.txt`)
      const double = worker()
      for (const count of [3, 4]) {
        yield* inProcess(embedded(directory, double.worker), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, count))
            yield* ended(archive, id)
          })
        )
        expect(readFileSync(text(count), "utf8")).toBe("नमस्ते\n")
        expect(readFileSync(join(directory, "out", "results.jsonl"), "utf8").split("\n").length).toBe(count + 1)
        if (count === 3) unlinkSync(text(2))
      }
      expect(existsSync(text(2))).toBe(true)
    })
  )

  it.scopedLive(
    "says that its results could not be written, also to who looks after its end, until they are exported",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const double = worker()
        const inTheWay = join(directory, "out", "results.jsonl")
        mkdirSync(join(inTheWay, "folder"), { recursive: true })
        yield* inProcess(embedded(directory, double.worker), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 3))
            while ((yield* archive.status(id)).state !== "ended") yield* Effect.sleep(20)
            yield* Effect.sleep(300)
            expect(yield* Effect.flip(ended(archive, id))).toMatchObject({ _tag: "OutputFailed", path: inTheWay })
            rmSync(inTheWay, { recursive: true })
            expect((yield* archive.export(id)).files).toBe(3)
            expect((yield* ended(archive, id)).state).toBe("ended")
          })
        )
      })
  )

  it.scopedLive("ends the progress soon after the last file", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const last = yield* Deferred.make<void>()
      const double = worker((path) => (path.endsWith("9.wav") ? Effect.as(Deferred.await(last), done) : done))
      yield* inProcess(embedded(directory, double.worker), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 9))
          const fiber = yield* Effect.fork(ended(archive, id))
          yield* until(() => double.calls.begun.length === 9)
          yield* Effect.sleep(100)
          const before = performance.now()
          yield* Deferred.succeed(last, undefined)
          expect((yield* Fiber.join(fiber)).state).toBe("ended")
          expect(performance.now() - before).toBeLessThan(400)
        })
      )
    })
  )
})
