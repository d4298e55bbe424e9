import { fullBudget } from "./backoff.js"

/** How much may still be retried, by all calls of a layer together: a lasting outage must not be met with more load. */
export interface RetryBudget {
  readonly tokens: () => number
  /** Takes `cost` tokens, or none where there are not as many. */
  readonly take: (cost: number) => boolean
  /** A success gives back what its last retry took, or one token. */
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
