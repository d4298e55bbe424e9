import { type Details, hideInBody, hideInFault, sizeOf, withoutKey, withoutTexts } from "./details.js"
import { type AudioKind, type OpenEntry, type StoredEntry, withoutUndefined } from "./entry.js"
import type { KeptFiles, KeptWriter } from "./keptFiles.js"
import { makeLimited } from "./limited.js"
import { shortenFields, shortText } from "./shortenFields.js"

/** Keeps what belongs to a request. After its entry has left the journal, nothing is kept. */
export interface Keeping {
  /** Stores the fields of a request. If all entries have more than 16 MB, the oldest lose theirs. */
  readonly keepRequest: (entry: OpenEntry, fields: Readonly<Record<string, unknown>>) => void
  /** Keeps details of a request. If those of all entries have more than 16 MB, the oldest lose their headers and bodies. */
  readonly keepDetails: (entry: OpenEntry, details: Partial<Pick<Details, "body" | "response" | "fault">>) => void
  /** Keeps the beginning of a text in the entry of a request. */
  readonly keepText: (entry: OpenEntry, name: TextField, text: string) => void
  /** Says what the audio of a request is, and keeps it. */
  readonly audioOf: (entry: OpenEntry, kind: AudioKind) => AudioOfRequest
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

/** In UTF-16 code units, of the fields of all entries: 16 MB. */
const maximumJson = 8_000_000

/** In bytes, of the headers and bodies of all entries. */
const maximumDetails = 16 * 1024 * 1024

/** In bytes, of one entry: the longest body of a synthesis, and room for the rest. */
const longestDetails = 1.5 * 1024 * 1024

/** `has`: whether an entry is in the journal. */
export const makeKeeping = (has: (entry: StoredEntry) => boolean, files: KeptFiles<object>) => {
  const json = makeLimited<StoredEntry>(maximumJson, (entry) => {
    entry.fields = null
  })
  const details = makeLimited<StoredEntry>(maximumDetails, (entry) => {
    entry.details = withoutTexts(entry.details)
  })
  /** The entry as it is stored, unless it has left the journal. */
  const storedOf = (entry: OpenEntry): StoredEntry | undefined => {
    const stored = entry as StoredEntry
    return has(stored) ? stored : undefined
  }
  const setDetails = (entry: StoredEntry, next: Details) => {
    const size = sizeOf(next)
    const before = sizeOf(entry.details)
    if (entry.details.isForgotten || size > longestDetails) {
      details.remove(entry)
      entry.details = withoutTexts(next)
    } else {
      entry.details = next
      details.add(entry, size - before)
    }
  }
  const keeping: Keeping = {
    keepRequest: (entry, fields) => {
      const stored = storedOf(entry)
      if (stored === undefined) return
      const shortened = shortenFields(fields, stored.hide)
      json.remove(stored)
      stored.fields = shortened
      json.add(stored, shortened.json.length)
    },
    keepDetails: (entry, { body, fault, response }) => {
      const stored = storedOf(entry)
      if (stored === undefined) return
      const safe = body && hideInBody(body, stored.hide)
      setDetails(stored, {
        ...stored.details,
        ...withoutUndefined({
          body: safe,
          fault: fault && hideInFault(fault, stored.hide),
          response: response && withoutKey(response, stored.hide)
        }),
        hadKey: stored.details.hadKey || safe !== body
      })
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
    }
  }
  return {
    keeping,
    /** Counts the details of a new entry. */
    add: (entry: StoredEntry): void => details.add(entry, sizeOf(entry.details)),
    remove: (entry: StoredEntry): void => {
      json.remove(entry)
      details.remove(entry)
      files.forget(entry)
    }
  }
}

/** Of a request that has left the journal. */
const keepsNothing: AudioOfRequest = {
  keep: () => undefined,
  move: async () => undefined,
  writer: () => ({ write: () => undefined, end: () => undefined, discard: () => undefined })
}
