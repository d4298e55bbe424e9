/**
 * How many requests a local service has recorded or replayed.
 */

/**
 * How many requests a local service has recorded or replayed, with the options `record` and `replay`.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // Whether all requests of a test were in the folder of its replay.
 * export const wasComplete = Effect.gen(function* () {
 *   const { exchanges } = yield* LocalService
 *   const { missing, replayed } = yield* exchanges
 *   return replayed > 0 && missing === 0
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface ExchangeCounts {
  /** Exchanges that a recording has kept in its folder. */
  readonly kept: number
  /** Requests that a recording has sent, but not kept. The log has a warning for each. */
  readonly notKept: number
  /** Responses that a replay has given from its folder. */
  readonly replayed: number
  /** Requests for which the folder of a replay has no response. */
  readonly missing: number
  /** Requests that the folder of a replay holds, but whose response can't be read. */
  readonly damaged: number
  /** The paths of the files that can't be read. */
  readonly damagedFiles: ReadonlyArray<string>
}
