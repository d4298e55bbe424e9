import * as Schema from "effect/Schema"
import type { JournalEntry } from "../../Journal.js"

/** The part of the state that changed. Read it again. */
export const Changed = Schema.Struct({ what: Schema.Literal("account", "keys", "faults", "journal") })
export type Changed = typeof Changed.Type

/** An event of the service. */
export type ServiceEvent =
  | { readonly name: "request"; readonly data: JournalEntry }
  | { readonly name: "changed"; readonly data: Changed }

/** Publishes the events of the service. Without a listener, it costs nothing. */
export interface Changes {
  readonly changed: (what: Changed["what"]) => void
  /** Publishes an entry of the journal. `read` runs only if there is a listener. */
  readonly request: (read: () => JournalEntry) => void
  /** Runs `listener` at each event, until the result is called. */
  readonly listen: (listener: (event: ServiceEvent) => void) => () => void
}

export const makeChanges = (): Changes => {
  const listeners = new Set<(event: ServiceEvent) => void>()
  const publish = (read: () => ServiceEvent) => {
    if (listeners.size === 0) return
    const event = read()
    for (const listener of listeners) listener(event)
  }
  return {
    changed: (what) => publish(() => ({ name: "changed", data: { what } })),
    request: (read) => publish(() => ({ name: "request", data: read() })),
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
