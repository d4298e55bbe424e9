import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { JournalEntry } from "../../Journal.js"
import type { OperationName } from "../../OperationName.js"

/** An entry whose request is still in progress. */
export type OpenEntry = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] }

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
          request: null,
          status: null,
          outcome: "underWay",
          millis: null
        }
        entries.push(entry)
        if (entries.length > capacity) entries.shift()
        return entry
      }),
    entries: Effect.sync(() => entries.map((entry) => ({ ...entry }))),
    clear: Effect.sync(() => {
      entries = []
      count = 0
    })
  }
}
