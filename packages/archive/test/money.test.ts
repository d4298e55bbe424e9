import { describe, expect, it } from "@effect/vitest"
import { Quiet } from "@effect-speech/audio-codec"
import type { Billing } from "@effect-speech/transport/CallReport"
import * as FastCheck from "effect/FastCheck"
import { makeTally, ofKept, ofRecording, secondsOf } from "../src/internal/model/money.js"
import { settle } from "../src/internal/model/policy.js"
import { type Concern, settlementOf } from "../src/internal/model/settlement.js"

const wav = { container: "wav", pieceMillis: undefined }

describe("the highest cost of a recording", () => {
  it("is its started seconds, if its header states its duration", () => {
    expect(ofRecording({ ...wav, size: 1, durationMillis: 2_000 })).toEqual({ most: 2, isStated: true })
    expect(ofRecording({ ...wav, size: 1, durationMillis: 2_000.1 })).toEqual({ most: 3, isStated: true })
    expect(ofRecording({ ...wav, size: 1, durationMillis: 0 })).toEqual({ most: 0, isStated: true })
  })

  it("is estimated by its size, at 6 kbit/s, if its header states no duration", () => {
    const webm = { container: "webm", durationMillis: undefined, pieceMillis: undefined }
    expect(ofRecording({ ...webm, size: 750_000 })).toEqual({ most: 1_000, isStated: false })
    expect(ofRecording({ ...webm, size: 1 })).toEqual({ most: 1, isStated: false })
  })

  it("is no less than that of its pieces, however the recording is cut", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 200_000 }),
        FastCheck.integer({ min: 1_000, max: 5_000 }),
        FastCheck.integer({ min: 1, max: 500 }),
        (samples, pieceMillis, pauseEvery) => {
          const sound = Float32Array.from({ length: samples }, (_, at) =>
            Math.floor(at / 800) % pauseEvery === 0 ? 0 : Math.sin(at / 3)
          )
          const cutter = Quiet.unsafeMakeCutter(8_000, { maximum: pieceMillis })
          const pieces = [...cutter.push(sound), ...cutter.flush()]
          const cost = pieces.reduce((sum, piece) => sum + secondsOf(Math.round(piece.samples.length / 8)), 0)
          const { most } = ofRecording({ container: "wav", size: 1, durationMillis: samples / 8, pieceMillis })
          expect(cost).toBeLessThanOrEqual(most)
          if (pieces.length === 1) expect(most - cost).toBeLessThanOrEqual(1 + samples / 4 / pieceMillis)
        }
      ),
      { numRuns: 60, seed: 1 }
    )
  })
})

describe("what a file has cost", () => {
  it("counts the pieces that were paid, and those without an answer only if they may be billed", () => {
    const tally = makeTally()
    for (const id of [1, 2, 3]) tally.begun(id, id * 10)
    tally.paid(1)
    expect([tally.spent("notBilled"), tally.spent("unknown"), tally.isOpen()]).toEqual([10, 60, true])
  })

  it("counts equal pieces once, and those that were sent now not as kept", () => {
    const piece = (call: string, isSent: boolean) => ({ call, credits: 5, isSent })
    expect(ofKept([piece("a", true), piece("a", false), piece("b", false), piece("b", false)])).toBe(5)
  })

  it("counts kept pieces once, also if the process that paid them was killed", () => {
    const run = {
      now: 0,
      limits: { maxCredits: 100 },
      unanswered: "hold",
      begun: 1,
      credits: 0,
      nextCallAt: 0,
      slowness: 0,
      slowedAt: -1,
      slowUntil: 0,
      probe: false
    } as const
    const done = {
      _tag: "Done",
      result: { text: "text", segments: [], warnings: [] },
      billing: "billed",
      credits: 10,
      keptCredits: 30
    } as const
    const spentAfter = (spent: number) =>
      settle(run, { strikes: 0, reserved: 40, spent, mayBeBilled: false, isFirstCall: true }, done, false).file.spent
    // Recorded when they failed; by a killed process without a limit; by a killed process whose reservation was spent.
    expect([30, 0, 12, 40].map(spentAfter)).toEqual([10, 40, 28, 10])
  })
})

describe("what becomes of a file whose call failed", () => {
  const facts = { error: { tag: "Tag", message: "Sentence." }, credits: 7, begunAt: 5, isSent: true }
  const pair = (concern: Concern, billing: Billing) =>
    (["hold", "repeat"] as const).map((unanswered) => {
      const { _tag, ...settlement } = settlementOf({ ...facts, concern, billing }, unanswered)
      expect(settlement.credits).toBe(7)
      return [_tag, ...("notReached" in settlement ? ["notReached"] : "begunAt" in settlement ? ["slower"] : [])].join(
        " "
      )
    })

  it.each<readonly [Concern, string, string]>([
    ["file", "Failed", "Held"],
    ["run", "Failed", "Held"],
    ["output", "Refused", "Unsaved"],
    ["account", "Refused", "Unsaved"],
    ["service", "Unavailable slower", "Held slower"],
    ["unreached", "Unavailable notReached", "Held slower"],
    ["process", "Unavailable slower", "Held slower"],
    ["closing", "NotBegun", "Held slower"]
  ])("is decided by what the failure concerns: %s", (concern, sure, unsure) => {
    expect(pair(concern, "notBilled")).toEqual([sure, sure])
    for (const billing of ["unknown", "billed"] as const) expect(pair(concern, billing)).toEqual([unsure, sure])
  })

  it("does not count an attempt that sent nothing", () => {
    for (const concern of ["file", "process"] as const) {
      const failure = { ...facts, concern, billing: "notBilled", credits: 0, isSent: false } as const
      expect(settlementOf(failure, "hold")).toMatchObject({ notReached: true })
    }
  })
})
