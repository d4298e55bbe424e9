import type { IncomingMessage } from "node:http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { JournalEntry } from "../../Journal.js"
import type { OperationName } from "../../OperationName.js"
import type { Changes } from "./changes.js"
import { arrived, headOf } from "./details.js"
import { type FoundRequest, type OpenEntry, type StoredEntry, toJournalEntry } from "./entry.js"
import { hideLocalKeys, makeHideKey } from "./hideKey.js"
import { type Keeping, makeKeeping } from "./keeping.js"
import type { KeptFiles } from "./keptFiles.js"

interface ArrivedRequest {
  readonly operation: OperationName
  readonly at: Date
  readonly incoming: IncomingMessage
}

export interface JournalService extends Keeping {
  /** Adds an entry, and publishes it. It is published again when its fields are kept. */
  readonly begin: (request: ArrivedRequest) => OpenEntry
  /** Publishes an entry that has changed. */
  readonly publish: (entry: OpenEntry) => void
  /** Publishes an entry whose request has ended, and counts it. */
  readonly end: (entry: OpenEntry) => void
  /** The latest thousand entries, oldest first. */
  readonly entries: Effect.Effect<ReadonlyArray<JournalEntry>>
  /** A request of the latest thousand by its number. */
  readonly find: (number: number) => FoundRequest | undefined
  /** How many requests have ended since the start or the latest `clear`. */
  readonly counts: Effect.Effect<ReadonlyArray<RequestCount>>
  /** Removes all entries. The numbers and the counts go on. */
  readonly empty: Effect.Effect<void>
  /** Removes all entries, and counts from 1 again. */
  readonly clear: Effect.Effect<void>
}

/** The requests that ended alike. */
export interface RequestCount extends Pick<JournalEntry, "operation" | "status" | "outcome"> {
  readonly count: number
}

export class Journal extends Context.Tag("@effect-speech/local-service/internal/Journal")<Journal, JournalService>() {}

const capacity = 1000

export interface JournalOptions {
  readonly changes: Changes
  readonly files: KeptFiles<object>
  /** Keys that no text may hold, besides that of its request. */
  readonly keys: ReadonlyArray<Redacted.Redacted>
}

export const makeJournal = ({ changes, files, keys }: JournalOptions): JournalService => {
  /** Oldest first. A request may end after its entry has left them. */
  const entries = new Set<StoredEntry>()
  let count = 0
  const counts = new Map<string, RequestCount>()

  const { add, keeping, remove } = makeKeeping((entry) => entries.has(entry), files)
  const empty = () => {
    for (const entry of entries) remove(entry)
    entries.clear()
  }
  const publish = (entry: OpenEntry) => {
    const stored = entry as StoredEntry
    if (entries.has(stored)) changes.request(() => toJournalEntry(stored))
  }
  return {
    ...keeping,
    keepRequest: (entry, fields) => {
      keeping.keepRequest(entry, fields)
      publish(entry)
    },
    begin: ({ at, incoming, operation }) => {
      const hide = makeHideKey(incoming.headers, keys)
      const entry: StoredEntry = {
        number: ++count,
        at: at.toISOString(),
        operation,
        keyId: null,
        id: null,
        parent: undefined,
        fields: null,
        status: null,
        outcome: "underWay",
        millis: null,
        details: arrived(headOf(incoming, hide)),
        audio: undefined,
        hide
      }
      entries.add(entry)
      add(entry)
      const [oldest] = entries
      if (entries.size > capacity && oldest !== undefined) {
        remove(oldest)
        entries.delete(oldest)
      }
      publish(entry)
      return entry
    },
    publish,
    end: (entry) => {
      const stored = entry as StoredEntry
      publish(entry)
      // The key of a request is not kept longer than it takes.
      stored.hide = hideLocalKeys
      files.forgetPart(stored)
      const { operation, outcome, status } = entry
      const key = `${operation} ${status} ${outcome}`
      counts.set(key, { operation, status, outcome, count: (counts.get(key)?.count ?? 0) + 1 })
    },
    counts: Effect.sync(() => [...counts.values()]),
    entries: Effect.sync(() => Array.from(entries, toJournalEntry)),
    find: (number) => {
      for (const stored of entries) {
        if (stored.number !== number) continue
        const kept = stored.audio && files.get(stored)
        const audio = kept && stored.audio && { ...kept, kind: stored.audio }
        return { entry: toJournalEntry(stored), details: stored.details, audio }
      }
      return undefined
    },
    empty: Effect.sync(() => {
      empty()
      changes.changed("journal")
    }),
    clear: Effect.sync(() => {
      empty()
      count = 0
      counts.clear()
      changes.changed("journal")
    })
  }
}
