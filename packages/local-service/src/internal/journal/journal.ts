import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { JournalEntry } from "../../Journal.js"
import type { OperationName } from "../../OperationName.js"
import type { Changes } from "./changes.js"
import { type ShortenedFields, shortenFields } from "./shortenFields.js"

/** An entry as the journal stores it. While its request is in progress, it changes. */
export type OpenEntry = { -readonly [Field in Exclude<keyof JournalEntry, RequestField>]: JournalEntry[Field] } & {
  /** The fields of the request. `null` if there are none. */
  readonly fields: Readonly<ShortenedFields> | null
}

/** Only the journal changes the fields, because it limits those of all entries. */
type StoredEntry = Omit<OpenEntry, "fields"> & { fields: OpenEntry["fields"] }

type RequestField = "request" | "shortened"

const toJournalEntry = ({ fields, parent, ...entry }: OpenEntry): JournalEntry =>
  new JournalEntry(
    {
      ...entry,
      // A field that is absent makes an entry equal to one that was read from JSON.
      ...(parent === undefined ? {} : { parent }),
      request: fields === null ? null : JSON.parse(fields.json),
      ...(fields === null || fields.isWhole ? {} : { shortened: true })
    },
    { disableValidation: true }
  )

export interface JournalService {
  /** Adds an entry, and publishes it. */
  readonly begin: (entry: { readonly operation: OperationName; readonly at: Date }) => OpenEntry
  /** Stores the fields of a request. If all entries have more than 16 MB, the oldest lose theirs. */
  readonly keepRequest: (entry: OpenEntry, fields: Readonly<Record<string, unknown>>) => void
  /** Publishes an entry that has changed. */
  readonly publish: (entry: OpenEntry) => void
  /** Publishes an entry whose request has ended, and counts it. */
  readonly end: (entry: OpenEntry) => void
  /** The latest thousand entries, oldest first. */
  readonly entries: Effect.Effect<ReadonlyArray<JournalEntry>>
  /** How many requests have ended since the start or the latest `clear`. */
  readonly counts: Effect.Effect<ReadonlyArray<RequestCount>>
  readonly clear: Effect.Effect<void>
}

/** The requests that ended alike. */
export interface RequestCount extends Pick<JournalEntry, "operation" | "status" | "outcome"> {
  readonly count: number
}

export class Journal extends Context.Tag("@effect-speech/local-service/internal/Journal")<Journal, JournalService>() {}

const capacity = 1000

/** In UTF-16 code units, of the fields of all entries: 16 MB. */
const maximumJson = 8_000_000

export const makeJournal = (changes: Changes): JournalService => {
  /** Oldest first. A request may end after its entry has left them. */
  let entries = new Set<StoredEntry>()
  let count = 0
  let jsonLength = 0
  const counts = new Map<string, RequestCount>()

  const forgetRequest = (entry: StoredEntry) => {
    jsonLength -= entry.fields?.json.length ?? 0
    entry.fields = null
  }
  const publish = (entry: OpenEntry) => {
    if (entries.has(entry)) changes.request(() => toJournalEntry(entry))
  }
  return {
    begin: ({ at, operation }) => {
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
        millis: null
      }
      entries.add(entry)
      const [oldest] = entries
      if (entries.size > capacity && oldest !== undefined) {
        forgetRequest(oldest)
        entries.delete(oldest)
      }
      publish(entry)
      return entry
    },
    keepRequest: (entry, fields) => {
      if (!entries.has(entry)) return
      const stored: StoredEntry = entry
      forgetRequest(stored)
      stored.fields = shortenFields(fields)
      jsonLength += stored.fields.json.length
      for (const each of entries) {
        if (jsonLength <= maximumJson) break
        if (each !== stored) forgetRequest(each)
      }
    },
    publish,
    end: (entry) => {
      publish(entry)
      const { operation, outcome, status } = entry
      const key = `${operation} ${status} ${outcome}`
      counts.set(key, { operation, status, outcome, count: (counts.get(key)?.count ?? 0) + 1 })
    },
    counts: Effect.sync(() => [...counts.values()]),
    entries: Effect.sync(() => Array.from(entries, toJournalEntry)),
    clear: Effect.sync(() => {
      entries = new Set()
      count = 0
      jsonLength = 0
      counts.clear()
      changes.changed("journal")
    })
  }
}
