import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { relevantFacts, reportOn } from "../src/internal/faults/faultReport.js"
import { makeObservations } from "../src/internal/faults/observations.js"
import { callKeyOf, isAfter, isDelivered, type RequestFacts } from "../src/internal/faults/requestFacts.js"

const parameters = { seed: 37, numRuns: 120 }

/** A whole 503 of the first fault, after 10 ms, to a request with an id. Each request is 100 ms after the one before. */
const request = (number: number, changes: Partial<RequestFacts> = {}): RequestFacts => {
  const arrivedMillis = changes.arrivedMillis ?? number * 100
  return {
    number,
    at: "2026-01-01T00:00:00.000Z",
    operation: "synthesize",
    fault: 1,
    isInjected: true,
    arrivedMillis,
    id: "call",
    content: "text",
    status: 503,
    respondedMillis: arrivedMillis + 10,
    retryAfterMillis: null,
    endedMillis: arrivedMillis + 12,
    isWhole: true,
    ...changes
  }
}

const good = { fault: null, isInjected: false, status: 200 } as const
const underWay = { status: null, respondedMillis: null, endedMillis: null, isWhole: false } as const
const unread = { id: undefined, content: undefined } as const

/** What a report says of each request that met a fault. */
const saidOf = (...facts: ReadonlyArray<RequestFacts>) =>
  reportOn(facts).requests.map(({ afterMillis, next, outcome, reaction }) =>
    reaction === "retried" ? `${next} after ${afterMillis}: ${outcome}` : reaction
  )

describe("the report of faults", () => {
  it("says when a client sent a request again, and how its call ended", () => {
    expect(saidOf(request(1), request(2, good))).toEqual(["2 after 90: succeeded"])
    expect(saidOf(request(1), request(2), request(3, good))).toEqual(["2 after 90: succeeded", "3 after 90: succeeded"])
    expect(saidOf(request(1), request(2, { fault: null, isInjected: false }))).toEqual(["2 after 90: failed"])
    expect(saidOf(request(1), request(2, { ...underWay, fault: null }))).toEqual(["2 after 90: underWay"])
  })

  it("says which attempt gave up", () => {
    expect(saidOf(request(1), request(2), request(3, { id: "other" }))).toEqual([
      "2 after 90: failed",
      "gaveUp",
      "gaveUp"
    ])
    const { requests, summary } = reportOn([request(1), request(2), request(3, { id: "other" })])
    expect(requests.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
    expect(summary).toMatchObject({ gaveUp: 2, gaveUpAtOnce: 1, retriedAndFailed: 1 })
  })

  it("takes a late or changed response of the operation for delivered", () => {
    const late = { isInjected: false, status: 200 }
    expect(saidOf(request(1, late))).toEqual(["delivered"])
    expect(saidOf(request(1, { ...late, isWhole: false }))).toEqual(["gaveUp"])
    expect(saidOf(request(1, { status: 200 }))).toEqual(["gaveUp"])
    // A client that refuses the changed response, such as for a wrong sample rate.
    expect(saidOf(request(1, late), request(2, good))).toEqual(["2 after 90: succeeded"])
  })

  it("links requests without an id by their content, each to one", () => {
    const none = { id: null }
    expect(saidOf(request(1, none), request(2, { ...good, ...none }))).toEqual(["2 after 90: succeeded"])
    expect(saidOf(request(1, none), request(2, { ...good, ...none, content: "another" }))).toEqual(["gaveUp"])
    expect(saidOf(request(1, none), request(2, { ...good, ...none, operation: "transcribe" }))).toEqual(["gaveUp"])
    // Two calls at once, of which one is sent again.
    const both = [request(1, none), request(2, { ...none, arrivedMillis: 101 }), request(3, { ...good, ...none })]
    expect(saidOf(...both)).toEqual(["3 after 190: succeeded", "gaveUp"])
    expect(reportOn(both).requests[0]?.linkedBy).toBe("content")
    // A request that began before the other one failed is no retry.
    expect(saidOf(request(1, { ...none, endedMillis: 500, isWhole: false }), request(2, { ...good, ...none }))).toEqual(
      ["gaveUp"]
    )
  })

  it("names a request with the same content and another id, but does not call it a retry", () => {
    const { requests } = reportOn([
      request(1),
      request(2, { ...good, id: "fresh" }),
      request(3, { ...good, id: "later" })
    ])
    expect(requests).toMatchObject([{ reaction: "gaveUp", sameContent: 2 }])
    expect(reportOn([request(1), request(2, { ...good, id: "fresh", content: "b" })]).requests[0]?.sameContent).toBe(
      null
    )
  })

  it("does not say that a client gave up if a later request may be of its call", () => {
    expect(saidOf(request(1, unread))).toEqual(["notKnown"])
    expect(saidOf(request(1, { ...unread, ...underWay }))).toEqual(["underWay"])
    expect(saidOf(request(1), request(2, unread))).toEqual(["notKnown", "notKnown"])
    // A synthesis shows its id in a header: another one, or none, is not that of the call.
    expect(saidOf(request(1), request(2, { id: null, content: undefined }))).toEqual(["gaveUp", "notKnown"])
    expect(saidOf(request(1, { id: null }), request(2, { id: null, content: undefined }))).toEqual([
      "notKnown",
      "notKnown"
    ])
    expect(saidOf(request(1), request(2, { ...unread, operation: "transcribe" }))).toEqual(["gaveUp", "notKnown"])
  })

  it("says whether Retry-After was honoured", () => {
    const asked = request(1, { retryAfterMillis: 1000 })
    const honoured = (arrivedMillis: number) =>
      reportOn([asked, request(2, { ...good, arrivedMillis })]).requests[0]?.retryAfterHonoured
    expect([1110, 1108, 1107, 500].map(honoured)).toEqual([true, true, false, false])
    expect(reportOn([asked]).requests[0]?.retryAfterHonoured).toBe(null)
  })
})

describe("the memory of a report", () => {
  it("holds the latest requests, and counts those that it has forgotten", () => {
    let now = 0
    const observations = makeObservations(() => now++, 10)
    for (let number = 1; number <= 9000; number++) {
      const met = { fault: number % 3 === 0 ? 1 : null, isInjected: true }
      const entry = { number, at: "2026-01-01T00:00:00.000Z", operation: "synthesize" } as const
      const observer = observations.arrived(entry, met)
      observer.identified({ id: `call${number}`, content: "text" })
      observer.responded(503, null)
      observer.ended(true)
    }
    const { leftOut, requests } = observations.report()
    expect(requests.map(({ number }) => number)).toEqual(Array.from({ length: 10 }, (_, at) => 8973 + 3 * at))
    expect(leftOut).toBe(2990)
  })

  it("keeps no request whose call met no fault, once it has ended", () => {
    const others = Array.from({ length: 1000 }, (_, index) => request(index + 3, { ...good, id: `call${index}` }))
    const kept = relevantFacts([request(1), request(2, good), ...others])
    expect(kept.map(({ number }) => number)).toEqual([1, 2])
    expect(relevantFacts([...kept, request(2000, { ...good, ...underWay, id: "new" })])).toHaveLength(3)
  })
})

/** Any history: requests with few ids and contents, so that many are linked, in the order of arrival. */
const histories = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.integer({ min: 0, max: 60 }),
    took: FastCheck.option(FastCheck.integer({ min: 0, max: 200 })),
    operation: FastCheck.constantFrom<RequestFacts["operation"]>("synthesize", "transcribe"),
    fault: FastCheck.constantFrom(null, null, 1, 2),
    isInjected: FastCheck.boolean(),
    id: FastCheck.constantFrom<RequestFacts["id"]>("a", "b", "c", null, null, undefined),
    content: FastCheck.constantFrom<RequestFacts["content"]>("x", "y", "z", "x", undefined),
    status: FastCheck.constantFrom(200, 200, 503, 401),
    isWhole: FastCheck.boolean(),
    retryAfterMillis: FastCheck.constantFrom(null, 50)
  }),
  { maxLength: 40 }
).map((requests) => {
  let arrivedMillis = 0
  return requests.map(({ gap, isInjected, took, ...each }, index): RequestFacts => {
    arrivedMillis += gap
    const endedMillis = took === null ? null : arrivedMillis + took
    return {
      ...each,
      number: index + 1,
      at: "2026-01-01T00:00:00.000Z",
      isInjected: isInjected && each.fault !== null,
      isWhole: each.isWhole && endedMillis !== null,
      respondedMillis: endedMillis,
      arrivedMillis,
      endedMillis
    }
  })
})

const isFaulted = ({ fault }: RequestFacts): boolean => fault !== null

describe("the report of any history", () => {
  const holds = (law: (history: ReadonlyArray<RequestFacts>) => void) => () =>
    FastCheck.assert(FastCheck.property(histories, law), parameters)

  it(
    "has each request that met a fault once, in order, and its counts agree",
    holds((history) => {
      const { leftOut, requests, summary } = reportOn(history)
      expect(requests.map(({ number }) => number)).toEqual(history.filter(isFaulted).map(({ number }) => number))
      expect(leftOut).toBe(0)
      const { retryAfterHonoured, retryAfterIgnored, gaveUpAtOnce, ...results } = summary
      expect(Object.values(results).reduce((sum, each) => sum + each, 0)).toBe(requests.length)
      expect(gaveUpAtOnce).toBeLessThanOrEqual(summary.gaveUp)
      expect(retryAfterHonoured + retryAfterIgnored).toBe(
        requests.filter(({ retryAfterMillis, reaction }) => reaction === "retried" && retryAfterMillis !== null).length
      )
    })
  )

  it(
    "calls a request retried only if a later request of the same call exists, which follows no other",
    holds((history) => {
      const { requests } = reportOn(history)
      const followed = new Set<number>()
      for (const { next, number, reaction } of requests) {
        const each = history[number - 1]
        const later = next === null ? undefined : history[next - 1]
        if (each === undefined || later === undefined) {
          expect([reaction, next]).not.toContain("retried")
          continue
        }
        expect(reaction).toBe("retried")
        expect(later.number).toBeGreaterThan(number)
        expect(callKeyOf(later)).toBeDefined()
        expect(callKeyOf(later)).toEqual(callKeyOf(each))
        if (typeof each.id !== "string") expect(isAfter(later, each)).toBe(true)
        expect(followed).not.toContain(next)
        followed.add(later.number)
      }
    })
  )

  it(
    "says of a request that its client gave up only if none of the later ones is or may be of its call",
    holds((history) => {
      for (const { number, reaction } of reportOn(history).requests) {
        const each = history[number - 1]
        if (reaction !== "gaveUp" || each === undefined) continue
        expect(isDelivered(each)).toBe(false)
        const key = callKeyOf(each)
        const later = history
          .slice(number)
          .filter((other) => other.operation === each.operation && isAfter(other, each))
        if (typeof each.id === "string") expect(history.slice(number).map(callKeyOf)).not.toContainEqual(key)
        expect(later.some((other) => other.id === undefined)).toBe(false)
        if (each.id === null) expect(later.some((other) => callKeyOf(other) === undefined)).toBe(false)
      }
    })
  )

  it(
    "is the same when requests that nobody needs are forgotten at any time",
    holds((history) => {
      for (let kept: ReadonlyArray<RequestFacts> = [], at = 0; at < history.length; at += 5) {
        kept = relevantFacts([...kept, ...history.slice(at, at + 5)])
        const whole = history.slice(0, at + 5)
        expect(reportOn(kept)).toEqual(reportOn(whole))
      }
    })
  )

  it(
    "has the latest requests, and says how many are left out",
    holds((history) => {
      const faulted = history.filter(isFaulted).map(({ number }) => number)
      const { leftOut, requests } = reportOn(history, 3)
      expect(requests.map(({ number }) => number)).toEqual(faulted.slice(-3))
      expect(leftOut + requests.length).toBe(faulted.length)
      const kept = relevantFacts(history, 3)
      expect(kept.length).toBeLessThanOrEqual(12)
      expect(kept.filter(isFaulted).length).toBeLessThanOrEqual(3)
    })
  )
})

/** Clients that send each attempt with the id of its call, some time after the one before has failed. */
const clients = FastCheck.array(
  FastCheck.record({
    start: FastCheck.integer({ min: 0, max: 300 }),
    /** How long each attempt takes, and how long the client waits before it. */
    attempts: FastCheck.array(FastCheck.tuple(FastCheck.integer({ min: 1, max: 50 }), FastCheck.nat(100)), {
      minLength: 1,
      maxLength: 5
    }),
    succeeds: FastCheck.boolean()
  }),
  { maxLength: 12 }
)

it("a report on clients that keep the id of a call says exactly what each of them did", () => {
  const law = FastCheck.property(clients, (calls) => {
    const sent = calls.flatMap(({ attempts, start, succeeds }, call) => {
      let now = start
      return attempts.map(([took, wait], index) => {
        const isLast = index === attempts.length - 1
        const arrivedMillis = index === 0 ? now : now + wait
        now = arrivedMillis + took
        const ended = { arrivedMillis, respondedMillis: now, endedMillis: now, id: `call${call}` }
        return { call, index, wait, isLast, facts: isLast && succeeds ? { ...good, ...ended } : ended }
      })
    })
    const inOrder = sent.toSorted((one, other) => one.facts.arrivedMillis - other.facts.arrivedMillis)
    const { requests } = reportOn(inOrder.map(({ facts }, index) => request(index + 1, facts)))
    const truth = inOrder.flatMap(({ call, index, isLast }): ReadonlyArray<ReadonlyArray<unknown>> => {
      const { attempts = [], succeeds = false } = calls[call] ?? {}
      if (isLast) return succeeds ? [] : [[call, index + 1, "gaveUp", null, null]]
      return [[call, index + 1, "retried", succeeds ? "succeeded" : "failed", attempts[index + 1]?.[1]]]
    })
    expect(
      requests.map(({ afterMillis, attempt, id, outcome, reaction }) => [
        Number(id?.slice(4)),
        attempt,
        reaction,
        outcome,
        afterMillis
      ])
    ).toEqual(truth)
  })
  FastCheck.assert(law, parameters)
})
