import { type EventDelivery, make as makeDelivery } from "@effect-speech/common/EventDelivery"
import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import { unsafeInstance } from "@effect-speech/common/Structural"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { CallEvent, CallOptions } from "../../CallEvent.js"
import { Attempt } from "../../CallReport.js"
import { replaces } from "../../unstable/CallEvents.js"
import type { Failure } from "../../unstable/Failure.js"
import type { Progress } from "../../unstable/Operation.js"
import { dateIn, retryAfterMillis } from "../../unstable/RetryAfter.js"
import type { HttpExchange, HttpResponse } from "../http/httpDriver.js"
import { briefly } from "../timer/awaitBriefly.js"
import type { CallTimer, DeadlineMonitor } from "../timer/callTimer.js"
import type { Place } from "./callQueue.js"

/** A call's wait in the queue of its layer. */
export interface QueueWait {
  /** Number of calls that start before this one. `undefined`: it need not wait for another call to end. */
  readonly ahead: number | undefined
  readonly wait: Effect.Effect<void, Failure>
}

/** The state of a call while it runs. */
export interface Call {
  readonly timer: CallTimer
  /** Starts the monitoring of the deadlines, which lasts until `end`. */
  readonly start: () => void
  /** Takes a place among the calls of the layer. If none is free, the result is the wait for one. */
  readonly enter: () => QueueWait | undefined
  readonly progress: () => Progress
  /** The attempts of `progress`, which cost less alone. */
  readonly attempts: () => ReadonlyArray<Attempt>
  /** From the start of the call until now or its end. */
  readonly elapsedMillis: () => number
  /** How long the call waited for its turn. `undefined`: it did not wait. */
  readonly queuedMillis: () => number | undefined
  /** Starts an attempt, `delayMillis` after the end of the previous one. */
  readonly beginAttempt: (delayMillis: number) => void
  /** Records the scope in which the request of the attempt opens its resources. */
  readonly opening: (scope: Scope.CloseableScope) => void
  /** Records the exchange of the attempt, before its request is sent. */
  readonly sending: (exchange: HttpExchange) => void
  /** Records the head of the response. */
  readonly responded: (response: HttpResponse) => void
  /** Records that the attempt failed without a response. */
  readonly lost: () => void
  /** Ends the latest attempt. */
  readonly endAttempt: Effect.Effect<void>
  /** Passes its events to the handler of the caller. `undefined`: there is none. */
  readonly events: EventDelivery<CallEvent> | undefined
  /** Ends the call. */
  readonly end: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
}

export const makeCall = (
  sentId: string,
  clock: Clock.Clock,
  timer: CallTimer,
  monitor: DeadlineMonitor,
  enterQueue: () => Place,
  onEvent: CallOptions["onEvent"]
): Call => {
  const startedAt = MonotonicClock.unsafeMillis(clock)
  const events = onEvent === undefined ? undefined : makeDelivery(onEvent, replaces)
  const attempts = makeAttempts(clock, timer)
  let attemptScope: Scope.CloseableScope | undefined
  let exchange: HttpExchange | undefined
  let endedAt: number | undefined
  let place: Place | undefined
  let queuedAt: number | undefined
  let begunAt: number | undefined
  const leave = (): void => {
    place?.leave()
    place = undefined
  }
  const elapsedMillis = () => (endedAt ?? MonotonicClock.unsafeMillis(clock)) - startedAt
  const queuedMillis = () => (queuedAt === undefined ? undefined : (begunAt ?? startedAt + elapsedMillis()) - queuedAt)
  /**
   * Its result is `Effect.void` if nothing is left to wait for. An interrupted call waits for all finalizers of the HttpClient, as
   * interruption does everywhere. A result or an error does not wait for more than a second: they may never end.
   */
  const closeAttempt = (isInterrupted: boolean): Effect.Effect<void> => {
    const closing = exchange?.close() ?? Effect.void
    const scope = attemptScope
    exchange = undefined
    attemptScope = undefined
    const closed = isInterrupted || closing === Effect.void ? closing : briefly(closing)
    return scope === undefined ? closed : Effect.zipRight(closed, briefly(Scope.close(scope, Exit.void)))
  }
  return {
    timer,
    start: () => monitor.add(timer),
    enter: () => {
      const taken = enterQueue()
      place = taken
      if (taken.isReady) return undefined
      if (taken.ahead !== undefined) queuedAt = MonotonicClock.unsafeMillis(clock)
      const wait = timer.wait<void>((resume) => {
        taken.whenReady(() => {
          begunAt = MonotonicClock.unsafeMillis(clock)
          resume(Effect.void)
        })
        return undefined
      })
      return { ahead: taken.ahead, wait }
    },
    progress: () => {
      const recorded = attempts.current()
      const sent = recorded.at(-1)?.sent ?? "nothing"
      const progress = { sentId, attempts: recorded, sent, elapsedMillis: elapsedMillis() }
      const queued = queuedMillis()
      return queued === undefined ? progress : { ...progress, queuedMillis: queued }
    },
    attempts: attempts.current,
    elapsedMillis,
    queuedMillis,
    beginAttempt: (delay) => {
      attemptScope = undefined
      exchange = undefined
      attempts.begin(delay)
      timer.begin()
    },
    opening: (scope) => {
      attemptScope = scope
    },
    sending: (started) => {
      exchange = started
    },
    responded: ({ header, status }) => {
      timer.reach("download")
      const retryAfter = header("retry-after")
      // A date counts from the date of the response. The clock of this machine may be wrong.
      const now = () => dateIn(header("date")) ?? clock.unsafeCurrentTimeMillis()
      const requestedMillis = retryAfter === undefined ? undefined : retryAfterMillis(retryAfter, now())
      attempts.record(status, requestedMillis)
    },
    lost: () => attempts.record(),
    endAttempt: Effect.uninterruptible(Effect.suspend(() => closeAttempt(false))),
    events,
    end: (exit) =>
      Effect.suspend(() => {
        endedAt ??= MonotonicClock.unsafeMillis(clock)
        monitor.remove(timer)
        timer.end()
        events?.unsafeEnd(exit, clock)
        // The next call starts after the connection of this one is closed or free.
        const closing = closeAttempt(Exit.isInterrupted(exit))
        if (closing !== Effect.void) return Effect.uninterruptible(Effect.ensuring(closing, Effect.sync(leave)))
        leave()
        return closing
      })
  }
}

/** Records the attempts of a call. */
const makeAttempts = (clock: Clock.Clock, timer: CallTimer) => {
  let recorded: ReadonlyArray<Attempt> = []
  let startedAt = 0
  let delayMillis = 0
  let isRecorded = false
  /** A response may begin before the upload ends, so `sent` of the latest attempt may still change. */
  const current = (): ReadonlyArray<Attempt> => {
    const latest = recorded.at(-1)
    if (isRecorded && latest !== undefined && latest.sent !== timer.sent) {
      recorded = [...recorded.slice(0, -1), unsafeInstance(Attempt, { ...latest, sent: timer.sent })]
    }
    return recorded
  }
  return {
    current,
    /** Starts an attempt, `delay` milliseconds after the end of the previous one. */
    begin: (delay: number): void => {
      startedAt = MonotonicClock.unsafeMillis(clock)
      delayMillis = delay
      current()
      isRecorded = false
    },
    /** Records the end of an attempt, or the head of its response. */
    record: (status?: number, retryAfterMillis?: number): void => {
      const elapsedMillis = MonotonicClock.unsafeMillis(clock) - startedAt
      const facts = { sent: timer.sent, delayMillis, elapsedMillis }
      const attempt = unsafeInstance<Attempt>(Attempt, status === undefined ? facts : { status, ...facts })
      recorded = [
        ...recorded,
        retryAfterMillis === undefined ? attempt : unsafeInstance<Attempt>(Attempt, { ...attempt, retryAfterMillis })
      ]
      isRecorded = true
    }
  }
}
