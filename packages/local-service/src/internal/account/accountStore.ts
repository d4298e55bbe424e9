import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Account, Key, KeyScope } from "../../Accounts.js"
import type { DataDirectory } from "./dataDirectory.js"

/**
 * A copy in memory of the account and the active key in the database, for the checks of each call. Only this process writes the database, one write at a time,
 * and each write is followed by the same change here.
 */
export interface AccountStore {
  readonly sql: DataDirectory["sql"]
  account: Account
  activeKey: (Key & { readonly digest: Buffer }) | undefined
  /** Reads the account and the active key from the database. */
  readonly read: Effect.Effect<void, SqlError>
  /** Runs a write alone, to its end. */
  readonly exclusively: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly creator: string
  readonly created_at: string
  readonly scopes: string
  readonly revoked_at: string | null
  readonly digest: string
}

const decodeScopes = Schema.decodeSync(Schema.parseJson(Schema.Array(KeyScope)))

export const toKey = (row: KeyRow): Key =>
  new Key({
    id: row.id,
    name: row.name,
    creator: row.creator,
    createdAt: row.created_at,
    scopes: decodeScopes(row.scopes),
    revokedAt: row.revoked_at
  })

/** Opens the account of a database. A new database starts with `initial`. */
export const openAccountStore = (
  sql: DataDirectory["sql"],
  initial: typeof Account.Encoded
): Effect.Effect<AccountStore, SqlError> =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO account (id, state, credits) VALUES (1, ${initial.state}, ${initial.credits})
      ON CONFLICT DO NOTHING`
    const mutex = yield* Effect.makeSemaphore(1)
    const store: AccountStore = {
      sql,
      account: new Account(initial),
      activeKey: undefined,
      read: Effect.gen(function* () {
        const [found = initial] = yield* sql<typeof Account.Encoded>`SELECT state, credits FROM account`
        const [row] = yield* sql<KeyRow>`SELECT * FROM keys WHERE revoked_at IS NULL`
        store.account = new Account({ state: found.state, credits: found.credits })
        store.activeKey = row && { ...toKey(row), digest: Buffer.from(row.digest, "hex") }
      }),
      exclusively: (write) => Effect.uninterruptible(mutex.withPermits(1)(write))
    }
    yield* store.read
    return store
  })
