/** How a request ended. */
import type { JournalEntry } from "../../../src/Journal.js"

/** Whether its end is not known yet. A fault is an outcome from the arrival on, so `outcome` alone does not say it. */
export const isInProgress = ({ outcome, sentBytes }: JournalEntry): boolean =>
  outcome === "underWay" || (outcome === "faulted" && sentBytes === undefined)

/** Whether the connection ended before the whole body of its response was sent. */
export const isCut = ({ outcome, sentBytes, status, totalBytes }: JournalEntry): boolean =>
  outcome !== "underWay" &&
  status !== null &&
  sentBytes !== undefined &&
  totalBytes !== undefined &&
  sentBytes < totalBytes

/** Whether a fault replaced the body of a response by one that is neither speech nor a transcript. */
export const isReplaced = ({ audioMillis, fault, operation, sentBytes, status, transcript }: JournalEntry): boolean =>
  fault !== undefined &&
  status !== null &&
  status < 400 &&
  sentBytes !== undefined &&
  (operation === "synthesize" ? audioMillis : transcript) === undefined

/** Whether its client closed the connection. A fault is an outcome from the arrival on, so `outcome` alone does not say it. */
export const isLeft = ({ clientLeft, outcome }: JournalEntry): boolean => outcome === "abandoned" || clientLeft === true

/** Whether its client got no usable response. */
export const isFailed = (entry: JournalEntry): boolean =>
  !isInProgress(entry) &&
  (entry.status === null || entry.status >= 400 || isLeft(entry) || isCut(entry) || isReplaced(entry))

export interface Status {
  /** The status of the response, or a word if no whole response was sent. */
  readonly word: string
  readonly kind: "good" | "bad" | "other" | "busy"
}

/** How a request ended, in a word. */
export const statusOf = (entry: JournalEntry): Status => {
  if (isInProgress(entry)) return { word: "in progress", kind: "busy" }
  if (isLeft(entry)) return { word: "left", kind: "other" }
  if (entry.status === null) return { word: "reset", kind: "other" }
  if (entry.status >= 400) return { word: String(entry.status), kind: "bad" }
  if (isCut(entry)) return { word: "cut", kind: "other" }
  return { word: String(entry.status), kind: isReplaced(entry) ? "other" : "good" }
}
