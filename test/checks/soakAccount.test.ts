import { describe, expect, it } from "@effect/vitest"
import { account, type Call, type Entry, ledgerProblems } from "../../checks/load/soak/account.js"

const at = Date.parse("2026-01-31T12:00:00.000Z")

const call = (outcome: string, changes: Partial<Call> = {}): Call => ({
  id: "id-1",
  kind: "a text",
  operation: "synthesize",
  cost: 10,
  startedAt: at,
  endedAt: at + 100,
  attempts: [{ startedAt: at, status: outcome === "success" ? 200 : undefined }],
  outcome,
  ...changes
})

const entry = (outcome: Entry["outcome"], changes: Partial<Entry> = {}): Entry => ({
  number: 1,
  at: new Date(at + 10).toISOString(),
  operation: "synthesize",
  keyId: null,
  id: "id-1",
  request: null,
  status: outcome === "answered" ? 200 : null,
  millis: 1,
  outcome,
  ...changes
})

const retried = call("success", {
  attempts: [
    { startedAt: at, status: 500 },
    { startedAt: at + 20, status: 200 }
  ]
})
const faulted = entry("faulted", { status: 500 })
const second = entry("answered", { number: 2 })
const failed = call("TtsConnectionFailed")
const interrupted = call("interrupted")

/** A recording whose form the service did not read, so that it has no id. */
const unread = { operation: "transcribe", id: null } as const
const lostUpload = call("SttConnectionFailed", { operation: "transcribe", endedAt: at + 200 })
const leftUpload = call("interrupted", { id: "id-2", operation: "transcribe" })
const unreadFault = entry("faulted", unread)

type Row = readonly [name: string, calls: ReadonlyArray<Call>, entries: ReadonlyArray<Entry>, problems: number]

it.each<Row>([
  ["a retry after a fault", [retried], [faulted, second], 0],
  ["a retry without a fault", [retried], [entry("answered", { status: 500 }), second], 1],
  ["an error without a fault", [failed], [entry("answered")], 1],
  ["an error without a request", [failed], [], 1],
  ["a request without a call", [call("success")], [entry("answered"), second], 1],
  ["a fault without a call", [], [unreadFault], 1],
  ["an interrupted call that was not sent", [interrupted], [], 0],
  ["an interrupted call with a response", [interrupted], [entry("answered")], 0],
  ["an interrupted call without a response", [interrupted], [entry("abandoned")], 0],
  ["uploads by their time", [leftUpload, lostUpload], [entry("abandoned", { number: 2, ...unread }), unreadFault], 0],
  ["an upload that ended before its fault", [{ ...lostUpload, endedAt: at + 1 }], [unreadFault], 2]
])("the account of %s", (_, calls, entries, problems) => {
  expect(account(calls, entries).problems).toHaveLength(problems)
})

it("the account counts the results of faults", () => {
  expect([...account([retried], [faulted, second]).faults]).toEqual([["retried", 1]])
  expect([...account([lostUpload], [unreadFault]).faults]).toEqual([["SttConnectionFailed", 1]])
  expect([...account([leftUpload], [unreadFault]).faults]).toEqual([["interrupted by the check", 1]])
})

describe("the ledger of a success, an interrupted call and an error", () => {
  const none = { transcribe: { calls: 0, credits: 0 }, synthesize: { calls: 0, credits: 0 } }

  it.each([
    { calls: 1, credits: 10, problems: 0 },
    { calls: 2, credits: 20, problems: 0 },
    { calls: 0, credits: 0, problems: 2 },
    { calls: 3, credits: 30, problems: 2 },
    { calls: 2, credits: 21, problems: 1 }
  ])("with $calls calls and $credits credits has $problems problems", ({ problems, ...synthesize }) => {
    expect(ledgerProblems([call("success"), interrupted, failed], none, { ...none, synthesize })).toHaveLength(problems)
  })
})
