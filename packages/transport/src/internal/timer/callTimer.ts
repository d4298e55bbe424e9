import { contained } from "@effect-speech/common/Contained"
import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type { Sent } from "../../CallReport.js"
import type { Phase } from "../../Deadlines.js"
import type { DeadlineExceeded } from "../../unstable/Failure.js"
import type { ResolvedDeadlines } from "../options/deadlines.js"

type TimedPhase = Exclude<Phase, "total">

const limitOf = { upload: "uploadIdle", answer: "answer", download: "downloadIdle" } as const

/**
 * Times the phases of one call. Only waiting counts: a slow consumer of received data does not exceed a deadline.
 */
export class CallTimer {
  /** How much of this attempt's request has left the process. */
  sent: Sent = "nothing"
  readonly #clock: Clock.Clock
  readonly #deadlines: ResolvedDeadlines
  /** The shortest deadline, in milliseconds. */
  readonly shortest: number
  readonly #end: number
  /** `undefined`: the call waits for its turn, which only the total deadline limits. */
  #phase: TimedPhase | undefined
  #since = 0
  /** Functions that end the running waits. Each wait removes its own. */
  readonly #settles = new Set<(outcome: Effect.Effect<never, DeadlineExceeded>) => void>()

  constructor(clock: Clock.Clock, deadlines: ResolvedDeadlines) {
    this.#clock = clock
    this.#deadlines = deadlines
    this.shortest = Math.min(deadlines.uploadIdle, deadlines.answer, deadlines.downloadIdle, deadlines.total)
    this.#end = MonotonicClock.unsafeMillis(clock) + deadlines.total
  }

  /** Time until the total deadline, in milliseconds. */
  get left(): number {
    return this.#end - MonotonicClock.unsafeMillis(this.#clock)
  }

  /** Starts an attempt. */
  begin(): void {
    this.sent = "nothing"
    this.#phase = "upload"
    this.#since = MonotonicClock.unsafeMillis(this.#clock)
  }

  /**
   * Starts a phase, or records progress in it. After the response has begun, an upload that still runs is no longer
   * timed.
   */
  reach(phase: TimedPhase): void {
    if (this.#phase === "download" && phase !== "download") return
    this.#phase = phase
    this.#since = MonotonicClock.unsafeMillis(this.#clock)
  }

  /**
   * Waits until `start` resumes. After a deadline or an interruption it runs the effect that `start` returned, which
   * stops the work. `undefined`: the end of the attempt stops it, or there is nothing to stop. That makes a wait cheaper.
   */
  wait<A, E = never>(
    start: (resume: (outcome: Effect.Effect<A, E>) => void) => Effect.Effect<void> | undefined
  ): Effect.Effect<A, E | DeadlineExceeded> {
    return Effect.async<A, E | DeadlineExceeded>((resume) => {
      const now = MonotonicClock.unsafeMillis(this.#clock)
      if (now >= this.#end) return resume(Effect.fail(this.totalExceeded))
      this.#since = now
      let stop: Effect.Effect<void> | undefined
      // After an interruption it may stay until the next deadline, where it changes nothing.
      const settle = (outcome: Effect.Effect<never, DeadlineExceeded>): void => {
        this.#settles.delete(settle)
        resume(stop === undefined ? outcome : Effect.zipRight(stop, outcome))
      }
      this.#settles.add(settle)
      stop = start((outcome) => {
        this.#settles.delete(settle)
        resume(outcome)
      })
      return stop
    })
  }

  /**
   * Runs an effect until a deadline passes. Then it interrupts the effect, but does not wait for it to end: `onStart` gets its
   * fiber, for who has to.
   */
  run<A, E>(
    effect: Effect.Effect<A, E>,
    onStart: (fiber: Fiber.RuntimeFiber<unknown>) => void = () => undefined
  ): Effect.Effect<A, E | DeadlineExceeded> {
    return Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      this.wait<A, E>((resume) => {
        const fiber = Runtime.runFork(runtime, contained(effect))
        onStart(fiber)
        fiber.addObserver((exit) => resume(Exit.flatten(exit)))
        return Fiber.interruptFork(fiber)
      })
    )
  }

  get totalExceeded(): DeadlineExceeded {
    return { _tag: "DeadlineExceeded", phase: "total", limitMillis: this.#deadlines.total }
  }

  /** Ends the call. A reader that still waits is outside the scope of the call, and dies. */
  end(): void {
    this.#settleAll(outOfScope)
  }

  /** Fails the waits if a deadline has passed. Otherwise it returns the time of the next check. `now` is monotonic. */
  check(now: number): number {
    if (this.#settles.size === 0) return now < this.#end ? this.#end : Number.POSITIVE_INFINITY
    if (now >= this.#end) {
      this.#settleAll(Effect.fail(this.totalExceeded))
      return Number.POSITIVE_INFINITY
    }
    if (this.#phase === undefined) return this.#end
    const limitMillis = this.#deadlines[limitOf[this.#phase]]
    const at = this.#since + limitMillis
    if (now < at) return Math.min(at, this.#end)
    this.#settleAll(Effect.fail({ _tag: "DeadlineExceeded", phase: this.#phase, limitMillis }))
    return Number.POSITIVE_INFINITY
  }

  #settleAll(outcome: Effect.Effect<never, DeadlineExceeded>): void {
    for (const settle of this.#settles) settle(outcome)
  }
}

export const outOfScope = Effect.dieMessage("A response body can be read once, inside the scope of its call.")

/** In milliseconds. Timers of JavaScript overflow after 24 days. */
export const longestSleep = 24 * 60 * 60 * 1000

/** Taken when the module loads, so that fake timers of a test do not keep the fiber. */
const { setImmediate } = globalThis

/**
 * Checks the deadlines of all calls of a layer in one fiber, which runs while there are calls. A timer and a race for
 * each phase of each call would cost more than the call. The fiber ends a turn of the event loop after the last call, so
 * that calls in a row share it.
 *
 * The fiber sleeps at most as long as the shortest deadline of any call, so it wakes in time for a deadline that starts meanwhile.
 */
export class DeadlineMonitor {
  readonly #clock: Clock.Clock
  readonly #timers = new Set<CallTimer>()
  #fiber: Fiber.RuntimeFiber<never> | undefined
  #mayEnd = false
  /** How long the fiber sleeps at most. */
  #longest = 0

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  add(timer: CallTimer): void {
    this.#timers.add(timer)
    if (this.#fiber !== undefined) {
      if (timer.shortest >= this.#longest) return
      // It may sleep for too long.
      this.#fiber.unsafeInterruptAsFork(FiberId.none)
    }
    this.#fiber = Effect.runFork(this.#checking)
  }

  remove(timer: CallTimer): void {
    this.#timers.delete(timer)
    if (this.#timers.size > 0 || this.#mayEnd) return
    this.#mayEnd = true
    setImmediate(() => {
      this.#mayEnd = false
      if (this.#timers.size > 0) return
      this.#fiber?.unsafeInterruptAsFork(FiberId.none)
      this.#fiber = undefined
    })
  }

  readonly #checking: Effect.Effect<never> = Effect.forever(
    Effect.suspend(() => {
      const now = MonotonicClock.unsafeMillis(this.#clock)
      let longest = longestSleep
      let next = Number.POSITIVE_INFINITY
      for (const timer of this.#timers) {
        longest = Math.min(longest, timer.shortest)
        next = Math.min(next, timer.check(now))
      }
      this.#longest = longest
      next = Math.min(next, now + longest)
      // One more turn: data that arrived while the process was busy is processed before the deadlines are checked.
      return Effect.zipRight(this.#clock.sleep(Duration.millis(next - now)), this.#clock.sleep(Duration.zero))
    })
  )
}
