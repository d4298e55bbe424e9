import type { IncomingMessage } from "node:http"
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { JournalEntry } from "../../Journal.js"
import type { OperationName } from "../../OperationName.js"
import type { Changes } from "./changes.js"
import { arrived, type Details, headOf, hideInBody, hideInFault, sizeOf, withoutKey, withoutTexts } from "./details.js"
import { type HideKey, hideNothing, makeHideKey } from "./hideKey.js"
import type { KeptFile, KeptFiles, KeptWriter } from "./keptFiles.js"
import { makeLimited } from "./limited.js"
import { type ShortenedFields, shortenFields, shortText } from "./shortenFields.js"

/** An entry as the journal stores it. While its request is in progress, it changes. */
export type OpenEntry = {
  -readonly [Field in keyof JournalEntry as Exclude<Field, RequestField>]: JournalEntry[Field]
} & {
  /** The fields of the request. `null` if there are none. */
  readonly fields: Readonly<ShortenedFields> | null
}

/** Only the journal changes the fields and the details, because it limits those of all entries. */
interface StoredEntry extends Omit<OpenEntry, "fields"> {
  fields: OpenEntry["fields"]
  details: Details
  audio: AudioKind | undefined
  hide: HideKey
}

type RequestField = "request" | "shortened"

const toJournalEntry = ({ audio: _, details: __, fields, hide: ___, ...entry }: StoredEntry): JournalEntry =>
  new JournalEntry(
    {
      // A field that is absent makes an entry equal to one that was read from JSON.
      ...withoutUndefined(entry),
      request: fields === null ? null : JSON.parse(fields.json),
      ...(fields === null || fields.isWhole ? {} : { shortened: true })
    },
    { disableValidation: true }
  )

const withoutUndefined = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields

/** What the kept audio of a request is. */
export type AudioKind =
  | { readonly _tag: "Spoken"; readonly format: AudioFormat }
  | { readonly _tag: "Uploaded"; readonly mediaType: string }

/** A request of the journal, with all that is kept of it. */
export interface FoundRequest {
  readonly entry: JournalEntry
  readonly details: Details
  readonly audio: (KeptFile & { readonly kind: AudioKind }) | undefined
}

interface ArrivedRequest {
  readonly operation: OperationName
  readonly at: Date
  readonly incoming: IncomingMessage
}

export interface JournalService {
  /** Adds an entry, and publishes it. */
  readonly begin: (request: ArrivedRequest) => OpenEntry
  /** Stores the fields of a request. If all entries have more than 16 MB, the oldest lose theirs. */
  readonly keepRequest: (entry: OpenEntry, fields: Readonly<Record<string, unknown>>) => void
  /** Keeps details of a request. If those of all entries have more than 16 MB, the oldest lose their headers and bodies. */
  readonly keepDetails: (entry: OpenEntry, details: Partial<Pick<Details, "body" | "response" | "fault">>) => void
  /** Keeps a text of a request in its entry, at most `maximum` characters. */
  readonly keepText: (entry: OpenEntry, name: TextField, text: string) => void
  /** Says what the audio of the request is, and keeps it. */
  readonly audioOf: (entry: OpenEntry, kind: AudioKind) => AudioOfRequest
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

/** The longest texts of an entry, in characters. */
const longestTexts = { problem: 300, transcript: 300, fileName: 200 }

type TextField = keyof typeof longestTexts

/** Keeps the audio of one request, by one of these. */
export interface AudioOfRequest {
  readonly keep: (bytes: Uint8Array) => void
  readonly move: (path: string, byteLength: number) => Promise<void>
  readonly writer: () => KeptWriter
}

/** The requests that ended alike. */
export interface RequestCount extends Pick<JournalEntry, "operation" | "status" | "outcome"> {
  readonly count: number
}

export class Journal extends Context.Tag("@effect-speech/local-service/internal/Journal")<Journal, JournalService>() {}

const capacity = 1000

/** In UTF-16 code units, of the fields of all entries: 16 MB. */
const maximumJson = 8_000_000

/** In bytes, of the headers and bodies of all entries. */
const maximumDetails = 16 * 1024 * 1024

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
  let jsonLength = 0
  const counts = new Map<string, RequestCount>()

  const forgetRequest = (entry: StoredEntry) => {
    jsonLength -= entry.fields?.json.length ?? 0
    entry.fields = null
  }
  /** The entry as it is stored, unless it has left the journal. */
  const storedOf = (entry: OpenEntry): StoredEntry | undefined => {
    const stored = entry as StoredEntry
    return entries.has(stored) ? stored : undefined
  }
  const details = makeLimited<StoredEntry>(maximumDetails, (entry) => {
    entry.details = withoutTexts(entry.details)
  })
  const remove = (entry: StoredEntry) => {
    forgetRequest(entry)
    details.remove(entry)
    files.forget(entry)
    entries.delete(entry)
  }
  const empty = () => {
    for (const entry of entries) remove(entry)
  }
  const publish = (entry: OpenEntry) => {
    const stored = storedOf(entry)
    if (stored !== undefined) changes.request(() => toJournalEntry(stored))
  }
  return {
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
      details.add(entry, sizeOf(entry.details))
      const [oldest] = entries
      if (entries.size > capacity && oldest !== undefined) remove(oldest)
      publish(entry)
      return entry
    },
    keepRequest: (entry, fields) => {
      const stored = storedOf(entry)
      if (stored === undefined) return
      forgetRequest(stored)
      const { isWhole, json } = shortenFields(fields)
      const safe = stored.hide(json)
      stored.fields = { json: safe, isWhole: isWhole && safe === json }
      jsonLength += stored.fields.json.length
      for (const each of entries) {
        if (jsonLength <= maximumJson) break
        if (each !== stored) forgetRequest(each)
      }
    },
    keepDetails: (entry, { body, fault, response: sent }) => {
      const stored = storedOf(entry)
      if (stored === undefined) return
      const response = sent && withoutKey(sent, stored.hide)
      const safe = body && hideInBody(body, stored.hide)
      const before = stored.details
      stored.details = {
        ...before,
        ...withoutUndefined({ fault: fault && hideInFault(fault, stored.hide), response, body: safe }),
        hadKey: before.hadKey || safe !== body
      }
      if (before.isForgotten) stored.details = withoutTexts(stored.details)
      else details.add(stored, sizeOf(stored.details) - sizeOf(before))
    },
    keepText: (entry, name, text) => {
      entry[name] = shortText(storedOf(entry)?.hide(text) ?? "", longestTexts[name])
    },
    audioOf: (entry, kind) => {
      const stored = storedOf(entry)
      if (stored === undefined) return keepsNothing
      stored.audio = kind
      return {
        keep: (bytes) => files.keep(stored, bytes),
        move: (path, byteLength) => files.move(stored, path, byteLength),
        writer: () => files.writer(stored)
      }
    },
    publish,
    end: (entry) => {
      publish(entry)
      const stored = storedOf(entry)
      // The key of a request is not kept longer than it takes.
      if (stored !== undefined) stored.hide = hideNothing
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

/** Of a request that has left the journal. */
const keepsNothing: AudioOfRequest = {
  keep: () => undefined,
  move: async () => undefined,
  writer: () => ({ write: () => undefined, end: () => undefined, discard: () => undefined })
}
