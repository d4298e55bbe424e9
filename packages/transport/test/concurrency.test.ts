/** The limit of the calls of a layer, and their queue. */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import type { CallEvent } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { faultyServer, onRequest, respond } from "effect-speech-test-support/faultyServer"
import { makeCallQueue, type Place } from "../src/internal/call/callQueue.js"
import * as Concurrency from "../src/internal/options/concurrency.js"
import {
  type Failed,
  operation,
  type PlayOptions,
  playedTransport,
  resolvedDeadlines,
  transportOver
} from "./scriptedTransport.js"

/** A few turns of the event loop. */
const turns = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
})

const nameOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** A transport whose requests last until `answer` gives them a status. */
const heldTransport = (options: PlayOptions) =>
  Effect.gen(function* () {
    const started: Array<string> = []
    const statuses = new Map<string, Deferred.Deferred<number>>()
    const transport = yield* playedTransport(
      (request) =>
        Effect.gen(function* () {
          const name = nameOf(request)
          const status = yield* Deferred.make<number>()
          started.push(name)
          statuses.set(name, status)
          return new Response("ok", { status: yield* Deferred.await(status) })
        }),
      options
    )
    const answer = (name: string, status = 200) => {
      const waiting = statuses.get(name)
      return waiting === undefined
        ? Effect.dieMessage(`There is no request ${name}.`)
        : Deferred.succeed(waiting, status)
    }
    return {
      transport,
      started,
      /** Starts a call. */
      call: (name: string, onEvent?: (event: CallEvent.CallEvent) => Effect.Effect<void>) =>
        Effect.zipLeft(Effect.fork(Effect.either(transport.run(named(name), { onEvent }))), turns),
      answer: (name: string, status?: number) => Effect.zipRight(answer(name, status), turns)
    }
  })

const named = (name: string) => operation(new TextEncoder().encode(name))

/** The result of an operation whose response is read later. */
const opened = (name: string): Operation.Operation<{ pull: Operation.Response<Failed>["pull"] }, Failed> => ({
  ...named(name),
  accept: ({ pull }) => Effect.succeed({ pull })
})

describe("the calls of a layer", () => {
  it.effect("run as many at a time as its concurrency says, in the order in which they came", () =>
    Effect.gen(function* () {
      const { answer, call, started } = yield* heldTransport({ concurrency: 2 })
      const fibers = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) => call(name))
      expect(started).toEqual(["a", "b"])
      yield* answer("b")
      // A new call does not overtake those that wait.
      fibers.push(yield* call("f"))
      expect(started).toEqual(["a", "b", "c"])
      for (const name of ["a", "c", "d", "e", "f"]) yield* answer(name)
      expect(started).toEqual(["a", "b", "c", "d", "e", "f"])
      expect(yield* Fiber.join(Fiber.all(fibers))).toEqual(fibers.map(() => Either.right("ok")))
    })
  )

  it.effect("say how many calls are ahead while they wait, and for how long they waited", () =>
    Effect.gen(function* () {
      const events: Array<unknown> = []
      const { answer, call } = yield* heldTransport({ concurrency: 1 })
      const observed = (name: string) =>
        call(name, (event) => Effect.sync(() => void (event._tag === "Queued" && events.push(name, event.ahead))))
      const fibers = yield* Effect.forEach(["a", "b", "c"], observed)
      yield* TestClock.adjust("3 seconds")
      yield* answer("a", 400)
      yield* TestClock.adjust("2 seconds")
      yield* answer("b", 400)
      yield* TestClock.adjust("1 second")
      yield* answer("c", 400)
      // The first did not wait.
      expect(events).toEqual(["b", 0, "c", 1])
      const outcomes = yield* Fiber.join(Fiber.all(fibers))
      expect(outcomes[0]).not.toHaveProperty("left.progress.queuedMillis")
      expect(outcomes.slice(1).map((outcome) => Either.getLeft(outcome))).toMatchObject([
        { value: { progress: { queuedMillis: 3000, elapsedMillis: 5000 } } },
        { value: { progress: { queuedMillis: 5000, elapsedMillis: 6000 } } }
      ])
    })
  )

  it.effect("end at their total deadline while they wait, and at no other, and leave the queue", () =>
    Effect.gen(function* () {
      const deadlines = resolvedDeadlines({ total: "5 minutes" }, "1 hour")
      const { answer, call, started } = yield* heldTransport({ concurrency: 1, deadlines })
      yield* call("a")
      yield* TestClock.adjust("2 minutes")
      const late = yield* call("b")
      yield* TestClock.adjust("2 minutes")
      const last = yield* call("c")
      const waiting = yield* call("d")
      yield* answer("a")
      expect(started).toEqual(["a", "b"])
      yield* TestClock.adjust("3 minutes")
      expect(yield* Fiber.join(late)).toMatchObject({ left: { failure: { _tag: "DeadlineExceeded", phase: "total" } } })
      yield* turns
      expect(started).toEqual(["a", "b", "c"])
      yield* TestClock.adjust("2 minutes")
      expect(yield* Fiber.join(last)).toMatchObject({ left: { failure: { phase: "total" } } })
      expect(yield* Fiber.join(waiting)).toMatchObject({
        left: {
          failure: { _tag: "DeadlineExceeded", phase: "total", limitMillis: 300_000 },
          progress: { attempts: [], sent: "nothing", queuedMillis: 300_000 }
        }
      })
      const next = yield* call("e")
      yield* answer("e")
      expect(yield* Fiber.join(next)).toEqual(Either.right("ok"))
    })
  )

  it.effect("leave the queue when they are interrupted, and free their place", () =>
    Effect.gen(function* () {
      const { answer, call, started } = yield* heldTransport({ concurrency: 1 })
      const running = yield* call("a")
      const waiting = yield* call("b")
      const next = yield* call("c")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      yield* turns
      expect(started).toEqual(["a", "c"])
      yield* answer("c")
      expect(yield* Fiber.join(next)).toEqual(Either.right("ok"))
      yield* call("d")
      expect(started).toEqual(["a", "c", "d"])
    })
  )

  it.effect("keep their place during the delay before a retry", () =>
    Effect.gen(function* () {
      const { answer, call, started } = yield* heldTransport({ concurrency: 1, retries: { retries: 1 } })
      yield* call("a")
      yield* call("b")
      yield* answer("a", 503)
      expect(started).toEqual(["a"])
      yield* TestClock.adjust("1 second")
      yield* turns
      expect(started).toEqual(["a", "a"])
      yield* answer("a")
      expect(started).toEqual(["a", "a", "b"])
    })
  )

  it.effect.each(["is read to its end", "is closed early"])("keep their place until a response %s", (how) =>
    Effect.gen(function* () {
      const { answer, call, started, transport } = yield* heldTransport({ concurrency: 1 })
      const scope = yield* Scope.make()
      const opening = yield* Effect.fork(Scope.extend(transport.open(opened("a")), scope))
      yield* turns
      yield* answer("a")
      const { pull } = yield* Fiber.join(opening)
      yield* call("b")
      expect(started).toEqual(["a"])
      if (how === "is closed early") yield* Scope.close(scope, Exit.void)
      else while ((yield* pull) !== undefined);
      yield* turns
      expect(started).toEqual(["a", "b"])
    })
  )
})

it.scopedLive.each([
  { start: "one after another", concurrency: 1, connections: 1 },
  { start: "eight at a time", concurrency: 8, connections: 8 },
  { start: "all at once", concurrency: "unbounded", connections: 8 }
] as const)("20 calls that start $start have no more connections than their layer runs calls", (expected) =>
  Effect.gen(function* () {
    const { concurrency, connections } = expected
    const answer = respond(200, {}, "ok")
    const server = yield* faultyServer(onRequest((...given) => setTimeout(() => answer(...given), 10)))
    const transport = yield* transportOver(NodeTransport.layer, { concurrency: 8 })
    const call = transport.run(operation(undefined, true, `http://${server.host}/`))
    expect(yield* Effect.replicateEffect(call, 20, { concurrency })).toEqual(Array(20).fill("ok"))
    expect(server.accepted()).toBe(connections)
  })
)

describe("the queue of a layer", () => {
  it("lets the call that follows another one in the same turn of the event loop wait for its place, though others are free", () => {
    const resting: Array<() => void> = []
    const enter = makeCallQueue(8, (run) => resting.push(run))
    const begun: Array<string> = []
    enter().leave()
    const next = enter()
    next.whenReady(() => begun.push("next"))
    expect([next.isReady, next.ahead]).toEqual([false, undefined])
    // No second place rests.
    expect(enter().isReady).toBe(true)
    expect(begun).toEqual([])
    for (const passOn of resting) passOn()
    expect(begun).toEqual(["next"])
  })

  const steps = FastCheck.array(FastCheck.oneof(FastCheck.constantFrom("come", "end of turn"), FastCheck.nat(20)), {
    maxLength: 80
  })
  it.each([
    { places: "are free at once", rest: false },
    { places: "rest until the end of a turn", rest: true }
  ])("uses each place once and leaves none idle, whenever calls come and leave, if places $places", ({ rest }) => {
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: 4 }), steps, (concurrency, steps) => {
        const resting: Array<() => void> = []
        const enter = makeCallQueue(concurrency, (run) => (rest ? resting.push(run) : run()))
        const present: Array<{ readonly place: Place; runs: boolean }> = []
        const begun: Array<number> = []
        let count = 0
        for (const step of [...steps, "end of turn"]) {
          // A number is the call that leaves.
          if (typeof step === "number") present.splice(step % Math.max(1, present.length), 1)[0]?.place.leave()
          else if (step === "end of turn") for (const passOn of resting.splice(0)) passOn()
          else {
            const call = { place: enter(), number: count++, runs: false }
            present.push(call)
            call.place.whenReady(() => {
              call.runs = true
              begun.push(call.number)
            })
          }
          const running = present.filter(({ runs }) => runs).length
          expect(running).toBeLessThanOrEqual(concurrency)
          if (!rest || step === "end of turn") expect(running).toBe(Math.min(concurrency, present.length))
        }
        if (!rest) expect(begun).toEqual(begun.toSorted((one, other) => one - other))
      })
    )
  })
})

describe("the concurrency of a layer", () => {
  it("is 64 by default", () => {
    expect(Concurrency.parse({})).toEqual(Either.right(64))
    expect(Concurrency.parse({ concurrency: 1 })).toEqual(Either.right(1))
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("must not be %d", (concurrency) => {
    const error = Either.getOrThrow(Either.flip(Concurrency.parse({ concurrency })))
    expect(String(error)).toContain(`concurrency: "must be a whole number from 1 or "unbounded", not ${concurrency}"`)
  })
})
