/** The state of the service, as the page knows it, and the calls that read it. */
import * as Schema from "effect/Schema"
import { Account, Keys, Usage } from "../../src/Accounts.js"
import { FaultRecord } from "../../src/Faults.js"
import { About } from "../../src/internal/console/messages.js"
import { JournalEntry } from "../../src/Journal.js"
import { Model } from "../../src/Models.js"
import { type CallFailure, call, type Outcome } from "./api.js"
import { makeStore, type Store } from "./store.js"

export const about = makeStore<About | undefined>(undefined)
export const models = makeStore<ReadonlyArray<Model> | undefined>(undefined)
export const account = makeStore<Account | undefined>(undefined)
export const keys = makeStore<Keys | undefined>(undefined)
export const usage = makeStore<ReadonlyArray<Usage> | undefined>(undefined)
export const faults = makeStore<ReadonlyArray<FaultRecord> | undefined>(undefined)
/** Oldest first. */
export const requests = makeStore<ReadonlyArray<JournalEntry> | undefined>(undefined)

export interface Trouble extends CallFailure {
  /** Since when the service does not respond: ISO 8601. Absent if it responds. */
  readonly since?: string
}

/** Why the state could not be read. */
export const trouble = makeStore<Trouble | undefined>(undefined)

/** Remembers why a reading failed, unless the session has ended. */
export const reportFailure = ({ failure, status }: Extract<Outcome<unknown>, { readonly ok: false }>): void => {
  if (status === 401) return
  if (status !== undefined) trouble.set(failure)
  else if (trouble.get()?.since === undefined) trouble.set({ ...failure, since: new Date().toISOString() })
}

const read =
  <A, I>(name: string, schema: Schema.Schema<A, I>, store: Store<A | undefined>) =>
  async (): Promise<Outcome<A>> => {
    const outcome = await call("GET", `platform/api/${name}`, schema)
    if (outcome.ok) {
      store.set(outcome.value)
      trouble.set(undefined)
    } else reportFailure(outcome)
    return outcome
  }

export const readAbout = read("about", About, about)
export const readModels = read("models", Schema.Array(Model), models)
export const readAccount = read("account", Account, account)
export const readKeys = read("keys", Keys, keys)
export const readUsage = read("usage", Schema.Array(Usage), usage)
export const readFaults = read("faults", Schema.Array(FaultRecord), faults)

export const fetchRequests = () => call("GET", "platform/api/requests", Schema.Array(JournalEntry))
