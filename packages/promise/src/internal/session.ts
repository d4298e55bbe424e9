/**
 * One fiber that opens a speech and then does what the reader asks for, one job after the other. The call ends with the fiber.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Caller, type Calls, withResolvers } from "./calls.js"

export interface Session<Opened> {
  readonly opened: Promise<Opened>
  /** Runs a job. If it fails, or if the call ends before, the promise is rejected with the error of the call. */
  readonly use: <A>(job: (opened: Opened) => Effect.Effect<A, unknown, Scope.Scope>) => Promise<A>
  /** Ends the call, and waits for its end. */
  readonly leave: () => Promise<void>
}

interface Job<Opened> {
  readonly run: (opened: Opened) => Effect.Effect<void, unknown, Scope.Scope>
  readonly reject: (error: unknown) => void
}

const left = Symbol("the reader left")

export const openSession = <Opened>(
  calls: Calls,
  open: Effect.Effect<Opened, unknown, Scope.Scope>,
  caller: Caller
): Session<Opened> => {
  const opened = withResolvers<Opened>()
  const jobs: Array<Job<Opened>> = []
  let wake = (): void => undefined
  let ended: { readonly error: unknown } | undefined

  const nextJob = Effect.async<Job<Opened>>((resume) => {
    wake = () => {
      const [job] = jobs
      if (job !== undefined) resume(Effect.succeed(job))
    }
    wake()
  })
  const session = Effect.gen(function* () {
    const speech = yield* open
    opened.resolve(speech)
    for (;;) {
      const job = yield* nextJob
      wake = () => undefined
      yield* job.run(speech)
      jobs.shift()
    }
  }).pipe(Effect.scoped)

  const { end, promise } = calls.start<never>(session, caller)
  promise.catch((error: unknown) => {
    ended = { error }
    opened.reject(error)
    for (const { reject } of jobs.splice(0)) reject(error)
  })
  // Who needs it takes it from `opened`, and `use` rejects for itself.
  opened.promise.catch(() => undefined)
  return {
    opened: opened.promise,
    use: <A>(job: (opened: Opened) => Effect.Effect<A, unknown, Scope.Scope>) => {
      const { promise, reject, resolve } = withResolvers<A>()
      if (ended !== undefined) reject(ended.error)
      else {
        jobs.push({ run: (speech) => Effect.map(job(speech), resolve), reject })
        wake()
      }
      return promise
    },
    leave: async () => {
      end(left)
      await promise.catch(() => undefined)
    }
  }
}
