import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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

/** Starts a machine. The result ends it in order. */
const machine = (url: Redacted.Redacted, worker: Worker, logged: Array<string> = []) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
    const logs = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void logged.push(String(message)))
    )
    const layer = Archive.layerMachine({ url, workers: [worker], concurrency: 8 })
    yield* Layer.buildWithScope(Layer.provide(layer, Layer.merge(logs, NodeFileSystem.layer)), scope)
    return Scope.close(scope, Exit.void)
  })

const databaseOf = (open: () => Promise<string>) => Effect.map(Effect.promise(open), (url) => Redacted.make(url))

/** A client of a database of its own: it starts runs, and calls nothing. */
const sharing = <A, E, R>(
  body: (place: {
    readonly archive: Archive["Type"]
    readonly directory: string
    readonly url: Redacted.Redacted
  }) => Effect.Effect<A, E, R>,
  database = databaseOf(freshDatabase)
) =>
  Effect.gen(function* () {
    const [directory, url] = [yield* folder, yield* database]
    const layer = Layer.provide(Archive.layerClient({ url }), NodeFileSystem.layer)
    return yield* Effect.provide(
      Effect.flatMap(Archive, (archive) => Effect.scoped(body({ archive, directory, url }))),
      layer
    )
  })

describe.runIf(hasPostgres)(`two machines on ${postgresTitle}`, { timeout: 90_000 }, () => {
  it.scopedLive("share a run: one joins while it is under way, and leaves, and the other calls the rest", () =>
    sharing(({ archive, directory, url }) =>
      Effect.gen(function* () {
        // The first calls wait: otherwise one machine may have called all before the other has a share.
        const both = yield* Effect.makeLatch(false)
        const answer = () => Effect.as(both.await, done)
        const [one, two] = [worker(answer, 20), worker(answer, 20)]
        yield* machine(url, one.worker)
        const { id } = yield* archive.start(request(directory, 80))
        yield* until(() => one.calls.active === 8)
        const leave = yield* machine(url, two.worker)
        yield* until(() => two.calls.active > 0)
        expect((yield* archive.status(id)).machines).toBe(2)
        yield* both.open
        yield* leave
        const shares = two.calls.begun.length
        expect(two.calls.active).toBe(0)
        expect(yield* ended(archive, id)).toMatchObject({ counts: { done: 80, held: 0 }, machines: 1 })
        expect(two.calls.begun.length).toBe(shares)
        const called = [...one.calls.begun, ...two.calls.begun]
        expect([called.length, new Set(called).size]).toEqual([80, 80])
        expect(yield* Stream.runCount(archive.results(id))).toBe(80)
        // Machines meet in the tables of the archive alone.
        const tables = Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
        )
        expect((yield* Effect.provide(tables, PgClient.layer({ url }))).map(({ tablename }) => tablename)).toEqual([
          "archive_files",
          "archive_machines",
          "archive_migrations",
          "archive_runs"
        ])
      })
    )
  )

  it.scopedLive("write the results of a run whose client has left", () =>
    Effect.gen(function* () {
      const [directory, url] = [yield* folder, yield* databaseOf(freshDatabase)]
      const { id } = yield* sharing(({ archive }) => archive.start(request(directory, 3)), Effect.succeed(url))
      const { worker: one } = worker()
      yield* machine(url, one)
      yield* machine(url, one)
      const results = join(directory, "out", "results.jsonl")
      yield* until(() => existsSync(results))
      expect(readFileSync(results, "utf8").trimEnd().split("\n").length).toBe(3)
      const after = yield* sharing(
        ({ archive }) =>
          Effect.repeat(Effect.delay(archive.status(id), 20), { until: ({ resultsDue }) => !resultsDue }),
        Effect.succeed(url)
      )
      expect(after).toMatchObject({ state: "ended", counts: { done: 3 } })
    })
  )

  it.scopedLive("leave a run to a machine that has a worker for it, and work on several runs at once", () =>
    sharing(({ archive, directory, url }) =>
      Effect.gen(function* () {
        const [one, other] = [worker(), worker()]
        const logged: Array<string> = []
        yield* machine(url, { ...other.worker, operation: "Synthesize" }, logged)
        const first = yield* archive.start(request(directory, 20))
        // Its recordings do not exist: without an output, it would be taken for a run that was moved.
        mkdirSync(`${directory}/out`)
        const second = yield* archive.start(request(`${directory}/second`, 20, { source: source(20, "/others") }))
        const ids = [first.id, second.id]
        yield* until(() => logged.length === 2)
        const sentences = ids.map(
          (run) => `This machine leaves the run ${run} to others: it has no address of the service for Transcribe.`
        )
        expect(logged.toSorted()).toEqual(sentences.toSorted())
        expect((yield* archive.status(first.id)).counts).toMatchObject({ pending: 20 })
        yield* machine(url, one.worker)
        for (const run of ids) {
          expect(yield* ended(archive, run)).toMatchObject({ state: "ended", counts: { done: 20 } })
        }
        expect([one.calls.begun.length, other.calls.begun.length, logged.length]).toEqual([40, 0, 2])
      })
    )
  )

  it.scopedLive("go on after a restart of the database, with who watches them", () =>
    Effect.gen(function* () {
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres()),
        ({ stop }) => Effect.promise(stop)
      )
      yield* sharing(
        ({ archive, directory, url }) =>
          Effect.gen(function* () {
            const double = worker(() => done, 100)
            yield* machine(url, double.worker)
            const { id } = yield* archive.start(request(directory, 60))
            const watching = yield* Effect.fork(ended(archive, id))
            yield* until(() => double.calls.begun.length > 10)
            yield* Effect.promise(postgres.crash)
            yield* Effect.sleep(500)
            yield* Effect.promise(postgres.start)
            expect(yield* Fiber.join(watching)).toMatchObject({ state: "ended", counts: { done: 60, held: 0 } })
            expect(double.calls.begun.length).toBe(60)
          }),
        databaseOf(postgres.database)
      )
    })
  )
})

describe("a process whose store another one has taken over, since its lock file was removed,", () => {
  it.scopedLive("begins no call any more, and no file is called twice", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = `${directory}/runs.db`
      const answered = yield* Effect.makeLatch(false)
      const [slow, next] = [worker(() => Effect.as(answered.await, done)), worker()]
      yield* inProcess(Archive.layerEmbedded({ path, workers: [slow.worker], concurrency: 2 }), (archive) =>
        Effect.gen(function* () {
          const { id } = yield* archive.start(request(directory, 20))
          yield* until(() => slow.calls.active === 2)
          rmSync(`${path}.lock`)
          yield* inProcess(Archive.layerEmbedded({ path, workers: [next.worker] }), (other) =>
            Effect.gen(function* () {
              yield* other.resume(id)
              expect((yield* ended(other, id)).counts).toMatchObject({ done: 18, held: 2 })
            })
          )
          // What the first had under way is done a little later.
          yield* answered.open
          yield* Effect.repeat(Effect.delay(archive.status(id), 100), { until: ({ counts }) => counts.done === 20 })
          const called = [...slow.calls.begun, ...next.calls.begun]
          expect([called.length, new Set(called).size]).toEqual([20, 20])
        })
      )
    })
  )
})
