/** Runs: long texts, long recordings and archives, by the ids and the filenames of their requests. */
import type { JournalEntry } from "../../../src/Journal.js"
import { isFailed, isInProgress } from "../requests/outcome.js"
import { type Identity, identify, type PieceIdentity } from "./identify.js"

export type RunKind = "text" | "recording" | "archive"

export type CallState = "done" | "failed" | "busy"

/** A call of a run, with its attempts. */
export interface RunCall {
  /** The same for all of its attempts. */
  readonly id: string
  /** Absent if it is a whole file. */
  readonly piece: PieceIdentity | undefined
  /** In the order of their numbers. */
  readonly attempts: ReadonlyArray<JournalEntry>
  readonly latest: JournalEntry
  readonly state: CallState
}

/** A text or a recording of a run. Only an archive has several. */
export interface RunFile {
  readonly id: string
  /** By the number of the piece. */
  readonly calls: ReadonlyArray<RunCall>
}

export interface Run {
  readonly id: string
  readonly kind: RunKind
  readonly files: ReadonlyArray<RunFile>
  /** Those of all files. */
  readonly calls: ReadonlyArray<RunCall>
  readonly counts: Readonly<Record<CallState, number>>
  readonly requests: number
  /** Debited for all attempts. */
  readonly credits: number
  /** Of what is done: milliseconds of speech, or of the recordings. */
  readonly audioMillis: number
  readonly first: JournalEntry
  /** The request that began last. */
  readonly latest: JournalEntry
  /** When a request began or ended last, in milliseconds since 1970. */
  readonly activeAt: number
}

const stateOf = (entry: JournalEntry): CallState => (isInProgress(entry) ? "busy" : isFailed(entry) ? "failed" : "done")

interface OpenCall {
  readonly piece: PieceIdentity | undefined
  readonly attempts: Array<JournalEntry>
}

const collect = (entries: ReadonlyArray<JournalEntry>): Map<string, Map<string, OpenCall>> => {
  const files = new Map<string, Map<string, OpenCall>>()
  for (const entry of entries) {
    const { call, file, piece } = identify(entry) as Identity
    const calls = files.get(file) ?? new Map<string, OpenCall>()
    files.set(file, calls)
    const open = calls.get(call)
    if (open === undefined) calls.set(call, { piece, attempts: [entry] })
    else open.attempts.push(entry)
  }
  return files
}

const toCall = ([id, { attempts, piece }]: [string, OpenCall]): RunCall => {
  const latest = attempts.at(-1) as JournalEntry
  return { id, piece, attempts, latest, state: stateOf(latest) }
}

const byNumber = (one: RunCall, other: RunCall): number => (one.piece?.number ?? 0) - (other.piece?.number ?? 0)

/** `undefined` if the requests are one call that may be no piece: an id such as `order.007` can be a client's own. */
const runOf = (id: string, entries: ReadonlyArray<JournalEntry>): Run | undefined => {
  const files = [...collect(entries)].map(
    ([file, calls]): RunFile => ({ id: file, calls: [...calls].map(toCall).sort(byNumber) })
  )
  const calls = files.flatMap((file) => file.calls)
  const [first] = entries
  const latest = entries.at(-1)
  const [call] = calls
  if (first === undefined || latest === undefined || call === undefined) return undefined
  if (calls.length === 1 && (call.piece === undefined || first.operation === "synthesize")) return undefined
  const counts = { done: 0, failed: 0, busy: 0 }
  let audioMillis = 0
  for (const each of calls) {
    counts[each.state]++
    if (each.state === "done") audioMillis += each.latest.audioMillis ?? 0
  }
  return {
    id,
    kind: files.length > 1 ? "archive" : first.operation === "synthesize" ? "text" : "recording",
    files,
    calls,
    counts,
    requests: entries.length,
    credits: entries.reduce((sum, { credits = 0 }) => sum + credits, 0),
    audioMillis,
    first,
    latest,
    activeAt: entries.reduce((time, entry) => Math.max(time, identify(entry)?.activeAt ?? 0), 0)
  }
}

const areSame = (some: ReadonlyArray<JournalEntry>, others: ReadonlyArray<JournalEntry>): boolean =>
  some.length === others.length && some.every((entry, at) => entry === others[at])

interface Group {
  readonly entries: Array<JournalEntry>
  readonly run: Run | undefined
}

/**
 * Groups the entries of a journal, oldest first, into runs: the one that began last is first. A run whose entries have not changed
 * since the previous call is the same object.
 */
export const makeGrouping = (): ((entries: ReadonlyArray<JournalEntry>) => ReadonlyArray<Run>) => {
  let previous = new Map<string, Group>()
  return (entries) => {
    const found = new Map<string, Array<JournalEntry>>()
    for (const entry of entries) {
      const identity = identify(entry)
      if (identity === undefined) continue
      const group = found.get(identity.run)
      if (group === undefined) found.set(identity.run, [entry])
      else group.push(entry)
    }
    const groups = new Map<string, Group>()
    for (const [id, group] of found) {
      const before = previous.get(id)
      groups.set(
        id,
        before !== undefined && areSame(before.entries, group) ? before : { entries: group, run: runOf(id, group) }
      )
    }
    previous = groups
    return [...groups.values()]
      .flatMap(({ run }) => run ?? [])
      .sort((one, other) => other.first.number - one.first.number)
  }
}
