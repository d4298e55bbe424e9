import type { FaultedRequest, FaultSummary } from "../../FaultedRequest.js"
import { hideLocalKeys } from "../journal/hideKey.js"
import { type Attempt, linkAttempts } from "./linkAttempts.js"
import { failedAt, isAfter, isDelivered, type RequestFacts } from "./requestFacts.js"

/** The largest number of requests in a report. */
export const maximumReported = 10_000

export interface Reported {
  readonly requests: ReadonlyArray<FaultedRequest>
  /** How many earlier requests that met a fault are left out. */
  readonly leftOut: number
  readonly summary: FaultSummary
}

/** Reports on requests, in the order of their arrival: what happened after each one that met a fault. */
export const reportOn = (facts: ReadonlyArray<RequestFacts>, maximum = maximumReported): Reported => {
  const { mayBelong, sameContent, attempts } = relate(facts)
  const faulted = attempts.filter(({ facts: { fault } }) => fault !== null)
  const requests = faulted
    .slice(Math.max(0, faulted.length - maximum))
    .map((attempt) => toFaultedRequest(attempt, mayBelong(attempt), sameContent.get(attempt)))
  return { requests, leftOut: faulted.length - requests.length, summary: summarize(requests) }
}

/**
 * The facts that a report needs, now and after further requests: those that met a fault, the others of their calls, and those in
 * progress. Keeps at most `maximum` requests that met a fault, and four times as many requests in all.
 */
export const relevantFacts = <Facts extends RequestFacts>(
  facts: ReadonlyArray<Facts>,
  maximum = maximumReported
): ReadonlyArray<Facts> => {
  const latest = latestFaulted(facts, maximum)
  const { attempts, latestUnread, sameContent } = relate(latest)
  const kept = new Set<RequestFacts>([...latestUnread, ...Array.from(sameContent.values(), (each) => each.facts)])
  return latest
    .filter((each, index) => each.endedMillis === null || (attempts[index]?.number ?? 0) > 0 || kept.has(each))
    .slice(-4 * maximum)
}

/** The facts since the request that is the last but `maximum` of those that met a fault. */
const latestFaulted = <Facts extends RequestFacts>(facts: ReadonlyArray<Facts>, maximum: number) => {
  let left = maximum
  const before = facts.findLastIndex(({ fault }) => fault !== null && left-- === 0)
  return facts.slice(before + 1)
}

/** How requests relate to each other. */
const relate = (facts: ReadonlyArray<RequestFacts>) => {
  const attempts = linkAttempts(facts)
  const unread = attempts.filter(({ key }) => key === undefined)
  /** The latest requests of each operation that were not read: without their content, and without their id. */
  const latestOf = (operation: string, isWithoutId: boolean) =>
    unread.findLast(({ facts: each }) => each.operation === operation && (!isWithoutId || each.id === undefined))?.facts
  const unreadOf = new Map(
    ["synthesize", "transcribe"].map((operation) => [
      operation,
      { id: latestOf(operation, true), content: latestOf(operation, false) }
    ])
  )
  /** Whether a later request that was not read may be of the call. */
  const mayBelong = ({ facts: each, key }: Attempt): boolean => {
    const later = key && unreadOf.get(each.operation)?.[key.by]
    return later !== undefined && later.number > each.number && isAfter(later, each)
  }
  const latestUnread = Array.from(unreadOf.values(), ({ content, id }) => [content, id]).flat()
  return { attempts, mayBelong, latestUnread: latestUnread.filter((each) => each !== undefined), ...follow(attempts) }
}

/** Finds the first later request with equal content and another id, of each request with an id that was not sent again. */
const follow = (attempts: ReadonlyArray<Attempt>) => {
  const sameContent = new Map<Attempt, Attempt>()
  /** The later requests that begin a call, latest first, by content. */
  const beginnings = new Map<string, Array<Attempt>>()
  for (const attempt of attempts.toReversed()) {
    const { content, fault, operation } = attempt.facts
    if (content === undefined) continue
    const key = `${operation} ${content}`
    const later = beginnings.get(key) ?? []
    if (fault !== null && attempt.next === undefined && attempt.key?.by === "id" && !isDelivered(attempt.facts)) {
      const found = later.findLast((each) => isAfter(each.facts, attempt.facts))
      if (found !== undefined) sameContent.set(attempt, found)
    }
    if (attempt.number <= 1) later.push(attempt)
    beginnings.set(key, later)
  }
  return { sameContent }
}

const toFaultedRequest = (attempt: Attempt, mayHaveNext: boolean, sameContent: Attempt | undefined): FaultedRequest => {
  const { facts, key, next, number } = attempt
  const reaction = reactionOf(attempt, mayHaveNext)
  const { retryAfterMillis } = facts
  return {
    number: facts.number,
    at: facts.at,
    operation: facts.operation,
    id: typeof facts.id === "string" ? hideLocalKeys(facts.id) : null,
    fault: facts.fault ?? 0,
    attempt: number,
    status: facts.status,
    arrivedMillis: Math.round(facts.arrivedMillis),
    endedMillis: facts.endedMillis === null ? null : Math.round(facts.endedMillis),
    reaction,
    next: next?.facts.number ?? null,
    linkedBy: next === undefined ? null : (key?.by ?? null),
    afterMillis: next === undefined ? null : delayBefore(next, facts),
    outcome: next === undefined ? null : outcomeOf(attempt.last ?? attempt),
    retryAfterMillis,
    retryAfterHonoured: next === undefined || retryAfterMillis === null ? null : isHonoured(facts, next.facts),
    sameContent: reaction === "gaveUp" ? (sameContent?.facts.number ?? null) : null
  }
}

const reactionOf = ({ facts, key, next }: Attempt, mayHaveNext: boolean): FaultedRequest["reaction"] => {
  if (next !== undefined) return "retried"
  if (facts.endedMillis === null) return "underWay"
  if (isDelivered(facts)) return "delivered"
  return key === undefined || mayHaveNext ? "notKnown" : "gaveUp"
}

const delayBefore = (next: Attempt, facts: RequestFacts): number =>
  Math.round(Math.max(0, next.facts.arrivedMillis - (failedAt(facts) ?? next.facts.arrivedMillis)))

const outcomeOf = ({ facts }: Attempt): FaultedRequest["outcome"] =>
  facts.endedMillis === null ? "underWay" : isDelivered(facts) ? "succeeded" : "failed"

/** Timers of a client may fire a millisecond early, and both times are rounded. */
const timerMillis = 2

/** Measured from the beginning of the response, so that a client that waits as long as it should never looks early. */
const isHonoured = ({ respondedMillis, retryAfterMillis }: RequestFacts, { arrivedMillis }: RequestFacts): boolean =>
  arrivedMillis - (respondedMillis ?? arrivedMillis) + timerMillis >= (retryAfterMillis ?? 0)

const summarize = (requests: ReadonlyArray<FaultedRequest>): FaultSummary => {
  const countOf = (test: (request: FaultedRequest) => boolean): number => requests.filter(test).length
  return {
    retriedAndSucceeded: countOf(({ outcome }) => outcome === "succeeded"),
    retriedAndFailed: countOf(({ outcome }) => outcome === "failed"),
    retriedAndUnderWay: countOf(({ outcome }) => outcome === "underWay"),
    gaveUp: countOf(({ reaction }) => reaction === "gaveUp"),
    gaveUpAtOnce: countOf(({ attempt, reaction }) => reaction === "gaveUp" && attempt === 1),
    delivered: countOf(({ reaction }) => reaction === "delivered"),
    underWay: countOf(({ reaction }) => reaction === "underWay"),
    notKnown: countOf(({ reaction }) => reaction === "notKnown"),
    retryAfterHonoured: countOf(({ retryAfterHonoured }) => retryAfterHonoured === true),
    retryAfterIgnored: countOf(({ retryAfterHonoured }) => retryAfterHonoured === false)
  }
}
