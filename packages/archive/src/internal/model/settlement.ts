/**
 * What becomes of a file whose call failed.
 */
import type { Billing } from "@effect-speech/transport/CallReport"
import type { Unanswered } from "../../Run.js"
import type { Settlement } from "../store/Store.js"
import type { Reason } from "./limits.js"

/**
 * What a failure is about, and so which other calls would fail too.
 *
 * | value | about |
 * | ----- | ----- |
 * | `file` | this file alone: it can't be read, its result can't be used, its output has the place of another |
 * | `run` | what the run asks for, and whom, such as an unknown model or a wrong address: each file may fail so; or this file |
 * | `output` | the place of all results and kept pieces, such as a full disk |
 * | `source` | all files, such as a share that is not mounted |
 * | `account` | the key, or its credit |
 * | `service` | the service, or the way to it: a later call may succeed |
 * | `unreached` | the same, and the service did not get the request |
 * | `process` | this process or its machine, such as too many open files |
 * | `closing` | the process closed its connections, since it ends |
 */
export type Concern = "file" | "run" | "output" | "source" | "account" | "service" | "unreached" | "process" | "closing"

/** A call that failed. */
export interface CallFailure {
  readonly concern: Concern
  readonly error: Reason
  readonly billing: Billing
  /** The service may have got a request for the file. */
  readonly isSent: boolean
  /** What the call cost, or may have cost. */
  readonly credits: number
  /** When the call began. */
  readonly begunAt: number
}

type Outcome = "Failed" | "Held" | "HeldSlower" | "Refused" | "Unsaved" | "Unavailable" | "NotReached" | "NotBegun"

/** `sure`: nothing was billed, or the run repeats what may have been billed. `unsure`: the file may be billed, and the run holds such files. */
const outcomes: Record<Concern, { readonly sure: Outcome; readonly unsure: Outcome }> = {
  file: { sure: "Failed", unsure: "Held" },
  run: { sure: "Failed", unsure: "Held" },
  output: { sure: "Refused", unsure: "Unsaved" },
  source: { sure: "Refused", unsure: "Unsaved" },
  account: { sure: "Refused", unsure: "Unsaved" },
  service: { sure: "Unavailable", unsure: "HeldSlower" },
  unreached: { sure: "NotReached", unsure: "HeldSlower" },
  process: { sure: "Unavailable", unsure: "HeldSlower" },
  closing: { sure: "NotBegun", unsure: "HeldSlower" }
}

/** Nothing that may have been billed is sent again, unless the run repeats it. */
export const settlementOf = (failure: CallFailure, unanswered: Unanswered): Settlement => {
  const { begunAt, billing, concern, credits, error, isSent } = failure
  const isSure = billing === "notBilled" || unanswered === "repeat"
  const facts = { error, billing, credits, ...(!isSent && { notReached: true }) }
  const outcome = outcomes[concern][isSure ? "sure" : "unsure"]
  switch (outcome) {
    case "Failed":
    case "Held":
      return { _tag: outcome, ...facts, ...(concern === "run" && { concernsRun: true }) }
    case "HeldSlower":
      return { _tag: "Held", ...facts, begunAt }
    case "Refused":
      return { _tag: "Refused", error, credits }
    case "Unsaved":
      return { _tag: "Unsaved", error, billing, credits }
    case "Unavailable":
      return { _tag: "Unavailable", ...facts, begunAt }
    case "NotReached":
      return { _tag: "Unavailable", ...facts, begunAt, notReached: true }
    case "NotBegun":
      return { _tag: "NotBegun", credits }
  }
}

/** A defect concerns its file alone. Whether it was billed is not known, nor what it cost. */
export const failedOrHeld = (
  facts: { readonly error: Reason; readonly billing: Billing; readonly credits?: number | undefined },
  unanswered: Unanswered
): Settlement & { readonly _tag: "Failed" | "Held" } => ({
  _tag: facts.billing === "notBilled" || unanswered === "repeat" ? "Failed" : "Held",
  ...facts
})
