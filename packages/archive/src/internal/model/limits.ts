/**
 * Whether a call may begin: the limits of the run, its rate, a service that is down, and the one call after a refusal. The store reads
 * the facts, asks, and writes the answer in the same transaction.
 *
 * Times are milliseconds since 1970 by the clock that all machines share.
 */
import type { Limits, Unanswered } from "../../Run.js"

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

/** The tags of suspensions by a limit. They need no probe: the account was not refused. */
export const fileLimit = "FileLimit"
export const creditLimit = "CreditLimit"

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
      nextCallAt: (now - run.nextCallAt < interval ? Math.min(run.nextCallAt, now) : now) + interval,
      slowUntil: slowness === 0 ? 0 : now + slowMillis(slowness)
    }
  }
}
