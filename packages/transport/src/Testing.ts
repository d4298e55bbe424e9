/**
 * The types of the test doubles of all clients.
 */
import type * as Effect from "effect/Effect"

/**
 * The outcome of a call to a test double: a value, an error, or an effect of one of these.
 *
 * @since 0.1.0
 * @category models
 */
export type TestOutcome<A, E> = A | E | Effect.Effect<A | E, E>

/**
 * The outcome of each call of a test double, or a function of its request that gives it.
 *
 * @since 0.1.0
 * @category models
 */
export type TestAnswer<Request, A, E> = TestOutcome<A, E> | ((request: Request) => TestOutcome<A, E>)

/**
 * The requests that a test double received.
 *
 * @example
 * ```ts
 * import { SpeechToTextCalls } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // How many calls an effect makes.
 * export const callsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
 *   Effect.gen(function* () {
 *     const { all, clear } = yield* SpeechToTextCalls
 *     yield* clear
 *     yield* effect
 *     return (yield* all).length
 *   })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TestCalls<Request> {
  /** The requests since the layer was built or cleared, in order, without those that break a rule. */
  readonly all: Effect.Effect<ReadonlyArray<Request>>
  /** Forgets them. */
  readonly clear: Effect.Effect<void>
}
