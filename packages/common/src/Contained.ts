/**
 * Runs code that may fail, so that its failure stays in one place.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/**
 * The exit of an effect, as a success, whatever happens. Use it for a fiber that you start and observe yourself.
 *
 * Effect logs a fiber that fails before it tells its observers, and a
 * logger that throws would leave them without the exit and end the process. So a fiber that we start never fails itself, and
 * the fibers that it starts, such as those of a stream, are not logged: their failure is in the exit.
 *
 * @example
 * ```ts
 * import { Contained } from "@effect-speech/common"
 * import { Effect, Exit } from "effect"
 *
 * const exit = Effect.runSync(Contained.contained(Effect.die("broken")))
 * console.log(Exit.isFailure(exit)) // true
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const contained = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.uninterruptible(Effect.exit(Effect.interruptible(Effect.withUnhandledErrorLogLevel(effect, Option.none()))))

/**
 * Runs code of a caller that only watches: its failures and defects are dropped.
 *
 * @example
 * ```ts
 * import { Contained } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * const watching = Effect.die("broken")
 * console.log(Effect.runSync(Effect.as(Contained.unnoticed(watching), "done"))) // done
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const unnoticed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.catchAllCause(Effect.asVoid(effect), () => Effect.void)
