import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type { Sent } from "../../CallReport.js"
import type { Phase, ResolvedDeadlines } from "../../Deadlines.js"
import type { DeadlineExceeded, Failure } from "../../Failure.js"

type TimedPhase = Exclude<Phase, "total">

const limitOf = { upload: "uploadIdle", answer: "answer", download: "downloadIdle" } as const

/**
 * What a call waits for, and since when. Only waiting is timed: a consumer may take its time over what has come.
 */
export class Watch {
  /** How much of the request of this attempt has left the process. */
  sent: Sent = "nothing"
  readonly #clock: Clock.Clock
  readonly #deadlines: ResolvedDeadlines
  readonly #end: number
  #phase: TimedPhase = "upload"
  #since = 0
  #settle: ((outcome: Effect.Effect<never, Failure>) => void) | undefined

  constructor(clock: Clock.Clock, deadlines: ResolvedDeadlines) {
    this.#clock = clock
    this.#deadlines = deadlines
    this.#end = clock.unsafeCurrentTimeMillis() + deadlines.total
  }

  /** What is left of the whole call, in milliseconds. */
  get left(): number {
    return this.#end - this.#clock.unsafeCurrentTimeMillis()
  }

  /** An attempt begins. */
  begin(): void {
    this.sent = "nothing"
    this.#phase = "upload"
    this.#since = this.#clock.unsafeCurrentTimeMillis()
  }

  /** A phase has begun, or come a step further. What is still being sent once an answer has begun is no longer waited for. */
  reach(phase: TimedPhase): void {
    if (this.#phase === "download" && phase !== "download") return
    this.#phase = phase
    this.#since = this.#clock.unsafeCurrentTimeMillis()
  }

  /**
   * Waits until `start` resumes, or a deadline passes; what `start` gives stops the work in both cases but the first.
   */
  wait<A>(
    start: (resume: (outcome: Effect.Effect<A, Failure>) => void) => Effect.Effect<void>
  ): Effect.Effect<A, Failure> {
    return Effect.suspend(() => {
      if (this.left <= 0) return Effect.fail(this.totalExceeded)
      this.#since = this.#clock.unsafeCurrentTimeMillis()
      return Effect.async<A, Failure>((resume) => {
        let stop: Effect.Effect<void> = Effect.void
        this.#settle = (outcome) => {
          this.#settle = undefined
          resume(Effect.zipRight(stop, outcome))
        }
        stop = start((outcome) => {
          this.#settle = undefined
          resume(outcome)
        })
        return Effect.suspend(() => {
          this.#settle = undefined
          return stop
        })
      })
    })
  }

  /** Runs an effect of somebody else's, which need not heed its interruption at once, until a deadline passes. */
  run<A>(effect: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> {
    return Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      this.wait((resume) => {
        const fiber = Runtime.runFork(runtime, Effect.interruptible(effect))
        fiber.addObserver((exit) => resume(exit))
        return Fiber.interruptFork(fiber)
      })
    )
  }

  get totalExceeded(): DeadlineExceeded {
    return { _tag: "DeadlineExceeded", phase: "total", limitMillis: this.#deadlines.total }
  }

  /** Nothing more will come: whoever still waits does so outside the scope of the call. */
  end(): void {
    this.#settle?.(outOfScope)
  }

  /** Ends what is waited for too long; else tells when to look again. */
  check(now: number): number {
    if (this.#settle === undefined) return now < this.#end ? this.#end : Number.POSITIVE_INFINITY
    if (now >= this.#end) {
      this.#settle(Effect.fail(this.totalExceeded))
      return Number.POSITIVE_INFINITY
    }
    const limitMillis = this.#deadlines[limitOf[this.#phase]]
    const at = this.#since + limitMillis
    if (now < at) return Math.min(at, this.#end)
    this.#settle(Effect.fail({ _tag: "DeadlineExceeded", phase: this.#phase, limitMillis }))
    return Number.POSITIVE_INFINITY
  }
}

export const outOfScope = Effect.dieMessage("The body of an answer can be read once, inside the scope of its call.")

/** Timers of a platform overflow after 24 days. */
export const longestSleep = 24 * 60 * 60 * 1000

/**
 * The one fiber that watches all calls of a layer: a timer and a race for each phase of each call would cost more
 * than the call. It lives while there are calls.
 *
 * It sleeps no longer than the shortest deadline, so that none which begins during its sleep can pass before it wakes.
 */
export class Watchdog {
  readonly #clock: Clock.Clock
  readonly #longest: number
  readonly #watches = new Set<Watch>()
  #fiber: Fiber.RuntimeFiber<never> | undefined

  constructor(clock: Clock.Clock, { answer, downloadIdle, total, uploadIdle }: ResolvedDeadlines) {
    this.#clock = clock
    this.#longest = Math.min(answer, downloadIdle, total, uploadIdle, longestSleep)
  }

  add(watch: Watch): Effect.Effect<void> {
    return Effect.map(Effect.runtime<never>(), (runtime) => {
      this.#watches.add(watch)
      this.#fiber ??= Runtime.runFork(runtime, Effect.interruptible(this.#watching))
    })
  }

  remove(watch: Watch): void {
    this.#watches.delete(watch)
    if (this.#watches.size > 0) return
    this.#fiber?.unsafeInterruptAsFork(FiberId.none)
    this.#fiber = undefined
  }

  readonly #watching: Effect.Effect<never> = Effect.forever(
    Effect.suspend(() => {
      const now = this.#clock.unsafeCurrentTimeMillis()
      let next = now + this.#longest
      for (const watch of this.#watches) next = Math.min(next, watch.check(now))
      // One turn more: what came while the process was too busy to see it is not late.
      return Effect.zipRight(Effect.sleep(next - now), Effect.sleep(0))
    })
  )
}
