/** Calls: the requests that are attempts of the same one. */
import type { JournalEntry } from "../../../src/Journal.js"
import { isFailed } from "./outcome.js"

/** A call of a program: one request, and those that its client sent again after a failure. */
export interface Call {
  /** Oldest first. At least one. */
  readonly attempts: ReadonlyArray<JournalEntry>
  readonly first: JournalEntry
  readonly latest: JournalEntry
}

/** A later request with the same id is a call of its own: no client waits longer between two attempts. */
const longestPauseMillis = 3_600_000

/** What the attempts of a call have in common: the id of a synthesis, the transaction id of a transcription. */
export const callIdOf = ({ id, operation, request }: JournalEntry): string | undefined => {
  if (operation === "synthesize") return id ?? undefined
  const transactionId = request?.transaction_id
  return typeof transactionId === "string" ? transactionId : undefined
}

/** Whether a request can be the attempt before another one with its id. */
const isBefore = (earlier: JournalEntry, later: JournalEntry): boolean =>
  (isFailed(earlier) || earlier.fault !== undefined) &&
  earlier.operation === later.operation &&
  (earlier.keyId === null || later.keyId === null || earlier.keyId === later.keyId) &&
  (earlier.request === null || later.request === null || earlier.request.text === later.request.text) &&
  Date.parse(later.at) - Date.parse(earlier.at) <= longestPauseMillis

/** An entry in its call. */
interface Link {
  readonly entry: JournalEntry
  readonly id: string | undefined
  /** The entry before it with the same id, whether it is of the same call or not. */
  readonly sameId: Link | undefined
  /** The attempt before it. */
  readonly before: Link | undefined
  /** Whether a later attempt follows. */
  isFollowed: boolean
  /** The call whose latest attempt it is, once it was made. */
  call: Call | undefined
}

const callTo = (latest: Link): Call => {
  const attempts: Array<JournalEntry> = []
  for (let link: Link | undefined = latest; link !== undefined; link = link.before) attempts.push(link.entry)
  attempts.reverse()
  return { attempts, first: attempts[0] ?? latest.entry, latest: latest.entry }
}

/**
 * Groups entries, which are oldest first, into calls: the call with the latest request is first. A call that stays the same is the same
 * object. Only entries from the first one on that is not the same as in the previous grouping are grouped again.
 */
export const makeCallGrouping = (): ((entries: ReadonlyArray<JournalEntry>) => ReadonlyArray<Call>) => {
  /** One for each entry of the previous grouping. */
  const links: Array<Link> = []
  const latestById = new Map<string, Link>()

  const removeLast = () => {
    const link = links.pop()
    if (link === undefined) return
    if (link.before !== undefined) link.before.isFollowed = false
    if (link.id === undefined) return
    if (link.sameId === undefined) latestById.delete(link.id)
    else latestById.set(link.id, link.sameId)
  }
  const add = (entry: JournalEntry) => {
    const id = callIdOf(entry)
    const sameId = id === undefined ? undefined : latestById.get(id)
    const before = sameId !== undefined && isBefore(sameId.entry, entry) ? sameId : undefined
    const link: Link = { entry, id, sameId, before, isFollowed: false, call: undefined }
    if (before !== undefined) {
      before.isFollowed = true
      before.call = undefined
    }
    if (id !== undefined) latestById.set(id, link)
    links.push(link)
  }

  return (entries) => {
    let same = 0
    while (same < links.length && links[same]?.entry === entries[same]) same++
    while (links.length > same) removeLast()
    for (const entry of entries.slice(same)) add(entry)
    const calls: Array<Call> = []
    for (let at = links.length - 1; at >= 0; at--) {
      const link = links[at]
      if (link === undefined || link.isFollowed) continue
      link.call ??= callTo(link)
      calls.push(link.call)
    }
    return calls
  }
}

/** Milliseconds from the first request of a call to its latest response. `undefined` if none was sent. */
export const tookMillis = ({ attempts, first, latest }: Call): number | undefined => {
  if (latest.millis === null) return undefined
  if (attempts.length === 1) return latest.millis
  return Math.max(latest.millis, Date.parse(latest.at) - Date.parse(first.at) + latest.millis)
}
