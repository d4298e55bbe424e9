/**
 * What becomes of a file and its run after a call, and when the run slows down, goes on or is suspended. The store reads the facts,
 * asks, and writes the answer in the same transaction.
 */
import type { FileState } from "../../Run.js"
import type { Settlement } from "../store/Store.js"
import { type Reason, type RunFacts, slowMillis } from "./limits.js"
import type { FileEvent } from "./states.js"

/** What is known of a file whose call has ended. */
export interface FileFacts {
  /** Calls that found the service down while it answered others. */
  readonly strikes: number
  /** What the call may have cost at most. */
  readonly reserved: number
  /** What its calls before this one cost, as far as it was recorded. */
  readonly spent: number
  /** An earlier call of the file may have been billed, and has no result. */
  readonly mayBeBilled: boolean
  /** No earlier call of the file has reached the service. */
  readonly isFirstCall: boolean
}

/** A file fails when so many of its calls found the service down while it answered others. */
const maxStrikes = 5

/** The tag of a suspension by files that fail alike, one after the other. */
const repeatedFailure = "RepeatedFailure"

/** A run is suspended when so many files have failed alike, and none is done in between: each further file may fail too. */
const maxEqual = 10

/** What a settlement changes. */
export interface Change {
  readonly file: {
    readonly event: FileEvent
    readonly to: FileState
    readonly error?: Reason | undefined
    /** Unchanged if it is absent. */
    readonly billing?: string | undefined
    /** The call did not reach the service, so its attempt does not count. */
    readonly uncounted: boolean
    readonly strikes: number
    /** Credits that are added to what the file has cost. */
    readonly spent: number
  }
  readonly run: {
    /** Added to the files whose call has begun, and to the credits that are spent or reserved. */
    readonly begun: number
    readonly credits: number
    /** The service answers, or is down. Absent: nothing is known about it. */
    readonly service?:
      | "answers"
      | undefined
      | (Pick<RunFacts, "slowness" | "slowedAt" | "slowUntil"> & { readonly outage: Reason })
    readonly suspension?: Reason | undefined
  }
}

/**
 * What becomes of a file and its run after a call.
 *
 * | settlement | file | run |
 * | ---------- | ---- | --- |
 * | `Done` | `done` | calls as fast as it can again |
 * | `NotBegun` | `pending`, and the attempt does not count | |
 * | `Stopped` | `pending` | |
 * | `Refused` | `pending`, and the attempt does not count | suspended |
 * | `Unsaved` | `held` | suspended |
 * | `Held` | `held` | slows down |
 * | `Unavailable` | `pending`, or `failed` after five strikes; `held` in a run that holds if this call may have been billed | slows down |
 * | `Failed` | `failed`, or `held` in a run that holds if an earlier call may have been billed | slows down if the service was down; suspended if ten files have failed alike, one after the other |
 *
 * @param othersHaveFewerStrikes Whether another file that is left has fewer strikes.
 */
export const settle = (
  run: RunFacts,
  file: FileFacts,
  settlement: Settlement,
  othersHaveFewerStrikes: boolean
): Change => {
  const { isFirstCall, mayBeBilled, reserved, strikes } = file
  /** A call that did not reach the service does not count. */
  const uncount = isFirstCall ? -1 : 0
  const spentWithout = (unstated: number): number => Math.ceil(settlement.credits ?? unstated)
  switch (settlement._tag) {
    case "Done": {
      // The pieces that a killed process paid are in no record but their files.
      const unrecorded = Math.max(0, (settlement.keptCredits ?? 0) - file.spent)
      const spent = Math.ceil(settlement.credits + unrecorded)
      const uncounted = settlement.notReached === true
      return {
        file: { event: "answered", to: "done", billing: settlement.billing, uncounted, strikes: 0, spent },
        run: {
          begun: uncounted ? uncount : 0,
          credits: spent - reserved,
          service: uncounted ? undefined : "answers"
        }
      }
    }
    case "NotBegun":
    case "Refused": {
      const spent = spentWithout(0)
      const suspension = settlement._tag === "Refused" ? settlement.error : undefined
      return {
        file: { event: "returned", to: "pending", uncounted: true, strikes, spent },
        run: { begun: uncount, credits: spent - reserved, suspension }
      }
    }
    case "Stopped": {
      const spent = spentWithout(0)
      const uncounted = settlement.notReached === true
      return {
        file: { event: "returned", to: "pending", uncounted, strikes, spent },
        run: { begun: uncounted ? uncount : 0, credits: spent - reserved }
      }
    }
    case "Unsaved": {
      const { billing, error } = settlement
      const spent = spentWithout(reserved)
      return {
        file: { event: "unsaved", to: "held", error, billing, uncounted: false, strikes, spent },
        run: { begun: 0, credits: spent - reserved, suspension: error }
      }
    }
    case "Failed":
    case "Held":
    case "Unavailable": {
      const { begunAt, error } = settlement
      // That a later call sent nothing does not undo an earlier one.
      const billing = mayBeBilled && settlement.billing === "notBilled" ? "unknown" : settlement.billing
      // The process may have begun the call while the run still repeated.
      const mayNotRepeat = run.unanswered === "hold" && settlement.billing !== "notBilled"
      const isHeld = settlement._tag === "Held" || mayNotRepeat || (mayBeBilled && run.unanswered === "hold")
      const slowed =
        begunAt === undefined ? noStrike(strikes) : strike(run, strikes, begunAt, error, othersHaveFewerStrikes)
      const repeats = settlement._tag === "Unavailable" && !mayNotRepeat && slowed.strikes < maxStrikes
      const uncounted = settlement.notReached === true
      const spent = spentWithout(settlement.billing === "notBilled" ? 0 : reserved)
      return {
        file: {
          ...(repeats
            ? { event: "returned", to: "pending" }
            : isHeld
              ? { event: "unsaved", to: "held", error }
              : { event: "failed", to: "failed", error }),
          billing,
          uncounted,
          strikes: slowed.strikes,
          spent
        },
        run: {
          begun: uncounted ? uncount : 0,
          credits: spent - reserved,
          service: slowed.service,
          suspension: "concernsRun" in settlement && settlement.concernsRun === true ? repeated(run, error) : undefined
        }
      }
    }
  }
}

/** The account is not refused any more: the service has answered, or may have. */
export const endsProbe = (settlement: Settlement): boolean =>
  (settlement._tag === "Done" && settlement.notReached !== true) ||
  ((settlement._tag === "Failed" || settlement._tag === "Held") && settlement.billing !== "notBilled")

const repeated = ({ equalFailures = 0 }: RunFacts, { message }: Reason): Reason | undefined =>
  equalFailures + 1 < maxEqual
    ? undefined
    : {
        tag: repeatedFailure,
        message: `${equalFailures + 1} files have failed alike, one after the other. ${message} If the address of the service is wrong, correct it and resume the run. If the model or another option is wrong, run again with the right one and another output. If these files are wrong, take them out of the source and run again. A run that is resumed makes one call first.`
      }

const noStrike = (strikes: number): { strikes: number; service: undefined } => ({ strikes, service: undefined })

/**
 * The service was found down. A call that began before this was last found says nothing new. While the service answers others, each
 * failure is a strike against the file. During an outage, a file gets its second and later strikes only if no other that is left has
 * fewer, so that a file that always fails does not keep the run from its end.
 */
const strike = (
  { now, slowedAt, slowness }: RunFacts,
  strikes: number,
  begunAt: number,
  error: Reason,
  othersHaveFewerStrikes: boolean
) => {
  // While the service answers, or if the clock was set back, an earlier failure hides no other.
  if (slowness > 0 && slowedAt <= now && begunAt <= slowedAt) return noStrike(strikes)
  const counts = slowness === 0 || strikes === 0 || !othersHaveFewerStrikes
  return {
    strikes: strikes + (counts ? 1 : 0),
    service: { slowness: slowness + 1, slowedAt: now, slowUntil: now + slowMillis(slowness + 1), outage: error }
  }
}
