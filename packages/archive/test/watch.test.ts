import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { StoreFailed } from "../src/ArchiveError.js"
import * as Service from "../src/internal/service/service.js"
import * as Watch from "../src/internal/service/watch.js"
import { layerLibsql } from "../src/internal/store/libsqlStore.js"
import { Store, type StoreService } from "../src/internal/store/Store.js"
import { folder, request } from "./support/double.js"
import { settings } from "./support/settings.js"

const libsql = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "archive-watch-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    ),
    (path) => layerLibsql({ path: join(path, "store.db") })
  )
)

describe("a run that is being listed", () => {
  /** Seconds of waiting, and whether the run is watched still after each. */
  const watched = (seconds: ReadonlyArray<number>, touch: (store: StoreService) => Effect.Effect<void, StoreFailed>) =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* TestClock.setTime(1_700_000_000_000)
      yield* store.createRun("run", settings, {})
      const watching = yield* Effect.fork(Watch.make(store, undefined).untilStopped("run"))
      return yield* Effect.forEach(seconds, (each) =>
        TestClock.adjust(each * 1_000).pipe(
          Effect.zipRight(touch(store)),
          Effect.zipRight(Effect.map(Fiber.poll(watching), Option.isNone))
        )
      )
    }).pipe(Effect.provide(libsql))

  it.scoped("is watched as long as its process says that it lists", () =>
    Effect.gen(function* () {
      const seconds = Array.from({ length: 20 }, () => 5)
      assert.deepStrictEqual(
        yield* watched(seconds, (store) => store.touch("run")),
        seconds.map(() => true)
      )
    })
  )

  it.scoped("has stopped when its process has said nothing for 35 seconds, and is listing still", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* watched([34, 2], () => Effect.void), [true, false])
    })
  )

  it.scoped("is watched although the clock of the store is behind", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.createRun("run", settings, {})
      yield* TestClock.setTime(1_700_000_000_000)
      const watching = yield* Effect.fork(Watch.make(store, undefined).untilStopped("run"))
      yield* TestClock.adjust("30 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(watching)))
    }).pipe(Effect.provide(libsql))
  )
})

describe("a run that is paused and resumed while it is watched", () => {
  it.live("is watched on, to its end", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const paused = yield* Deferred.make<void>()
      // The output of a pause is written for as long as it takes to resume the run.
      const slow: StoreService = {
        ...store,
        outputs: (run) => Stream.unwrap(Effect.as(Deferred.await(paused), store.outputs(run)))
      }
      const options = { costs: new Map(), checks: new Map() }
      const archive = yield* Effect.provideService(Service.make(options), Store, slow)
      const { id } = yield* archive.start(request(yield* folder, 1))
      const watching = yield* Effect.fork(Stream.runLast(archive.progress(id)))
      yield* store.changeState(id, "paused", "paused")
      yield* Effect.sleep(700)
      yield* store.begin(id, "resumed")
      yield* Deferred.succeed(paused, undefined)
      yield* Effect.sleep(1_200)
      assert.isTrue(Option.isNone(yield* Fiber.poll(watching)))
      yield* store.changeState(id, "ended", "ended")
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(watching)).state, "ended")
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(libsql, NodeFileSystem.layer)))
  )
})

describe("an outage of the database", () => {
  const outage = new StoreFailed({ store: "postgresql://db/speech", code: "57P01", message: "The server shuts down." })

  /** An archive whose store fails so many times in one of its methods. */
  const failing = (method: "addItems" | "outputs", after: number, times: number) =>
    Effect.gen(function* () {
      const store = yield* Store
      let calls = 0
      const fails = () => ++calls > after && calls <= after + times
      const failed: StoreService = {
        ...store,
        ...(method === "addItems" && {
          addItems: (...given) => Effect.suspend(() => (fails() ? Effect.fail(outage) : store.addItems(...given)))
        }),
        ...(method === "outputs" && {
          outputs: (run) => Stream.suspend(() => (fails() ? Stream.fail(outage) : store.outputs(run)))
        })
      }
      const options = { costs: new Map(), checks: new Map() }
      const archive = yield* Effect.provideService(Service.make(options), Store, failed)
      return { archive, store, calls: () => calls }
    })

  const run = <A, E>(body: Effect.Effect<A, E, Store | Scope.Scope | FileSystem.FileSystem>) =>
    body.pipe(Effect.scoped, Effect.provide(Layer.merge(libsql, NodeFileSystem.layer)))

  it.live("while files are listed does not end the listing", () =>
    run(
      Effect.gen(function* () {
        const { archive, calls } = yield* failing("addItems", 1, 2)
        const { counts, state } = yield* archive.start(request(yield* folder, 2_500))
        assert.deepStrictEqual([state, counts.pending, calls()], ["running", 2_500, 5])
      })
    )
  )

  it.live("while the output is written does not end the run with an error", () =>
    run(
      Effect.gen(function* () {
        const { archive, calls, store } = yield* failing("outputs", 0, 2)
        const { id } = yield* archive.start(request(yield* folder, 1))
        yield* store.changeState(id, "ended", "ended")
        const last = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        assert.deepStrictEqual([last.state, last.output?.files], ["ended", 0])
        assert.isAbove(calls(), 2)
      })
    )
  )
})
