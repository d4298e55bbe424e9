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
import { ArchiveStoreFailed } from "../src/ArchiveError.js"
import * as Service from "../src/internal/service/service.js"
import * as Watch from "../src/internal/service/watch.js"
import { Store, type StoreService } from "../src/internal/store/Store.js"
import { folder, hurry, request } from "./support/double.js"
import { libsql, settings } from "./support/stores.js"

describe("a run that is being listed", () => {
  /** Seconds of waiting, and whether the run is watched still after each. */
  const watched = (
    seconds: ReadonlyArray<number>,
    touch: (store: StoreService) => Effect.Effect<void, ArchiveStoreFailed>
  ) =>
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

/** An archive in this process, over the store that a test has changed. */
const archiveOver = (change: (store: StoreService) => Partial<StoreService>) =>
  Effect.gen(function* () {
    const store = yield* Store
    const service = Service.make({ costs: new Map(), checks: new Map() })
    const archive = yield* Effect.provideService(service, Store, { ...store, ...change(store) })
    return { archive, store }
  })

const run = <A, E>(body: Effect.Effect<A, E, Store | Scope.Scope | FileSystem.FileSystem>) =>
  body.pipe(Effect.scoped, Effect.provide(Layer.merge(libsql, NodeFileSystem.layer)), hurry)

describe("a run that is paused and resumed while it is watched", () => {
  it.live("is watched on, to its end", () =>
    run(
      Effect.gen(function* () {
        const [writing, resumed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // The output of a pause is written for as long as it takes to resume the run.
        const wait = Effect.zipRight(Deferred.succeed(writing, undefined), Deferred.await(resumed))
        const { archive, store } = yield* archiveOver(({ outputs }) => ({
          outputs: (run) => Stream.unwrap(Effect.as(wait, outputs(run)))
        }))
        const { id } = yield* archive.start(request(yield* folder, 1))
        const watching = yield* Effect.fork(Stream.runLast(archive.progress(id)))
        yield* store.changeState(id, "paused", "paused")
        yield* Deferred.await(writing)
        yield* store.begin(id, "resumed")
        yield* Deferred.succeed(resumed, undefined)
        yield* Effect.sleep(1_200)
        assert.isTrue(Option.isNone(yield* Fiber.poll(watching)))
        yield* store.changeState(id, "ended", "ended")
        assert.strictEqual(Option.getOrThrow(yield* Fiber.join(watching)).state, "ended")
      })
    )
  )
})

describe("an outage of the database", () => {
  const outage = new ArchiveStoreFailed({
    store: "postgresql://db/speech",
    code: "57P01",
    message: "The server shuts down."
  })

  it.live("while files are listed does not end the listing", () =>
    run(
      Effect.gen(function* () {
        let calls = 0
        const { archive } = yield* archiveOver(({ addItems }) => ({
          addItems: (...given) =>
            Effect.suspend(() => (++calls === 2 || calls === 3 ? Effect.fail(outage) : addItems(...given)))
        }))
        const { counts, state } = yield* archive.start(request(yield* folder, 2_500))
        assert.deepStrictEqual([state, counts.pending, calls], ["running", 2_500, 5])
      })
    )
  )

  it.live("while the output is written does not end the run with an error", () =>
    run(
      Effect.gen(function* () {
        let calls = 0
        const { archive, store } = yield* archiveOver(({ outputs }) => ({
          outputs: (run) => Stream.suspend(() => (++calls <= 2 ? Stream.fail(outage) : outputs(run)))
        }))
        const { id } = yield* archive.start(request(yield* folder, 1))
        yield* store.changeState(id, "ended", "ended")
        const last = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        assert.deepStrictEqual([last.state, last.output?.files], ["ended", 0])
        assert.isAbove(calls, 2)
      })
    )
  )
})
