/**
 * One fiber that opens a speech and then does what the reader asks for, one job after the other. The call ends with the fiber.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Caller, type Calls, withResolvers } from "./calls.js"
import { cancelled } from "./errors.js"

export interface Session<Opened> {
  readonly opened: Promise<Opened>
  /** Runs a job. If it fails, or if the call ends before, the promise is rejected with the error of the call. */
  readonly use: <A>(job: (opened: Opened) => Effect.Effect<A, unknown, Scope.Scope>) => Promise<A>
  /** Ends the call, and waits for its end. */
  readonly close: () => Promise<void>
}

/** The time limit of a session. The client below checks it only while the audio is read. */
export interface SessionLimit<Opened> {
  /** From the start of the session. */
  readonly millis: number
  /** Fails with the error of the limit. */
  readonly exceeded: (opened: Opened) => Effect.Effect<never, unknown>
}

export interface SessionSource<Opened> {
  readonly open: Effect.Effect<Opened, unknown, Scope.Scope>
  /** `undefined`: none. */
  readonly limit: SessionLimit<Opened> | undefined
}

interface Job<Opened> {
  readonly run: (opened: Opened) => Effect.Effect<void, unknown, Scope.Scope>
  readonly reject: (error: unknown) => void
}

const closed = Symbol("the reader closed the session")

/** A timer of JavaScript fires at once if its delay is longer, in milliseconds: 24 days. */
const longestTimer = 2 ** 31 - 1

export const openSession = <Opened>(
  calls: Calls,
  { limit, open }: SessionSource<Opened>,
  caller: Caller
): Session<Opened> => {
  const opened = withResolvers<Opened>()
  const jobs: Array<Job<Opened>> = []
  let startNextJob = (): void => undefined
  let isOpen = false
  let ended: { readonly reason: unknown } | undefined
  /** Made only for a caller that waits: most readers close the session at the end, and the frames of an error are not cheap. */
  const errorOf = (reason: unknown): unknown => (reason === closed ? cancelled(caller.site) : reason)

  const endsAt = performance.now() + (limit?.millis ?? Number.POSITIVE_INFINITY)
  const nextJob = (speech: Opened) =>
    Effect.async<Job<Opened>, unknown>((resume) => {
      const remaining = endsAt - performance.now()
      const timer =
        limit !== undefined && remaining <= longestTimer
          ? setTimeout(() => resume(limit.exceeded(speech)), remaining)
          : undefined
      startNextJob = () => {
        const [job] = jobs
        if (job === undefined) return
        clearTimeout(timer)
        resume(Effect.succeed(job))
      }
      startNextJob()
      return Effect.sync(() => clearTimeout(timer))
    })
  const session = Effect.gen(function* () {
    const speech = yield* open
    isOpen = true
    opened.resolve(speech)
    for (;;) {
      const job = yield* nextJob(speech)
      startNextJob = () => undefined
      yield* job.run(speech)
      jobs.shift()
    }
  }).pipe(Effect.scoped)

  const running = calls.start<never>(session, caller)
  running.promise.catch((reason: unknown) => {
    ended = { reason }
    if (!isOpen) opened.reject(errorOf(reason))
    for (const { reject } of jobs.splice(0)) reject(errorOf(reason))
  })
  // Who needs it takes it from `opened`, and `use` rejects for itself.
  opened.promise.catch(() => undefined)
  return {
    opened: opened.promise,
    use: <A>(job: (opened: Opened) => Effect.Effect<A, unknown, Scope.Scope>) => {
      const { promise, reject, resolve } = withResolvers<A>()
      if (ended !== undefined) reject(errorOf(ended.reason))
      else {
        jobs.push({ run: (speech) => Effect.map(job(speech), resolve), reject })
        startNextJob()
      }
      return promise
    },
    close: async () => {
      running.end(closed)
      await running.promise.catch(() => undefined)
    }
  }
}
