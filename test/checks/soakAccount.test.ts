import { describe, expect, it } from "@effect/vitest"
import { account, type Call, type Entry, ledgerProblems } from "../../checks/load/soak/account.js"

const at = Date.parse("2026-01-31T12:00:00.000Z")

const call = (changes: Partial<Call> & Pick<Call, "outcome">): Call => ({
  id: "id-1",
  kind: "a text",
  operation: "synthesize",
  cost: 10,
  startedAt: at,
  endedAt: at + 100,
  attempts: [{ startedAt: at, status: changes.outcome === "success" ? 200 : undefined }],
  ...changes
})

const entry = (changes: Partial<Entry> & Pick<Entry, "outcome">): Entry => ({
  number: 1,
  at: new Date(at + 10).toISOString(),
  operation: "synthesize",
  keyId: null,
  id: "id-1",
  request: null,
  status: changes.outcome === "answered" ? 200 : null,
  millis: 1,
  ...changes
})

/** A recording whose form the service did not read, so that it has no id. */
const unread = { operation: "transcribe", id: null } as const

describe("the account of calls and requests", () => {
  it("has no problem if each failed or retried attempt met a fault", () => {
    const attempts = [
      { startedAt: at, status: 500 },
      { startedAt: at + 20, status: 200 }
    ]
    const entries = [entry({ outcome: "faulted", status: 500 }), entry({ number: 2, outcome: "answered" })]
    const { faults, problems } = account([call({ outcome: "success", attempts })], entries)
    expect(problems).toEqual([])
    expect([...faults]).toEqual([["retried", 1]])
  })

  it("reports an error without a fault", () => {
    const failed = call({ outcome: "TtsConnectionFailed" })
    expect(account([failed], [entry({ outcome: "answered" })]).problems).toHaveLength(1)
    expect(account([failed], []).problems).toHaveLength(1)
  })

  it("reports a retry without a fault", () => {
    const attempts = [{ startedAt: at }, { startedAt: at + 20, status: 200 }]
    const entries = [entry({ outcome: "abandoned" }), entry({ number: 2, outcome: "answered" })]
    expect(account([call({ outcome: "success", attempts })], entries).problems).toHaveLength(1)
  })

  it("reports a request without a call", () => {
    const entries = [entry({ outcome: "answered" }), entry({ number: 2, outcome: "answered" })]
    expect(account([call({ outcome: "success" })], entries).problems).toHaveLength(1)
    expect(account([], [entry({ outcome: "faulted", ...unread })]).problems).toHaveLength(1)
  })

  it("finds the fault of a recording by its time, and matches an interrupted call with what remains", () => {
    const failed = call({ outcome: "SttConnectionFailed", operation: "transcribe", endedAt: at + 200 })
    const left = call({ id: "id-2", outcome: "interrupted", operation: "transcribe" })
    const fault = entry({ outcome: "faulted", ...unread })
    const { faults, problems } = account([left, failed], [entry({ outcome: "abandoned", number: 2, ...unread }), fault])
    expect(problems).toEqual([])
    expect([...faults]).toEqual([["SttConnectionFailed", 1]])
    expect(account([left], [fault]).faults.get("interrupted by the check")).toBe(1)
    expect(account([{ ...failed, endedAt: at + 1 }], [fault]).problems).toHaveLength(2)
  })

  it("accepts an interrupted call with a response, without one, or never sent", () => {
    const left = call({ outcome: "interrupted" })
    for (const entries of [[], [entry({ outcome: "answered" })], [entry({ outcome: "abandoned" })]]) {
      expect(account([left], entries).problems).toEqual([])
    }
  })
})

describe("the ledger", () => {
  const none = { transcribe: { calls: 0, credits: 0 }, synthesize: { calls: 0, credits: 0 } }
  const billed = (calls: number, credits: number) => ({ ...none, synthesize: { calls, credits } })
  const calls = [
    call({ outcome: "success" }),
    call({ outcome: "interrupted" }),
    call({ outcome: "TtsConnectionFailed" })
  ]

  it("may hold the successful calls, and interrupted ones besides", () => {
    expect(ledgerProblems(calls, none, billed(1, 10))).toEqual([])
    expect(ledgerProblems(calls, none, billed(2, 20))).toEqual([])
  })

  it("is a problem if it holds less or more", () => {
    expect(ledgerProblems(calls, none, none)).toHaveLength(2)
    expect(ledgerProblems(calls, none, billed(3, 30))).toHaveLength(2)
    expect(ledgerProblems(calls, none, billed(2, 21))).toHaveLength(1)
  })
})
