/** How a request ended. */
import type { JournalEntry } from "../../../src/Journal.js"

/** Whether its client got no usable response. */
export const isFailed = ({ outcome, status }: JournalEntry): boolean =>
  outcome !== "underWay" && (status === null || status >= 400)
