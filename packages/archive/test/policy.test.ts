import { describe, expect, it } from "@effect/vitest"
import type { Billing } from "@effect-speech/transport/CallReport"
import * as FastCheck from "effect/FastCheck"
import {
  type Admission,
  admit,
  type CallFacts,
  nextCallAt,
  type RunFacts,
  slowMillis
} from "../src/internal/model/limits.js"
import { type FileFacts, settle } from "../src/internal/model/policy.js"
import { statesBefore } from "../src/internal/model/states.js"
import type { Settlement } from "../src/internal/store/Store.js"

const facts = (changes: Partial<RunFacts> = {}): RunFacts => ({
  now: 1_000_000,
  limits: {},
  unanswered: "hold",
  begun: 0,
  credits: 0,
  nextCallAt: 0,
  slowness: 0,
  slowedAt: -1,
  slowUntil: 0,
  probe: false,
  ...changes
})

/** Whether a new file may be called that costs so much, if that is known. */
const admitted = (run: RunFacts, cost: number | undefined, changes: Partial<CallFacts> = {}): Admission =>
  admit(run, { isNew: true, cost, underWay: false, unreserved: false, ...changes })

/** A file at its first call, of which nothing is known. */
const fileFacts = (changes: Partial<FileFacts> = {}): FileFacts => ({
  strikes: 0,
  reserved: 0,
  spent: 0,
  mayBeBilled: false,
  isFirstCall: true,
  ...changes
})

const error = { tag: "SttUnavailable", message: "Later." }
const unavailable = (begunAt: number): Settlement => ({ _tag: "Unavailable", error, billing: "notBilled", begunAt })

describe("whether a call begins", () => {
  it("does not ask for the cost if there is no limit of credits", () => {
    expect(admitted(facts(), undefined)._tag).toBe("Admitted")
    expect(admitted(facts({ limits: { maxFiles: 1 } }), undefined)._tag).toBe("Admitted")
    expect(admitted(facts({ limits: { maxCredits: 9 } }), undefined)._tag).toBe("CostNeeded")
  })

  it("says which limit is reached, how much of it is used, and what the call would cost", () => {
    expect(admitted(facts({ limits: { maxFiles: 7 }, begun: 7 }), 1)).toEqual({
      _tag: "Limited",
      reason: {
        tag: "FileLimit",
        message: "The run has called for 7 files, and its limit is 7; raise the limit to go on."
      }
    })
    expect(admitted(facts({ limits: { maxCredits: 100 }, credits: 90 }), 11)).toMatchObject({
      reason: {
        tag: "CreditLimit",
        message:
          "The run has spent 90 credits, the next file costs up to 11, and the limit is 100; raise the limit to go on."
      }
    })
    expect(admitted(facts({ limits: { maxCredits: 100 }, credits: 90 }), 10)._tag).toBe("Admitted")
  })

  it("waits for calls under way that decide whether a limit is reached, or whether the account is refused still", () => {
    const full = facts({ limits: { maxFiles: 1 }, begun: 1 })
    expect(admitted(full, 1)._tag).toBe("Limited")
    expect(admitted(full, 1, { underWay: true })).toEqual({ _tag: "Early", at: 1_000_500 })
    expect(admitted(full, 1, { isNew: false })._tag).toBe("Admitted")
    expect(admitted(facts({ limits: { maxCredits: 9 } }), 1, { underWay: true, unreserved: true })._tag).toBe("Early")
    expect(admitted(facts({ probe: true }), 1)._tag).toBe("Admitted")
    expect(admitted(facts({ probe: true }), 1, { underWay: true })._tag).toBe("Early")
  })

  it("waits for the service, then lets one call begin for each wait", () => {
    const down = facts({ slowness: 3, slowedAt: 999_000, slowUntil: 1_003_000 })
    expect(nextCallAt(down)).toBe(1_003_000)
    expect(admitted(down, undefined)._tag).toBe("Early")
    expect(admitted({ ...down, now: 1_003_000 }, undefined)).toMatchObject({ run: { slowUntil: 1_007_000 } })
    expect([1, 2, 6, 7, 60].map(slowMillis)).toEqual([1_000, 2_000, 32_000, 60_000, 60_000])
  })

  it("begins calls at the rate, and makes up for one that was late", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 1_000 }),
        FastCheck.array(FastCheck.integer({ min: 0, max: 500 }), { minLength: 2, maxLength: 50 }),
        (callsPerSecond, waits) => {
          let run = facts({ limits: { callsPerSecond } })
          const first = run.now
          let begun = 0
          for (const wait of waits) {
            run = { ...run, now: run.now + wait }
            const admission = admitted(run, undefined)
            if (admission._tag === "Admitted") {
              begun++
              run = admission.run
            }
          }
          expect(begun).toBeLessThanOrEqual(((run.now - first) * callsPerSecond) / 1_000 + 1.001)
        }
      )
    )
  })
})

describe("what becomes of a file after its call", () => {
  const anySettlement: FastCheck.Arbitrary<Settlement> = FastCheck.oneof(
    FastCheck.record({
      _tag: FastCheck.constant("Done" as const),
      result: FastCheck.constant({ text: "text", segments: [], warnings: [] }),
      billing: FastCheck.constantFrom<Array<Billing>>("billed", "unknown"),
      credits: FastCheck.integer({ min: 0, max: 50 }),
      notReached: FastCheck.boolean()
    }),
    FastCheck.constantFrom<Settlement>({ _tag: "NotBegun" }, { _tag: "Refused", error }),
    FastCheck.constantFrom<Array<Billing>>("notBilled", "billed", "unknown").chain((billing) =>
      FastCheck.constantFrom<Settlement>(
        { _tag: "Unsaved", error, billing },
        { _tag: "Failed", error, billing },
        { _tag: "Failed", error, billing, begunAt: 999_999 },
        { _tag: "Held", error, billing, begunAt: 999_999 },
        { _tag: "Unavailable", error, billing, begunAt: 999_999 },
        { _tag: "Unavailable", error, billing, begunAt: 999_999, notReached: true }
      )
    )
  )
  const anyFile = FastCheck.record({
    strikes: FastCheck.integer({ min: 0, max: 4 }),
    reserved: FastCheck.integer({ min: 0, max: 50 }),
    spent: FastCheck.integer({ min: 0, max: 50 }),
    mayBeBilled: FastCheck.boolean(),
    isFirstCall: FastCheck.boolean()
  })

  it("frees what the file had reserved, and adds what its call may have cost", () => {
    FastCheck.assert(
      FastCheck.property(anyFile, anySettlement, FastCheck.boolean(), (file, settlement, others) => {
        const { file: after, run } = settle(facts(), file, settlement, others)
        expect(run.credits + file.reserved).toBe(after.spent)
        expect(run.begun).toBe(after.uncounted && file.isFirstCall ? -1 : 0)
        // What may have been billed is spent.
        if ("billing" in settlement && settlement.billing !== "notBilled" && settlement._tag !== "Done") {
          expect(after.spent).toBe(file.reserved)
        }
        expect(statesBefore(after.event)).toContain("started")
      })
    )
  })

  it("has cost what its call states, whatever became of it", () => {
    const file = fileFacts({ reserved: 9, spent: 5 })
    for (const settlement of [
      { _tag: "NotBegun" },
      { _tag: "Refused", error },
      { _tag: "Unsaved", error, billing: "unknown" },
      { _tag: "Held", error, billing: "unknown" },
      { _tag: "Failed", error, billing: "notBilled" },
      { _tag: "Unavailable", error, billing: "notBilled", begunAt: 5 }
    ] as const) {
      const change = settle(facts(), file, { ...settlement, credits: 3.5 }, false)
      expect([change.file.spent, change.run.credits], settlement._tag).toEqual([4, -5])
    }
  })

  it("suspends the run at the tenth file that fails alike, and says what to do", () => {
    const refused = { tag: "SttBadRequest", message: "The model x is unknown." }
    const changeAfter = (equalFailures: number, concernsRun: boolean) =>
      settle(
        facts({ equalFailures }),
        fileFacts(),
        { _tag: "Failed", error: refused, billing: "notBilled", concernsRun },
        false
      )
    expect(changeAfter(8, true).run.suspension).toBeUndefined()
    expect(changeAfter(9, false).run.suspension).toBeUndefined()
    expect(changeAfter(9, true).file).toMatchObject({ to: "failed", error: refused })
    expect(changeAfter(9, true).run.suspension).toEqual({
      tag: "RepeatedFailure",
      message:
        "10 files have failed alike, one after the other. The model x is unknown. If the address of the service is wrong, correct it and resume the run. If the model or another option is wrong, run again with the right one and another output. If these files are wrong, take them out of the source and run again. A run that is resumed makes one call first."
    })
  })

  /** After a call that found the service down at this time. */
  const struck = (run: Partial<RunFacts>, strikes: number, begunAt: number, others = false) =>
    settle(facts(run), fileFacts({ strikes }), unavailable(begunAt), others)

  it("fails at the fifth strike, and not before", () => {
    for (const strikes of [0, 1, 2, 3]) {
      expect(struck({}, strikes, 5).file).toMatchObject({ to: "pending", strikes: strikes + 1 })
    }
    expect(struck({}, 4, 5).file).toMatchObject({ to: "failed", error, strikes: 5 })
  })

  it("learns nothing from a call that began before the service was last found down", () => {
    const { file, run } = struck({ slowness: 1, slowedAt: 900, slowUntil: 1_900 }, 1, 900)
    expect([file.strikes, run.service]).toEqual([1, undefined])
  })

  it("learns from each failure while the service answers, also after a clock that was set back", () => {
    const learnt = (changes: Partial<RunFacts>) => struck({ now: 1_000, ...changes }, 0, 900).run.service
    expect(learnt({ slowedAt: 900 })).toMatchObject({ slowness: 1, slowedAt: 1_000 })
    expect(learnt({ slowness: 1, slowedAt: 3_600_000 })).toMatchObject({ slowness: 2, slowedAt: 1_000 })
  })

  it("waits no longer for the service and the rate than it ever does, after a clock that was set back", () => {
    const later = { now: 1_000, slowUntil: 3_600_000, nextCallAt: 3_600_000 }
    expect(admitted(facts({ ...later, slowness: 1 }), undefined)).toMatchObject({ run: { slowUntil: 2_000 } })
    expect(admitted(facts({ ...later, limits: { callsPerSecond: 2 } }), undefined)).toMatchObject({
      run: { nextCallAt: 1_500 }
    })
  })

  it("strikes a file again in an outage only if no other has fewer strikes", () => {
    const strikes = (before: number, others: boolean) =>
      struck({ slowness: 4, slowedAt: 1, slowUntil: 2 }, before, 5, others).file.strikes
    expect([strikes(0, true), strikes(1, true), strikes(1, false)]).toEqual([1, 1, 2])
  })
})
