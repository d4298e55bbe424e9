import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { JournalEntry } from "../../Journal.js"
import type { OperationName } from "../../OperationName.js"

/** An entry as the journal stores it. While its request is in progress, it changes. */
export type OpenEntry = { -readonly [Field in Exclude<keyof JournalEntry, "request">]: JournalEntry[Field] } & {
  /** The fields of the request: see `fieldsAsJson`. */
  requestJson: string | null
}

const toJournalEntry = ({ requestJson, ...entry }: OpenEntry): JournalEntry => ({
  ...entry,
  request: requestJson === null ? null : JSON.parse(requestJson)
})

export interface JournalService {
  readonly begin: (entry: { readonly operation: OperationName; readonly at: Date }) => Effect.Effect<OpenEntry>
  /** The latest thousand entries, oldest first. */
  readonly entries: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly clear: Effect.Effect<void>
}

export class Journal extends Context.Tag("@effect-speech/local-service/internal/Journal")<Journal, JournalService>() {}

const capacity = 1000

export const makeJournal = (): JournalService => {
  let entries: Array<OpenEntry> = []
  let count = 0
  return {
    begin: ({ at, operation }) =>
      Effect.sync(() => {
        const entry: OpenEntry = {
          number: ++count,
          at: at.toISOString(),
          operation,
          keyId: null,
          id: null,
          requestJson: null,
          status: null,
          outcome: "underWay",
          millis: null
        }
        entries.push(entry)
        if (entries.length > capacity) entries.shift()
        return entry
      }),
    entries: Effect.sync(() => entries.map(toJournalEntry)),
    clear: Effect.sync(() => {
      entries = []
      count = 0
    })
  }
}
