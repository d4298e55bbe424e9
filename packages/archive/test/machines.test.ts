import { createServer } from "node:net"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { freePort } from "../../../test/support/freePort.js"
import { loopback } from "../../../test/support/loopback.js"
import { freshDatabase, hasPostgres, postgresTitle } from "../../../test/support/postgres.js"
import { Archive } from "../src/Archive.js"
import type { Worker } from "../src/Worker.js"
import { done, ended, folder, inProcess, request, until, worker } from "./support/double.js"

const layerOf = (url: Redacted.Redacted, worker: Worker, address: { readonly host: string; readonly port: number }) =>
  Layer.provide(Archive.layerMachine({ url, ...address, workers: [worker], concurrency: 8 }), NodeFileSystem.layer)

/** Starts a machine. The result ends it in order. */
const machine = (url: Redacted.Redacted, worker: Worker) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
    yield* Layer.buildWithScope(layerOf(url, worker, { host: "127.0.0.1", port }), scope)
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
    "share a run that was under way when one of them joined, without activities of the engine",
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
        // The cluster interrupts activities that move, and may then not deliver them for ten minutes.
        const tags = Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT DISTINCT tag FROM cluster_messages`)
        expect(yield* Effect.provide(tags, PgClient.layer({ url }))).toEqual([{ tag: "run" }])
      }),
    90_000
  )

  it.scopedLive("says why it can't listen at its address, and takes part in nothing", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Effect.promise(freshDatabase))
      const { worker: idle } = worker()
      const { host } = yield* loopback(createServer())
      const port = Number(new URL(`tcp://${host}`).port)
      const listen = (host: string) => Effect.flip(Effect.scoped(Layer.build(layerOf(url, idle, { host, port }))))
      const taken = yield* listen("127.0.0.1")
      expect(taken).toMatchObject({ _tag: "AddressFailed", host: "127.0.0.1", port, code: "EADDRINUSE" })
      expect(taken.message).toBe(
        `This machine can't listen on 127.0.0.1:${port} (EADDRINUSE): another program does. End that, or give another port.`
      )
      // An address for documents, which no machine has.
      const other = yield* listen("192.0.2.1")
      expect(other).toMatchObject({ _tag: "AddressFailed", code: "EADDRNOTAVAIL" })
      expect(other.message).toContain("an address of this machine")
      const machines = Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT * FROM archive_machines`)
      expect(yield* Effect.provide(machines, PgClient.layer({ url }))).toEqual([])
    })
  )

  // A machine that reads a message while its shard moves marks it as read and drops it. The cluster sends it again after ten minutes.
  const lost: ReadonlyArray<readonly [what: string, entity: string]> = [
    ["the run", "Workflow/Run"],
    ["its batches", "Workflow/Batch"]
  ]
  it.scopedLive.each(lost)(
    "end a run although the cluster loses the message of %s",
    ([_, entity]) =>
      Effect.gen(function* () {
        const directory = yield* folder
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        const [one, two] = [worker(), worker()]
        yield* machine(url, one.worker)
        yield* machine(url, two.worker)
        const lose = Effect.flatMap(PgClient.PgClient, (sql) =>
          sql.unsafe(`
            CREATE FUNCTION lose() RETURNS trigger AS 'BEGIN NEW.last_read := now(); RETURN NEW; END' LANGUAGE plpgsql;
            CREATE TRIGGER lose BEFORE INSERT OR UPDATE ON cluster_messages
              FOR EACH ROW WHEN (NEW.entity_type = '${entity}') EXECUTE FUNCTION lose()`)
        )
        yield* Effect.provide(lose, PgClient.layer({ url }))
        yield* inProcess(Archive.layerClient({ url }), (archive) =>
          Effect.gen(function* () {
            const { id } = yield* archive.start(request(directory, 100))
            const status = yield* Effect.timeout(ended(archive, id), 40_000)
            expect(status).toMatchObject({ state: "ended", counts: { done: 100, held: 0 } })
            expect(new Set([...one.calls.begun, ...two.calls.begun]).size).toBe(100)
            expect(one.calls.begun.length + two.calls.begun.length).toBe(100)
          })
        )
      }),
    90_000
  )
})
