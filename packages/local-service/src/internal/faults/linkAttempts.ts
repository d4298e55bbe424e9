import { type CallKey, callKeyOf, isAfter, isDelivered, type RequestFacts } from "./requestFacts.js"

/** A request as an attempt of a call. */
export interface Attempt {
  readonly facts: RequestFacts
  readonly key: CallKey
  /** Counted from 1: the first request of the call that met a fault. 0: no request of the call has met one before. */
  readonly number: number
  /** The next request of the call. Only if this one met a fault, or an earlier one of its call did. */
  readonly next: Attempt | undefined
  /** The last request of the call. `undefined`: this one. */
  readonly last: Attempt | undefined
}

interface OpenAttempt extends Attempt {
  number: number
  next: OpenAttempt | undefined
  last: OpenAttempt | undefined
}

/**
 * Links each request to the next one of its call. A call begins with a request that met a fault. `facts` are in the order of arrival.
 *
 * An id is that of one call, so the next request with it continues the call. Equal content may be that of several calls: a request continues
 * the earliest one that had failed before it arrived, and no other does.
 */
export const linkAttempts = (facts: ReadonlyArray<RequestFacts>): ReadonlyArray<Attempt> => {
  /** The latest attempts of calls that may go on, by key. */
  const waiting = new Map<string, Array<OpenAttempt>>()
  const attempts = facts.map((each) => {
    const attempt = open(each)
    const { key } = attempt
    if (key === undefined) return attempt
    const calls = waiting.get(key.key) ?? []
    const at = calls.findIndex((latest) => key.by === "id" || isAfter(each, latest.facts))
    const [previous] = at === -1 ? [] : calls.splice(at, 1)
    if (previous !== undefined) {
      previous.next = attempt
      attempt.number = previous.number + 1
    }
    if (attempt.number > 0 && mayGoOn(attempt)) {
      calls.push(attempt)
      waiting.set(key.key, calls)
    }
    return attempt
  })
  for (const attempt of attempts.toReversed()) attempt.last = attempt.next?.last ?? attempt.next
  return attempts
}

const open = (facts: RequestFacts): OpenAttempt => ({
  facts,
  key: callKeyOf(facts),
  number: facts.fault === null ? 0 : 1,
  next: undefined,
  last: undefined
})

/** A client may refuse a response that a fault changed. Only an id shows that. */
const mayGoOn = ({ facts, key }: Attempt): boolean => !isDelivered(facts) || (facts.fault !== null && key?.by === "id")
