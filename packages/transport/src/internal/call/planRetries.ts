import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type { ServiceError } from "../../ServiceError.js"
import type { ResolvedRetries } from "../options/retries.js"
import { backoffMillis } from "./backoff.js"

/** What the policy of a layer, or its Schedule, says of the next retry of a call. */
export interface PlannedRetry {
  readonly delayMillis: number
  /** Whether there were enough retries: only an outage allows this one. */
  readonly isOver: boolean
}

/** Plans the retries of one call, one after the other. */
export const planRetries = (retries: ResolvedRetries): ((error: ServiceError) => Effect.Effect<PlannedRetry>) => {
  let retry = 0
  const byPolicy = Effect.map(Random.next, (random): PlannedRetry => {
    const delayMillis = backoffMillis(retry, random, retries)
    return { delayMillis, isOver: retry++ >= retries.times }
  })
  if (retries.schedule === undefined) return () => byPolicy
  const next = delaysOf(retries.schedule)
  return (error) =>
    Effect.flatMap(
      next(error),
      (delay): Effect.Effect<PlannedRetry> =>
        delay === undefined
          ? Effect.map(byPolicy, ({ delayMillis }) => ({ delayMillis, isOver: true }))
          : Effect.succeed({ delayMillis: delay, isOver: false })
    )
}

/** The delays of a Schedule, in milliseconds. `undefined`: it is done. A driver of Effect would also wait, unseen by the report. */
const delaysOf = (
  schedule: Schedule.Schedule<unknown, ServiceError>
): ((error: ServiceError) => Effect.Effect<number | undefined>) => {
  let state: unknown = schedule.initial
  let isDone = false
  return (error) =>
    Effect.flatMap(MonotonicClock.millis, (now) =>
      isDone
        ? Effect.succeed(undefined)
        : Effect.map(schedule.step(now, error, state), ([following, , decision]) => {
            state = following
            isDone = ScheduleDecision.isDone(decision)
            return ScheduleDecision.isDone(decision)
              ? undefined
              : Math.max(0, Math.round(ScheduleIntervals.start(decision.intervals) - now))
          })
    )
}
