import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as EventDelivery from "../src/EventDelivery.js"

interface Progress {
  readonly _tag: "Uploading" | "Waiting"
  readonly attempt: number
  readonly sentBytes?: number
}

/** Later progress of an upload replaces what waits of it. */
const replaces = (later: Progress, earlier: Progress): boolean =>
  later._tag === "Uploading" && earlier._tag === "Uploading" && later.attempt === earlier.attempt

const never = () => false

/** A handler that records each event when the gate is open. */
const gated = <Event>() =>
  Effect.map(Effect.makeLatch(), (gate) => {
    const seen: Array<Event> = []
    const handler = (event: Event) =>
      Effect.map(gate.await, () => {
        seen.push(event)
      })
    return { gate, handler, seen }
  })

/** Records the messages of logs. */
const recordLogs = () => {
  const messages: Array<string> = []
  const logger = Logger.make(({ message }) => void messages.push(String(message)))
  return { messages, layer: Logger.replace(Logger.defaultLogger, logger) }
}

describe("a handler of events", () => {
  it.effect("that waits gets one event after the other, in order, and delays no call", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const handler = (event: number) =>
        Effect.sync(() => void seen.push(`${event} begins`)).pipe(
          Effect.zipRight(Effect.sleep("1 second")),
          Effect.zipRight(Effect.sync(() => void seen.push(`${event} ends`)))
        )
      const { emit } = yield* EventDelivery.scoped(handler, never)
      for (const event of [1, 2, 3]) yield* emit(event)
      expect(seen).toEqual(["1 begins"])
      yield* TestClock.adjust("3 seconds")
      expect(seen).toEqual([1, 2, 3].flatMap((event) => [`${event} begins`, `${event} ends`]))
    }).pipe(Effect.scoped)
  )

  it.effect("that emits an event itself gets it next", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const delivery: EventDelivery.EventDelivery<number> = EventDelivery.make<number>(
        (event) =>
          Effect.gen(function* () {
            if (event < 3) yield* delivery.emit(event + 1)
            seen.push(event)
          }),
        never
      )
      yield* delivery.emit(1)
      expect(seen).toEqual([1, 2, 3])
    })
  )

  it.effect("sees the context and the fiber refs of whoever emitted the event, and changes none of them", () =>
    Effect.gen(function* () {
      const place = yield* FiberRef.make("nowhere")
      const seen: Array<string> = []
      const handler = () =>
        Effect.gen(function* () {
          yield* Effect.yieldNow()
          seen.push(yield* FiberRef.get(place))
          yield* FiberRef.set(place, "changed")
        })
      const { emit } = yield* EventDelivery.scoped(handler, never)
      for (const name of ["here", "there"]) yield* Effect.locally(emit(name), place, name)
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow()
      expect([seen, yield* FiberRef.get(place)]).toEqual([["here", "there"], "nowhere"])
    }).pipe(Effect.scoped)
  )

  it.effect("that fails, dies or throws gets the next event, and each failure is logged once", () => {
    const { layer, messages } = recordLogs()
    return Effect.gen(function* () {
      let events = 0
      const handler = (event: string): Effect.Effect<void> => {
        events++
        if (event === "throws") throw new Error("broken")
        return event === "dies" ? Effect.die("broken") : Effect.delay(Effect.die("broken"), 1)
      }
      const { emit } = yield* EventDelivery.scoped(handler, never)
      for (const event of ["throws", "dies", "dies later", "dies"]) yield* emit(event)
      yield* TestClock.adjust("1 second")
      expect([events, messages]).toEqual([4, Array.from({ length: 4 }, () => "onEvent failed")])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("gets the next event even if the logger throws too", () =>
    Effect.gen(function* () {
      const throwing = Logger.make(() => {
        throw new Error("the disk is full")
      })
      let events = 0
      const handler = () =>
        Effect.zipRight(
          Effect.sync(() => events++),
          Effect.die("broken")
        )
      const { emit } = yield* EventDelivery.scoped(handler, never)
      yield* Effect.all([emit(1), emit(2)]).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, throwing)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
      expect(events).toBe(2)
    }).pipe(Effect.scoped)
  )
})

describe("events that wait", () => {
  const tags = FastCheck.constantFrom("Uploading" as const, "Waiting" as const)
  it.effect("arrive in order, and the latest progress of each upload is among them", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.array(FastCheck.tuple(tags, FastCheck.nat(2)), { maxLength: 30 }), (drawn) =>
          Effect.gen(function* () {
            const events = drawn.map(([_tag, attempt], index): Progress => ({ _tag, attempt, sentBytes: index }))
            const { gate, handler, seen } = yield* gated<Progress>()
            const delivery = EventDelivery.make(handler, replaces)
            for (const event of events) yield* delivery.emit(event)
            yield* gate.open
            while (seen.at(-1) !== events.at(-1)) yield* Effect.yieldNow()
            // The first event is with the handler already.
            const expected = events.filter(
              (event, index) => index === 0 || !events.slice(index + 1).some((later) => replaces(later, event))
            )
            expect(seen).toEqual(expected)
          }).pipe(Effect.runPromise)
        ),
        { numRuns: 200 }
      )
    )
  )

  it.effect("are at most 1000: the oldest are dropped, and one warning says so", () => {
    const { layer, messages } = recordLogs()
    return Effect.gen(function* () {
      const { gate, handler, seen } = yield* gated<number>()
      const { emit } = yield* EventDelivery.scoped(handler, never)
      for (let event = 0; event < 2500; event++) yield* emit(event)
      yield* gate.open
      while (seen.at(-1) !== 2499) yield* Effect.yieldNow()
      expect([seen.length, seen[0], seen[1]]).toEqual([1001, 0, 1500])
      expect(messages).toEqual(["onEvent is too slow for the events, so the oldest that wait are dropped"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("when the job ends, a handler that still runs", () => {
  const slow = (seen: Array<number>, seconds: number) => (event: number) =>
    Effect.zipRight(
      Effect.sleep(`${seconds} seconds`),
      Effect.sync(() => void seen.push(event))
    )

  it.effect("has 10 seconds for the events that are left", () => {
    const { layer, messages } = recordLogs()
    return Effect.gen(function* () {
      const seen: Array<number> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { emit } = yield* EventDelivery.scoped(slow(seen, 4), never)
          for (const event of [1, 2, 3, 4]) yield* emit(event)
        })
      )
      yield* TestClock.adjust("9 seconds")
      expect([seen, messages]).toEqual([[1, 2], []])
      yield* TestClock.adjust("1 minute")
      expect([seen, messages]).toEqual([
        [1, 2],
        ["onEvent was interrupted 10 seconds after the end, and 1 events were not delivered"]
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is left alone if it ends in time", () => {
    const { layer, messages } = recordLogs()
    return Effect.gen(function* () {
      const seen: Array<number> = []
      const delivery = EventDelivery.make(slow(seen, 4), never)
      for (const event of [1, 2]) yield* delivery.emit(event)
      delivery.unsafeEnd(Exit.fail("an error of the job"), yield* Effect.clock)
      yield* delivery.emit(3)
      yield* TestClock.adjust("1 minute")
      expect([seen, messages]).toEqual([[1, 2], []])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is interrupted at once if the job is interrupted, without waiting for it", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const handler = (event: number) =>
        Effect.never.pipe(
          Effect.onInterrupt(() =>
            Effect.zipRight(
              Effect.sync(() => void seen.push(`${event}`)),
              Effect.never
            )
          )
        )
      const scope = yield* Scope.make()
      const { emit } = yield* Scope.extend(EventDelivery.scoped(handler, never), scope)
      yield* emit(1)
      yield* emit(2)
      yield* Scope.close(scope, Exit.interrupt(FiberId.none))
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow()
      expect(seen).toEqual(["1"])
    })
  )
})
