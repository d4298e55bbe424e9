import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { freshDatabase, hasPostgres, postgresTitle, startPostgres } from "effect-speech-test-support/postgres"
import { Archive } from "../src/Archive.js"
import type { Worker } from "../src/Worker.js"
import { done, ended, folder, inProcess, request, source, until, worker } from "./support/double.js"

const layerOf = (url: Redacted.Redacted, worker: Worker) =>
  Layer.provide(Archive.layerMachine({ url, workers: [worker], concurrency: 8 }), NodeFileSystem.layer)

/** Starts a machine. The result ends it in order. */
const machine = (url: Redacted.Redacted, worker: Worker, logged: Array<string> = []) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
    const logs = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void logged.push(String(message)))
    )
    yield* Layer.buildWithScope(Layer.provide(layerOf(url, worker), logs), scope)
    return Scope.close(scope, yield* Effect.exit(Effect.void))
  })

describe.runIf(hasPostgres)(`two machines on ${postgresTitle}`, () => {
  it.scopedLive(
    "share a run that a client started; one leaves, and the other calls the rest",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        // The first calls wait: otherwise one machine may have called all before the other has a share.
        const both = yield* Effect.makeLatch(false)
        const answer = () => Effect.as(both.await, done)
        const [one, two] = [worker(answer, 20), worker(answer, 20)]
        yield* machine(url, one.worker)
        const leave = yield* machine(url, two.worker)
        const called = () => [...one.calls.begun, ...two.calls.begun]
        yield* inProcess(Archive.layerClient({ url }), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 400))
            yield* until(() => one.calls.begun.length > 0 && two.calls.begun.length > 0)
            expect((yield* archive.status(id)).machines).toBe(2)
            yield* both.open
            yield* leave
            const shares = two.calls.begun.length
            expect(two.calls.active).toBe(0)
            const status = yield* ended(archive, id)
            expect(status.counts).toMatchObject({ done: 400, held: 0 })
            expect(status.machines).toBe(1)
            expect(two.calls.begun.length).toBe(shares)
            expect(new Set(called()).size).toBe(400)
            expect(called().length).toBe(400)
            expect(yield* Stream.runCount(archive.results(id))).toBe(400)
          })
        )
      }),
    90_000
  )

  it.scopedLive(
    "write the results of a run whose client has left",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        const one = worker()
        const status = yield* inProcess(Archive.layerClient({ url }), (archive) => archive.start(request(directory, 3)))
        yield* machine(url, one.worker)
        yield* machine(url, one.worker)
        const results = join(directory, "out", "results.jsonl")
        yield* until(() => existsSync(results))
        expect(readFileSync(results, "utf8").trimEnd().split("\n").length).toBe(3)
        const after = yield* inProcess(Archive.layerClient({ url }), (archive) =>
          Effect.repeat(Effect.delay(archive.status(status.id), 20), { until: ({ resultsDue }) => !resultsDue })
        )
        expect(after).toMatchObject({ state: "ended", counts: { done: 3 } })
      }),
    30_000
  )

  it.scopedLive(
    "share a run that was under way when one of them joined, and meet in the tables of the archive alone",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        const both = yield* Effect.makeLatch(false)
        const answer = () => Effect.as(both.await, done)
        const [one, two] = [worker(answer), worker(answer)]
        yield* machine(url, one.worker)
        yield* inProcess(Archive.layerClient({ url }), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 200))
            yield* until(() => one.calls.active === 8)
            yield* machine(url, two.worker)
            yield* until(() => two.calls.active > 0)
            yield* both.open
            expect((yield* ended(archive, id)).counts).toMatchObject({ done: 200, held: 0 })
            expect(one.calls.begun.length + two.calls.begun.length).toBe(200)
          }).pipe(Effect.scoped)
        )
        // Machines meet in the tables of the archive alone.
        const tables = Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
        )
        expect(yield* Effect.provide(tables, PgClient.layer({ url }))).toEqual(
          ["archive_files", "archive_machines", "archive_migrations", "archive_runs"].map((tablename) => ({
            tablename
          }))
        )
      }),
    90_000
  )

  it.scopedLive(
    "leave a run to a machine that has a worker for it, and work on several runs at once",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        const [one, other] = [worker(), worker()]
        const logged: Array<string> = []
        yield* machine(url, { ...other.worker, operation: "Synthesize" }, logged)
        yield* inProcess(Archive.layerClient({ url }), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 20))
            // Its recordings do not exist: without an output, it would be taken for a run that was moved.
            mkdirSync(`${directory}/out`)
            const second = yield* archive.start(request(`${directory}/second`, 20, { source: source(20, "/others") }))
            yield* until(() => logged.length === 2)
            expect(logged.toSorted()).toEqual(
              [id, second.id]
                .map(
                  (run) =>
                    `This machine leaves the run ${run} to others: it has no address of the service for Transcribe.`
                )
                .toSorted()
            )
            expect((yield* archive.status(id)).counts).toMatchObject({ pending: 20 })
            yield* machine(url, one.worker)
            for (const run of [id, second.id]) {
              expect(yield* ended(archive, run)).toMatchObject({ state: "ended", counts: { done: 20 } })
            }
            expect([one.calls.begun.length, other.calls.begun.length]).toEqual([40, 0])
            const attempts = yield* Stream.runFold(archive.results(id), 0, (sum, file) => sum + file.attempts)
            expect([attempts, logged.length]).toEqual([20, 2])
          }).pipe(Effect.scoped)
        )
      }),
    30_000
  )

  it.scopedLive(
    "go on after a restart of the database, with who watches them",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const postgres = yield* Effect.acquireRelease(
          Effect.promise(() => startPostgres()),
          ({ stop }) => Effect.promise(stop)
        )
        const url = Redacted.make(yield* Effect.promise(postgres.database))
        const double = worker(() => done, 100)
        yield* machine(url, double.worker)
        yield* inProcess(Archive.layerClient({ url }), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 60))
            const watching = yield* Effect.fork(ended(archive, id))
            yield* until(() => double.calls.begun.length > 10)
            yield* Effect.promise(postgres.crash)
            yield* Effect.sleep(500)
            yield* Effect.promise(postgres.start)
            expect(yield* Fiber.join(watching)).toMatchObject({ state: "ended", counts: { done: 60, held: 0 } })
            expect(double.calls.begun.length).toBe(60)
          })
        )
      }),
    60_000
  )
})

describe("a process whose store another one has taken over, since its lock file was removed,", () => {
  it.scopedLive(
    "begins no call any more, and no file is called twice",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const path = `${directory}/runs.db`
        const slow = worker(() => done, 300)
        const layer = Archive.layerEmbedded({ path, workers: [slow.worker], concurrency: 2 })
        yield* inProcess(layer, (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 20))
            yield* until(() => slow.calls.active === 2)
            rmSync(`${path}.lock`)
            const next = worker()
            yield* inProcess(Archive.layerEmbedded({ path, workers: [next.worker] }), (other) =>
              Effect.gen(function* () {
                yield* other.resume(id)
                const { done: answered, held } = (yield* ended(other, id)).counts
                expect(answered + held).toBe(20)
              })
            )
            expect(new Set([...slow.calls.begun, ...next.calls.begun]).size).toBe(20)
            expect(slow.calls.begun.length + next.calls.begun.length).toBe(20)
            // What the first had under way is done a little later.
            yield* until(() => slow.calls.active === 0)
            yield* Effect.sleep(50)
            expect((yield* archive.status(id)).counts).toMatchObject({ done: 20 })
          })
        )
      }),
    30_000
  )
})
