/**
 * What a run decides, as functions of facts: whether a call may begin, what becomes of a file after its call, and when the run slows
 * down, goes on or is suspended. The store reads the facts, asks, and writes the answer in the same transaction.
 *
 * Times are milliseconds since 1970 by the clock that all machines share.
 */
import type { FileState, Limits, Unanswered } from "../../Run.js"
import type { Settlement } from "../store/Store.js"
import type { FileEvent } from "./states.js"

/** The tag of an error or of a limit, and the sentence for a person. */
export interface Reason {
  readonly tag: string
  readonly message: string
}

/** What is known of a run when a call begins or ends. */
export interface RunFacts {
  readonly now: number
  readonly limits: Limits
  readonly unanswered: Unanswered
  /** Calls that have begun and reached the service, or may reach it still. Only counted while the run has limits. */
  readonly begun: number
  /** Credits spent, and those that calls under way may cost. Only counted while the run has limits. */
  readonly credits: number
  /** When the rate of the run allows the next call. */
  readonly nextCallAt: number
  /** How often the service was found down since its last success. */
  readonly slowness: number
  readonly slowedAt: number
  /** While the service is down, one call begins after this time. */
  readonly slowUntil: number
}

/** What is known of a file whose call has ended. */
export interface FileFacts {
  /** Calls that found the service down while it answered others. */
  readonly strikes: number
  /** What the call may have cost at most. */
  readonly reserved: number
  /** An earlier call of the file may have been billed, and has no result. */
  readonly mayBeBilled: boolean
}

// --- Before a call ---

/** The tags of suspensions by a limit. They need no probe: the account was not refused. */
export const fileLimit = "FileLimit"
export const creditLimit = "CreditLimit"

/** After a suspension by the account or by the output, one call is made before the others. */
export const needsProbe = (suspension: Reason | undefined): boolean =>
  suspension !== undefined && suspension.tag !== fileLimit && suspension.tag !== creditLimit

const maxSlowMillis = 60_000

/** How long calls are held back after the service was found down so many times. */
export const slowMillis = (slowness: number): number =>
  slowness === 0 ? 0 : Math.min(1_000 * 2 ** (slowness - 1), maxSlowMillis)

const rateMillis = ({ callsPerSecond }: Limits): number => (callsPerSecond === undefined ? 0 : 1_000 / callsPerSecond)

/** When the next call may begin. */
export const nextCallAt = ({ limits, nextCallAt, slowUntil, slowness }: RunFacts): number =>
  Math.max(slowness === 0 ? 0 : slowUntil, limits.callsPerSecond === undefined ? 0 : nextCallAt)

/** The time between two calls that are held back. */
export const callInterval = ({ limits, slowness }: RunFacts): number =>
  Math.max(rateMillis(limits), slowMillis(slowness))

export type Admission =
  | { readonly _tag: "Admitted"; readonly nextCallAt: number; readonly slowUntil: number }
  | { readonly _tag: "Early" }
  | { readonly _tag: "CostNeeded" }
  | { readonly _tag: "Limited"; readonly reason: Reason }

/**
 * Whether a call begins that costs at most `cost` credits, which only a run with a limit of credits needs to know.
 *
 * | admission | when |
 * | --------- | ---- |
 * | `Early` | the service is down, or the rate is reached |
 * | `CostNeeded` | the run has a limit of credits, and the cost is not known |
 * | `Limited` | the call would exceed a limit: the run is suspended once no call is under way |
 * | `Admitted` | else |
 */
export const admit = (run: RunFacts, cost: number | undefined): Admission => {
  const { begun, credits, limits, now, slowness } = run
  const { maxCredits, maxFiles } = limits
  if (now < nextCallAt(run)) return { _tag: "Early" }
  if (maxFiles !== undefined && begun >= maxFiles) {
    const message = `The run has begun ${begun} calls, and its limit is ${maxFiles}; raise the limit to go on.`
    return { _tag: "Limited", reason: { tag: fileLimit, message } }
  }
  if (maxCredits !== undefined && cost === undefined) return { _tag: "CostNeeded" }
  if (maxCredits !== undefined && cost !== undefined && credits + cost > maxCredits) {
    const message = `The run has spent ${credits} credits, the next file costs up to ${cost}, and the limit is ${maxCredits}; raise the limit to go on.`
    return { _tag: "Limited", reason: { tag: creditLimit, message } }
  }
  const interval = rateMillis(limits)
  return {
    _tag: "Admitted",
    // A call that was late by less than an interval is made up for.
    nextCallAt: Math.max(run.nextCallAt, now - interval) + interval,
    slowUntil: slowness === 0 ? 0 : now + slowMillis(slowness)
  }
}

// --- After a call ---

/** A file fails when so many of its calls found the service down while it answered others. */
const maxStrikes = 5

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
    /** Added to the calls that have begun, and to the credits that are spent or reserved. */
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
 * | `Refused` | `pending`, and the attempt does not count | suspended |
 * | `Lost` | `held` | suspended |
 * | `Held` | `held` | slows down |
 * | `Unavailable` | `pending`, or `failed` after five strikes | slows down |
 * | `Failed` | `failed`, or `held` in a run that holds if an earlier call may have been billed | slows down if the service was down |
 *
 * @param othersHaveFewerStrikes Whether another file that is left has fewer strikes.
 */
export const settle = (
  run: RunFacts,
  file: FileFacts,
  settlement: Settlement,
  othersHaveFewerStrikes: boolean
): Change => {
  const { mayBeBilled, reserved, strikes } = file
  switch (settlement._tag) {
    case "Done": {
      const spent = Math.ceil(settlement.credits)
      return {
        file: { event: "answered", to: "done", billing: settlement.billing, uncounted: false, strikes: 0, spent },
        run: { begun: 0, credits: spent - reserved, service: "answers" }
      }
    }
    case "NotBegun":
    case "Refused":
      return {
        file: { event: "returned", to: "pending", uncounted: true, strikes, spent: 0 },
        run: { begun: -1, credits: -reserved, ...(settlement._tag === "Refused" && { suspension: settlement.error }) }
      }
    case "Lost": {
      const { billing, error } = settlement
      return {
        file: { event: "unsaved", to: "held", error, billing, uncounted: false, strikes, spent: reserved },
        run: { begun: 0, credits: 0, suspension: error }
      }
    }
    case "Failed":
    case "Held":
    case "Unavailable": {
      const { begunAt, error } = settlement
      // That a later call sent nothing does not undo an earlier one.
      const billing = mayBeBilled && settlement.billing === "notBilled" ? "unknown" : settlement.billing
      const isHeld = settlement._tag === "Held" || (mayBeBilled && run.unanswered === "hold")
      const slowed =
        begunAt === undefined ? noStrike(strikes) : strike(run, strikes, begunAt, error, othersHaveFewerStrikes)
      const repeats = settlement._tag === "Unavailable" && slowed.strikes < maxStrikes
      const uncounted = settlement._tag === "Unavailable" && settlement.notReached === true
      const spent = settlement.billing === "notBilled" ? 0 : reserved
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
        run: { begun: uncounted ? -1 : 0, credits: spent - reserved, service: slowed.service }
      }
    }
  }
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
  if (begunAt <= slowedAt) return noStrike(strikes)
  const counts = slowness === 0 || strikes === 0 || !othersHaveFewerStrikes
  return {
    strikes: strikes + (counts ? 1 : 0),
    service: { slowness: slowness + 1, slowedAt: now, slowUntil: now + slowMillis(slowness + 1), outage: error }
  }
}
