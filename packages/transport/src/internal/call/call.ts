import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Attempt } from "../../CallReport.js"
import type { Progress } from "../../Operation.js"
import type { Exchange, Incoming } from "../http/httpDriver.js"
import { withinASecond } from "./awaitBriefly.js"
import { retryAfterMillis } from "./backoff.js"
import type { Watch, Watchdog } from "./callTimer.js"

/** What is known of a call while it runs. */
export interface Call {
  readonly watch: Watch
  /** Has the deadlines watched, until the end of the call. */
  readonly watched: Effect.Effect<void>
  readonly progress: () => Progress
  /** An attempt begins, `delayMillis` after the end of the one before it; what it opens is closed with the scope. */
  readonly begin: (scope: Scope.CloseableScope | undefined, delayMillis: number) => void
  /** Its request is about to be sent. */
  readonly sending: (exchange: Exchange) => void
  /** It has been answered. */
  readonly answered: (incoming: Incoming) => void
  /** It has ended without an answer. */
  readonly lost: () => void
  /** Ends the latest attempt. */
  readonly endAttempt: Effect.Effect<void>
  /** Ends the call. */
  readonly end: Effect.Effect<void>
}

export const makeCall = (sentId: string, clock: Clock.Clock, watch: Watch, watchdog: Watchdog): Call => {
  const startedAt = clock.unsafeCurrentTimeMillis()
  const attempts: Array<Attempt> = []
  let attemptScope: Scope.CloseableScope | undefined
  let exchange: Exchange | undefined
  let attemptAt = startedAt
  let delayMillis = 0
  let isRecorded = false
  let endedAt: number | undefined
  const record = (answer: Pick<Attempt, "status" | "retryAfterMillis">) => {
    const elapsedMillis = clock.unsafeCurrentTimeMillis() - attemptAt
    attempts.push({ ...answer, sent: watch.sent, delayMillis, elapsedMillis })
    isRecorded = true
  }
  /** An answer may begin before all was sent, so what is said of the latest attempt holds for now. */
  const soFar = (): ReadonlyArray<Attempt> =>
    attempts.map((attempt, index) =>
      isRecorded && index === attempts.length - 1 ? { ...attempt, sent: watch.sent } : attempt
    )
  const endAttempt = Effect.uninterruptible(
    Effect.suspend(() => {
      const closing = exchange?.close ?? Effect.void
      const scope = attemptScope
      exchange = undefined
      attemptScope = undefined
      if (scope === undefined) return closing
      const closed = Effect.flatMap(Effect.forkDaemon(Scope.close(scope, Exit.void)), (fiber) =>
        withinASecond(Effect.void, fiber)
      )
      return Effect.zipRight(closing, closed)
    })
  )
  return {
    watch,
    watched: watchdog.add(watch),
    progress: () => {
      const known = soFar()
      return {
        sentId,
        attempts: known,
        sent: known.at(-1)?.sent ?? "nothing",
        elapsedMillis: (endedAt ?? clock.unsafeCurrentTimeMillis()) - startedAt
      }
    },
    begin: (scope, delay) => {
      attemptScope = scope
      exchange = undefined
      attemptAt = clock.unsafeCurrentTimeMillis()
      delayMillis = delay
      attempts.splice(0, attempts.length, ...soFar())
      isRecorded = false
      watch.begin()
    },
    sending: (begun) => {
      exchange = begun
    },
    answered: ({ header, status }) => {
      watch.reach("download")
      const askedMillis = retryAfterMillis(header("retry-after"), clock.unsafeCurrentTimeMillis())
      record(askedMillis === undefined ? { status } : { status, retryAfterMillis: askedMillis })
    },
    lost: () => record({}),
    endAttempt,
    end: Effect.suspend(() => {
      endedAt ??= clock.unsafeCurrentTimeMillis()
      watchdog.remove(watch)
      watch.end()
      return endAttempt
    })
  }
}
