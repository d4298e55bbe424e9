/**
 * Delivers the events of a job to a handler that must not disturb the job. The job never waits for the handler, and no failure
 * or defect of the handler reaches it.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { contained } from "./Contained.js"

/**
 * A function that runs at each event of a job. It has no errors; defects are logged.
 *
 * @since 0.1.0
 * @category models
 */
export type EventHandler<Event> = (event: Event) => Effect.Effect<void>

/**
 * A handler gets one event after the other, in order, each in a fiber with the context and the fiber refs of the job at that
 * moment. It runs in place until it first waits. While it waits, further events queue up: at most 1,000. Then the oldest are dropped, and a
 * warning says so once.
 *
 * @since 0.1.0
 * @category models
 */
export interface EventDelivery<Event> {
  /** Delivers an event. It never waits. */
  readonly emit: (event: Event) => Effect.Effect<void>
  /** The same outside of an effect, with the context and the fiber refs of a runtime. */
  readonly unsafeEmit: (event: Event, runtime: Runtime.Runtime<never>) => void
  /**
   * Ends the delivery with the job: events that are emitted later are dropped. It never waits. If the job was interrupted, so is the handler, and it gets no further
   * event. Otherwise the handler has 10 seconds for the events that are left. Then it is interrupted, and a warning says so.
   */
  readonly unsafeEnd: (exit: Exit.Exit<unknown, unknown>, clock: Clock.Clock) => void
}

/** Highest number of events that wait for a handler. After it the oldest are dropped, so that memory stays bounded. */
const longestQueue = 1000

const secondsAfterEnd = 10

const warn = (runtime: Runtime.Runtime<never>, message: string): void => {
  Runtime.runFork(runtime, contained(Effect.logWarning(message)))
}

/**
 * Makes a delivery that you end yourself, by `unsafeEnd`. If the job has a scope, use {@link scoped}.
 *
 * `replaces` says whether an event makes an earlier one of no interest. Of the events that still wait, the latest such one is dropped: a slow
 * handler of progress gets the latest figures.
 *
 * @example
 * ```ts
 * import { EventDelivery } from "@effect-speech/common"
 * import { Console, Effect } from "effect"
 *
 * const delivery = EventDelivery.make<number>(
 *   (percent) => Console.log(`${percent} %`),
 *   () => true
 * )
 * Effect.runSync(delivery.emit(50)) // 50 %
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Event>(
  handler: EventHandler<Event>,
  replaces: (later: Event, earlier: Event) => boolean
): EventDelivery<Event> => {
  interface Delivered {
    readonly event: Event
    readonly runtime: Runtime.Runtime<never>
  }
  const waiting: Array<Delivered> = []
  let running: { readonly fiber: Fiber.RuntimeFiber<unknown>; readonly runtime: Runtime.Runtime<never> } | undefined
  let isBusy = false
  let isEnded = false
  let dropped = 0
  let onIdle = (): void => undefined

  const start = ({ event, runtime }: Delivered): void => {
    isBusy = true
    const handling = Effect.suspend(() => handler(event)).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("onEvent failed", cause)),
      contained
    )
    const fiber = Runtime.runFork(runtime, handling)
    if (fiber.unsafePoll() !== null) {
      isBusy = false
      return
    }
    running = { fiber, runtime }
    fiber.addObserver(() => {
      running = undefined
      isBusy = false
      startWaiting()
    })
  }
  const startWaiting = (): void => {
    while (!isBusy) {
      const next = waiting.shift()
      if (next === undefined) {
        onIdle()
        return
      }
      start(next)
    }
  }
  const queue = (later: Delivered): void => {
    const replaced = waiting.findLastIndex(({ event }) => replaces(later.event, event))
    if (replaced >= 0) waiting.splice(replaced, 1)
    waiting.push(later)
    if (waiting.length <= longestQueue) return
    waiting.shift()
    if (dropped++ === 0) warn(later.runtime, "onEvent is too slow for the events, so the oldest that wait are dropped")
  }
  const unsafeEmit = (event: Event, runtime: Runtime.Runtime<never>): void => {
    if (isEnded) return
    if (isBusy) queue({ event, runtime })
    else {
      start({ event, runtime })
      startWaiting()
    }
  }
  const stop = (): void => {
    waiting.length = 0
    running?.fiber.unsafeInterruptAsFork(FiberId.none)
  }
  return {
    emit: (event) => Effect.map(Effect.runtime<never>(), (runtime) => unsafeEmit(event, runtime)),
    unsafeEmit,
    unsafeEnd: (exit, clock) => {
      isEnded = true
      if (running === undefined) return
      if (Exit.isInterrupted(exit)) {
        stop()
        return
      }
      const { runtime } = running
      const sleeper = Effect.runFork(clock.sleep(Duration.seconds(secondsAfterEnd)))
      sleeper.addObserver(() => {
        if (running === undefined) return
        const left = waiting.length === 0 ? "" : `, and ${waiting.length} events were not delivered`
        warn(runtime, `onEvent was interrupted ${secondsAfterEnd} seconds after the end${left}`)
        stop()
      })
      onIdle = () => sleeper.unsafeInterruptAsFork(FiberId.none)
    }
  }
}

/**
 * A delivery that ends with the scope. Without a handler it does nothing.
 *
 * @example
 * ```ts
 * import { EventDelivery } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * export const job = (onEvent: EventDelivery.EventHandler<string> | undefined) =>
 *   Effect.gen(function* () {
 *     const { emit } = yield* EventDelivery.scoped(onEvent, (later, earlier) => later === earlier)
 *     yield* emit("begun")
 *     yield* emit("ended")
 *   }).pipe(Effect.scoped)
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = <Event>(
  handler: EventHandler<Event> | undefined,
  replaces: (later: Event, earlier: Event) => boolean
): Effect.Effect<Pick<EventDelivery<Event>, "emit">, never, Scope.Scope> =>
  handler === undefined
    ? Effect.succeed({ emit: () => Effect.void })
    : Effect.acquireRelease(
        Effect.sync(() => make(handler, replaces)),
        (delivery, exit) => Effect.clockWith((clock) => Effect.sync(() => delivery.unsafeEnd(exit, clock)))
      )
