/**
 * How many requests a local service has recorded or replayed.
 */

/**
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
}
