import { createHash } from "node:crypto"
import type { JournalEntry } from "../../Journal.js"
import { maximumReported, type Reported, relevantFacts, reportOn } from "./faultReport.js"
import type { RequestFacts } from "./requestFacts.js"

/** What the attempts of one call have in common. */
export type Identity = Pick<RequestFacts, "id" | "content">

/** Reads the identity of a request from its body, chunk by chunk. */
export interface IdentityReader {
  readonly write: (chunk: Uint8Array) => void
  /** The identity after the whole body. `undefined` if the body can't be read. */
  readonly end: () => Promise<Identity | undefined>
}

/** Takes what happens to a request. */
export interface Observer {
  readonly identified: (identity: Partial<Identity>) => void
  /** `retryAfterMillis` is the delay that the response asks for. `null`: none. */
  readonly responded: (status: number, retryAfterMillis: number | null) => void
  /** `isWhole`: the whole response was sent. */
  readonly ended: (isWhole: boolean) => void
}

/** The facts of requests since the faults were set. */
export interface Observations {
  readonly arrived: (
    entry: Pick<JournalEntry, "number" | "at" | "operation">,
    met: Pick<RequestFacts, "fault" | "isInjected">
  ) => Observer
  /** Whether a request that met a fault is in progress. */
  readonly isInProgress: () => boolean
  readonly report: () => Reported
}

/** Below this, looking for facts to forget would cost more than it saves. */
const fewest = 2000

/** `elapsedMillis` is the time since the faults were set. */
export const makeObservations = (elapsedMillis: () => number, maximum = maximumReported): Observations => {
  let facts: ReadonlyArray<RequestFacts> = []
  let forgetAt = fewest
  let leftOut = 0
  const faulted = () => facts.filter(({ fault }) => fault !== null).length

  /** Half of the facts at least are new each time, so that a request costs the same however many there were. */
  const forget = () => {
    const before = faulted()
    facts = relevantFacts(facts, maximum)
    leftOut += before - faulted()
    forgetAt = Math.max(fewest, 2 * facts.length)
  }
  return {
    arrived: ({ at, number, operation }, met) => {
      const open: { -readonly [Field in keyof RequestFacts]: RequestFacts[Field] } = {
        number,
        at,
        operation,
        ...met,
        arrivedMillis: elapsedMillis(),
        id: undefined,
        content: undefined,
        status: null,
        respondedMillis: null,
        retryAfterMillis: null,
        endedMillis: null,
        isWhole: false
      }
      if (facts.length >= forgetAt) forget()
      ;(facts as Array<RequestFacts>).push(open)
      return {
        identified: (identity) => Object.assign(open, identity),
        responded: (status, retryAfterMillis) =>
          Object.assign(open, { status, retryAfterMillis, respondedMillis: elapsedMillis() }),
        ended: (isWhole) => Object.assign(open, { isWhole, endedMillis: elapsedMillis() })
      }
    },
    isInProgress: () => facts.some(({ endedMillis, fault }) => fault !== null && endedMillis === null),
    report: () => {
      const reported = reportOn(facts, maximum)
      return { ...reported, leftOut: leftOut + reported.leftOut }
    }
  }
}

/** Identifies a request by its whole body. */
export const digestBody = (id: string | null): IdentityReader => {
  const digest = createHash("sha256")
  return {
    write: (chunk) => digest.update(chunk),
    end: async () => ({ id, content: digest.digest("base64url") })
  }
}
