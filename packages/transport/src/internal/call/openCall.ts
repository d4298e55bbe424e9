import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Scope from "effect/Scope"
import type { Operation } from "../../Operation.js"
import type { ServiceError } from "../../ServiceError.js"
import type { Call } from "./call.js"
import { beginCall } from "./telemetry.js"

/** A result that still reads the response. */
export interface Opened<E> {
  /** The next bytes, or `undefined` at the end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, E>
}

/**
 * Runs a call whose result still reads the response, and ends it when `pull` fails or returns `undefined`, or when the scope of the
 * caller closes.
 *
 * Each layer around the bytes keeps one promise, and needs what only it knows:
 *
 * | pull of                | adds                                                  | needs                             |
 * | ---------------------- | ----------------------------------------------------- | --------------------------------- |
 * | `HttpResponse`         | the deadlines, and a bound of what waits to be read   | the connection                    |
 * | `Operation.Response`   | the errors of the operation, with the report          | the attempts so far               |
 * | `accept`, such as tts' | the checks of what arrives                            | the headers of a 200              |
 * | `Opened`               | the end of the call: telemetry, its place, connection | also the failures of these checks |
 */
export const openCall = <A extends Opened<E>, E extends ServiceError, Context>(
  call: Call,
  operation: Operation<A, E, Context>,
  running: Effect.Effect<A, E>
): Effect.Effect<Omit<A, "pull"> & Opened<E>, E, Scope.Scope> =>
  // A call that failed or was read to its end is closed at once, even if the caller's scope stays open.
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const observed = yield* beginCall(operation, call)
      const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
      // The outcome if the caller closes the scope before the end.
      let outcome: Exit.Exit<unknown, ServiceError> = Exit.interrupt(FiberId.none)
      yield* Scope.addFinalizer(
        scope,
        Effect.suspend(() => Effect.zipRight(call.end(outcome), observed.end(outcome)))
      )
      const end = (exit: Exit.Exit<unknown, ServiceError>) =>
        Effect.suspend(() => {
          outcome = exit
          return Scope.close(scope, Exit.void)
        })
      const { pull, ...details } = yield* restore(observed.during(running)).pipe(
        Effect.onError((cause) => end(Exit.failCause(cause)))
      )
      return {
        ...details,
        pull: Effect.matchEffect(pull, {
          onFailure: (error) => Effect.zipRight(end(Exit.fail(error)), Effect.fail(error)),
          onSuccess: (bytes) => (bytes === undefined ? Effect.as(end(Exit.void), bytes) : Effect.succeed(bytes))
        })
      }
    })
  )
