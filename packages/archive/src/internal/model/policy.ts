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
  /** Files whose call has begun and reached the service, or may reach it still. Only counted while the run has limits. */
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
  /** The account was refused before: one call is under way at a time, until the service answers one. */
  readonly probe: boolean
  /**
   * Files that failed with the tag of this one, since the last file that is done. Only counted if each file may fail so, and if
   * files are left to call. Default: 0.
   */
  readonly equalFailures?: number | undefined
}

/** What is known of a run and a file before its call. */
export interface CallFacts {
  /** The file has no call yet that reached the service. */
  readonly isNew: boolean
  /** What the call costs at most, if it is known. */
  readonly cost: number | undefined
  /** Calls of the run are under way. */
  readonly underWay: boolean
  /** A call is under way that began before there was a limit of credits, so that it may cost anything. */
  readonly unreserved: boolean
}

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

// --- Before a call ---

/** The tags of suspensions by a limit. They need no probe: the account was not refused. */
export const fileLimit = "FileLimit"
export const creditLimit = "CreditLimit"

/** The tag of a suspension by files that fail alike, one after the other. */
export const repeatedFailure = "RepeatedFailure"

/** After a suspension that is not by a limit, one call is made before the others. */
export const needsProbe = (suspension: Reason | undefined): boolean =>
  suspension !== undefined && suspension.tag !== fileLimit && suspension.tag !== creditLimit

const maxSlowMillis = 60_000

/** How long calls are held back after the service was found down so many times. */
export const slowMillis = (slowness: number): number =>
  slowness === 0 ? 0 : Math.min(1_000 * 2 ** (slowness - 1), maxSlowMillis)

const rateMillis = ({ callsPerSecond }: Limits): number => (callsPerSecond === undefined ? 0 : 1_000 / callsPerSecond)

/** When the next call may begin. A time further away than the longest wait was written before the clock was set back. */
export const nextCallAt = ({ limits, nextCallAt, now, slowUntil, slowness }: RunFacts): number => {
  const due = (at: number, longest: number) => (at > now + longest + 1 ? now : at)
  return Math.max(
    slowness === 0 ? 0 : due(slowUntil, slowMillis(slowness)),
    limits.callsPerSecond === undefined ? 0 : due(nextCallAt, rateMillis(limits))
  )
}

export type Admission =
  | { readonly _tag: "Admitted"; readonly run: RunFacts }
  | { readonly _tag: "Early"; readonly at: number }
  | { readonly _tag: "CostNeeded" }
  | { readonly _tag: "Limited"; readonly reason: Reason }

/** How soon calls under way are looked at again that decide whether a limit is reached. */
const underWayMillis = 500

/**
 * Whether a call begins.
 *
 * | admission | when |
 * | --------- | ---- |
 * | `Early` | the service is down, the rate is reached, or calls under way decide: ask again at that time |
 * | `CostNeeded` | the run has a limit of credits, and the cost is not known |
 * | `Limited` | the call would exceed a limit, and none is under way: the run is suspended |
 * | `Admitted` | else; with the facts for the next call |
 */
export const admit = (run: RunFacts, { cost, isNew, underWay, unreserved }: CallFacts): Admission => {
  const { begun, credits, limits, now, slowness } = run
  const { maxCredits, maxFiles } = limits
  const early: Admission = { _tag: "Early", at: now + underWayMillis }
  /** A call under way counts only if it reaches the service. */
  const limited = (reason: Reason): Admission => (underWay ? early : { _tag: "Limited", reason })
  if (now < nextCallAt(run)) return { _tag: "Early", at: nextCallAt(run) }
  if (run.probe && underWay) return early
  if (maxFiles !== undefined && begun + (isNew ? 1 : 0) > maxFiles) {
    return limited({
      tag: fileLimit,
      message: `The run has called for ${begun} files, and its limit is ${maxFiles}; raise the limit to go on.`
    })
  }
  if (maxCredits !== undefined) {
    if (cost === undefined) return { _tag: "CostNeeded" }
    if (unreserved) return early
    if (credits + cost > maxCredits) {
      return limited({
        tag: creditLimit,
        message: `The run has spent ${credits} credits, the next file costs up to ${cost}, and the limit is ${maxCredits}; raise the limit to go on.`
      })
    }
  }
  const interval = rateMillis(limits)
  return {
    _tag: "Admitted",
    run: {
      ...run,
      begun: begun + (isNew ? 1 : 0),
      credits: credits + (maxCredits === undefined ? 0 : (cost ?? 0)),
      // A call that was late by less than an interval is made up for.
      nextCallAt: Math.max(Math.min(run.nextCallAt, now), now - interval) + interval,
      slowUntil: slowness === 0 ? 0 : now + slowMillis(slowness)
    }
  }
}

// --- After a call ---

/** A file fails when so many of its calls found the service down while it answered others. */
const maxStrikes = 5

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
 * | `Refused` | `pending`, and the attempt does not count | suspended |
 * | `Unsaved` | `held` | suspended |
 * | `Held` | `held` | slows down |
 * | `Unavailable` | `pending`, or `failed` after five strikes | slows down |
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
      const isHeld = settlement._tag === "Held" || (mayBeBilled && run.unanswered === "hold")
      const slowed =
        begunAt === undefined ? noStrike(strikes) : strike(run, strikes, begunAt, error, othersHaveFewerStrikes)
      const repeats = settlement._tag === "Unavailable" && slowed.strikes < maxStrikes
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
