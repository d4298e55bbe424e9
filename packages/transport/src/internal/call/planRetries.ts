import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type { Attempt } from "../../CallReport.js"
import type { Retry, ServiceError } from "../../ServiceError.js"
import type { ResolvedRetries } from "../options/retries.js"
import { backoffMillis } from "./backoff.js"

/** What the policy of a layer, or its Schedule, says of the next retry of a call. */
export interface PlannedRetry {
  readonly delayMillis: number
  /** Whether there were enough retries: only an outage allows this one. */
  readonly isOver: boolean
}

/** Plans the retries of one call, one after the other, by the error of the latest attempt. */
export const planRetries = (
  retries: ResolvedRetries
): ((error: ServiceError, attempt: Attempt | undefined) => Effect.Effect<PlannedRetry>) => {
  let retry = 0
  const byPolicy = Effect.map(Random.next, (random): PlannedRetry => {
    const delayMillis = backoffMillis(retry, random, retries)
    return { delayMillis, isOver: retry++ >= retries.times }
  })
  if (retries.schedule === undefined) return () => byPolicy
  const next = delaysOf(retries.schedule)
  let billableRetries = 0
  return (error, attempt) =>
    Effect.flatMap(
      next(error),
      (delay): Effect.Effect<PlannedRetry> =>
        delay === undefined
          ? Effect.map(byPolicy, ({ delayMillis }) => ({ delayMillis, isOver: true }))
          : Effect.sync(() => ({
              delayMillis: delay,
              isOver: mayBeBilled(error, attempt) && ++billableRetries > retries.times
            }))
    )
}

/** Whether the service can't be reached, or says that it is unavailable: then it has not carried out the attempt. */
export const isOutage = (retry: Retry, attempt: Attempt | undefined): boolean =>
  retry === "overload" || (retry === "transient" && attempt?.status === undefined)

/** Whether the latest attempt may be billed. A Schedule, which may have no end, does not say how often that may be. */
const mayBeBilled = ({ call, retry }: ServiceError, attempt: Attempt | undefined): boolean =>
  call !== undefined && call.billing !== "notBilled" && !isOutage(retry, attempt)

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
