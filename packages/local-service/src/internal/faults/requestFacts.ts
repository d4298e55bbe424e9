import type { OperationName } from "../../OperationName.js"

/** What the service saw of a request while faults are set. Times are milliseconds after the faults were set. */
export interface RequestFacts {
  /** Its number in the journal. */
  readonly number: number
  /** When it arrived: ISO 8601, UTC. */
  readonly at: string
  readonly operation: OperationName
  /** Number of the fault that it met, counted from 1. `null`: none. */
  readonly fault: number | null
  /** Whether the fault responds in place of the operation. */
  readonly isInjected: boolean
  readonly arrivedMillis: number
  /** The id that the client sent. `null`: none. `undefined`: not read. */
  readonly id: string | null | undefined
  /** Digest of the content without the id. `undefined`: not read whole. */
  readonly content: string | undefined
  readonly status: number | null
  /** When the response began. `null`: it did not. */
  readonly respondedMillis: number | null
  /** Delay that the response asked for, in milliseconds. */
  readonly retryAfterMillis: number | null
  /** When the request ended. `null`: it is in progress. */
  readonly endedMillis: number | null
  /** Whether the whole response was sent. */
  readonly isWhole: boolean
}

/** What the attempts of one call have in common. `undefined`: not read. */
export type CallKey = { readonly by: "id" | "content"; readonly key: string } | undefined

export const callKeyOf = ({ content, id, operation }: RequestFacts): CallKey => {
  if (typeof id === "string") return { by: "id", key: `${operation} id ${id}` }
  if (id === undefined || content === undefined) return undefined
  return { by: "content", key: `${operation} content ${content}` }
}

/** Whether the client got the operation's own response, with a status below 300. */
export const isDelivered = ({ endedMillis, isInjected, isWhole, status }: RequestFacts): boolean =>
  endedMillis !== null && isWhole && !isInjected && status !== null && status < 300

/**
 * When a client could know of a failure: with the response, or when the connection closed. `undefined`: the request is in progress.
 */
export const failedAt = ({ endedMillis, isWhole, respondedMillis }: RequestFacts): number | undefined =>
  endedMillis === null ? undefined : isWhole ? (respondedMillis ?? endedMillis) : endedMillis

/** A client that leaves a request may send the next one shortly before the service sees that it has left. */
const lateCloseMillis = 20

/** Whether a request can be the next attempt after another one failed. */
export const isAfter = (later: RequestFacts, earlier: RequestFacts): boolean => {
  const failed = failedAt(earlier)
  return failed !== undefined && failed <= later.arrivedMillis + (earlier.isWhole ? 0 : lateCloseMillis)
}
