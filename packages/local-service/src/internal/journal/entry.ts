import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import { JournalEntry } from "../../Journal.js"
import type { Details } from "./details.js"
import { type HideKey, hideLocalKeys } from "./hideKey.js"
import type { KeptFile } from "./keptFiles.js"
import type { ShortenedFields } from "./shortenFields.js"

/** An entry as the journal stores it. While its request is in progress, it changes. */
export type OpenEntry = {
  -readonly [Field in keyof JournalEntry as Exclude<Field, RequestField>]: JournalEntry[Field]
} & {
  /** The fields of the request. `null` if there are none. */
  readonly fields: Readonly<ShortenedFields> | null
}

/** Only the journal changes the fields and the details, because it limits those of all entries. */
export interface StoredEntry extends Omit<OpenEntry, "fields"> {
  fields: OpenEntry["fields"]
  details: Details
  /** `undefined`: none is kept. */
  audio: AudioKind | undefined
  /** Hides the key of the request, until it has ended. */
  hide: HideKey
}

type RequestField = "request" | "shortened"

export const toJournalEntry = ({ audio: _, details: __, fields, hide: ___, ...entry }: StoredEntry): JournalEntry =>
  new JournalEntry(
    {
      // A field that is absent makes an entry equal to one that was read from JSON.
      ...withoutUndefined(entry),
      id: entry.id === null ? null : hideLocalKeys(entry.id),
      request: fields === null ? null : JSON.parse(fields.json),
      ...(fields === null || fields.isWhole ? {} : { shortened: true })
    },
    { disableValidation: true }
  )

/** The same fields, without those that are `undefined`. */
export const withoutUndefined = <Fields extends object>(fields: Fields): Fields =>
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
