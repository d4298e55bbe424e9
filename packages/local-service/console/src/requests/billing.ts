/** What a request cost, as far as this service knows. */
import type { JournalEntry } from "../../../src/Journal.js"
import { plural } from "../format.js"

/** A recorded service bills by rules of its own. */
export const billedElsewhere = "billed by the recorded service: not known here"

/** `undefined` while it is not known yet. */
export const billingOf = ({ billing, credits = 0, sentBytes }: JournalEntry): string | undefined => {
  if (credits > 0) return plural(credits, "credit")
  if (sentBytes === undefined) return undefined
  return billing === "notKnown" ? billedElsewhere : "not billed"
}
