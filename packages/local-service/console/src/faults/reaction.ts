/** What a client did after a fault, in words. */
import type { FaultedRequest } from "../../../src/FaultedRequest.js"
import { duration } from "./describeFault.js"

export interface Reaction {
  readonly words: string
  /** Whether the client coped with the fault. Absent: it is not known, or not yet. */
  readonly kind?: "good" | "bad"
}

export const reactionOf = (request: FaultedRequest): Reaction => {
  const { afterMillis, attempt, linkedBy, outcome, reaction, sameContent } = request
  switch (reaction) {
    case "retried": {
      const same = linkedBy === "content" ? " (same content, no id)" : ""
      const sent = `Retried after ${duration(afterMillis ?? 0)}${same}${retryAfterOf(request)}`
      if (outcome === "succeeded") return { words: `${sent}: succeeded.`, kind: "good" }
      if (outcome === "failed") return { words: `${sent}: failed.`, kind: "bad" }
      return { words: `${sent}: in progress.` }
    }
    case "gaveUp": {
      const when = attempt === 1 ? "Gave up at once." : `Gave up after attempt ${attempt}.`
      if (sameContent === null) return { words: when, kind: "bad" }
      return { words: `${when} Request ${sameContent} has the same content and another id.`, kind: "bad" }
    }
    case "delivered":
      return { words: "Got the response.", kind: "good" }
    case "underWay":
      return { words: "Still waits." }
    case "notKnown":
      return { words: "Not known: the service did not read this request, or a later one." }
  }
}

const retryAfterOf = ({ retryAfterHonoured, retryAfterMillis }: FaultedRequest): string => {
  if (retryAfterHonoured === null) return ""
  return retryAfterHonoured
    ? ", as Retry-After asked"
    : `, though Retry-After asked for ${duration(retryAfterMillis ?? 0)}`
}
