import { fullBudget } from "./backoff.js"

/** Limits the retries of all calls of a layer, so that retries do not add load to a service that is down. */
export interface RetryBudget {
  readonly tokens: () => number
  /** Takes `cost` tokens and returns true. If there are fewer, takes none and returns false. */
  readonly take: (cost: number) => boolean
  /** After a success: returns the cost of its last retry, or one token. */
  readonly giveBack: (lastCost: number) => void
}

export const makeRetryBudget = (): RetryBudget => {
  let tokens = fullBudget
  return {
    tokens: () => tokens,
    take: (cost) => {
      if (tokens < cost) return false
      tokens -= cost
      return true
    },
    giveBack: (lastCost) => {
      tokens = Math.min(fullBudget, tokens + Math.max(1, lastCost))
    }
  }
}
