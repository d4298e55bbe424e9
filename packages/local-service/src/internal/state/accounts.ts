import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import {
  type Account,
  AccountChanges,
  type AccountState,
  type AccountsService,
  type Key,
  KeyActive,
  KeyNotActive,
  KeyScope,
  type Keys,
  type Usage
} from "../../Accounts.js"
import type { OperationName } from "../../OperationName.js"
import { setImmediate } from "../realTime.js"
import { validateOrDie } from "../validateOrDie.js"
import type { Changes } from "./changes.js"
import type { DataDirectory } from "./dataDirectory.js"

/** Why a call is refused, in the order of the checks. Each operation maps these to its own statuses. */
export type Refusal =
  | { readonly _tag: "UnknownKey" }
  | { readonly _tag: "AccountNotActive"; readonly state: AccountState }
  | { readonly _tag: "MissingScope"; readonly scope: KeyScope }
  | { readonly _tag: "NoCredit" }

export interface Cost {
  readonly operation: OperationName
  readonly units: number
  readonly credits: number
}

/** Credit reserved for a call. It is released if the scope closes without a debit. */
export interface Hold {
  /**
   * Debits the credit; less, if the account was changed meanwhile and has less; nothing after a reset. The debit is on disk
   * before this returns. Debits of a turn of the event loop are written together at its end. If the client is disconnected by
   * then, nothing is debited, and this waits to be interrupted.
   */
  readonly debit: (isDisconnected: () => boolean) => Effect.Effect<void>
}

interface Debit {
  readonly cost: Cost
  readonly isDisconnected: () => boolean
  done: (exit: Effect.Effect<void>) => void
}

/** An accepted call. */
export interface Authorization {
  readonly keyId: string
  /** Reserves the whole cost of the call, or fails with `NoCredit`. */
  readonly hold: (cost: Cost) => Effect.Effect<Hold, Refusal, Scope.Scope>
}

/** The account, with the methods that the operations need. */
export interface BillableAccounts extends AccountsService {
  /** Checks a key, its scope and the account. */
  readonly authorize: (key: string | undefined, scope: KeyScope) => Effect.Effect<Authorization, Refusal>
  /** Accepts a call of the console, which has no key, if the account is active and has credit. */
  readonly authorizeConsole: Effect.Effect<Authorization, Refusal>
  /** Restores the initial account: no usage, and only the key `keyId`, active and with all scopes. */
  readonly reset: (keyId: string | undefined) => Effect.Effect<void>
}

export class Accounts extends Context.Tag("@effect-speech/local-service/internal/Accounts")<
  Accounts,
  BillableAccounts
>() {}

const refuse = (refusal: Refusal) => Effect.fail(refusal)

const digestOf = (key: string): Buffer => createHash("sha256").update(key).digest()

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly creator: string
  readonly created_at: string
  readonly scopes: string
  readonly revoked_at: string | null
  readonly digest: string
}

/** In place of the id of a key. An id has 12 digits, so no key has this one. */
const consoleKeyId = "console"

const decodeScopes = Schema.decodeSync(Schema.parseJson(Schema.Array(KeyScope)))

const toKey = (row: KeyRow): Key => ({
  id: row.id,
  name: row.name,
  creator: row.creator,
  createdAt: row.created_at,
  scopes: decodeScopes(row.scopes),
  revokedAt: row.revoked_at
})

/** The account in a database. A new database starts with `initial`. */
export const makeAccounts = (
  sql: DataDirectory["sql"],
  { changed, initial, now }: { readonly initial: Account; readonly now: () => Date } & Pick<Changes, "changed">
): Effect.Effect<BillableAccounts, SqlError> =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO account (id, state, credits) VALUES (1, ${initial.state}, ${initial.credits})
      ON CONFLICT DO NOTHING`

    /**
     * Credit reserved for calls in progress. It is only in memory: if the process ends, it was never debited. A reset replaces
     * the object: the calls before it keep the old one, and neither take credit of the new account nor release any.
     */
    let reserved = { credits: 0 }
    const mutex = yield* Effect.makeSemaphore(1)
    const exclusively = <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.uninterruptible(mutex.withPermits(1)(write))

    /**
     * What the database holds, for the checks of each call. Only this process writes the database, one write at a time, and each
     * write is followed by the same change here.
     */
    let account: Account = initial
    let activeKey: (Key & { readonly digest: Buffer }) | undefined
    const readAccount = Effect.gen(function* () {
      const [found] = yield* sql<Account>`SELECT state, credits FROM account`
      const [row] = yield* sql<KeyRow>`SELECT * FROM keys WHERE revoked_at IS NULL`
      account = found === undefined ? initial : { state: found.state, credits: found.credits }
      activeKey = row && { ...toKey(row), digest: Buffer.from(row.digest, "hex") }
    })
    yield* readAccount

    const publish = (what: "account" | "keys") => Effect.sync(() => changed(what))
    const keys = Effect.map(sql<KeyRow>`SELECT * FROM keys ORDER BY number DESC`, (rows): Keys => {
      const all = rows.map(toKey)
      return {
        active: all.find(({ revokedAt }) => revokedAt === null) ?? null,
        archived: all.filter(({ revokedAt }) => revokedAt !== null)
      }
    })
    const findActiveKey = (id: string) =>
      Effect.gen(function* () {
        const [row] = yield* sql<KeyRow>`SELECT * FROM keys WHERE id = ${id}`
        if (row === undefined || row.revoked_at !== null) {
          return yield* new KeyNotActive({ known: row !== undefined })
        }
        return toKey(row)
      })

    /** The debits of this turn of the event loop. A statement for each would cost as much as its speech. */
    const waiting = new Set<Debit>()
    let isScheduled = false

    const writeTurn = exclusively(
      Effect.suspend(() => {
        const date = now().toISOString().slice(0, 10)
        isScheduled = false
        // The socket is destroyed in this turn, and its close interrupts the call in the next.
        const debits = [...waiting].filter(({ isDisconnected }) => !isDisconnected())
        for (const one of debits) waiting.delete(one)
        const sums = new Map<Cost["operation"], { calls: number; units: number; credits: number }>()
        for (const { cost } of debits) {
          const { calls, credits, units } = sums.get(cost.operation) ?? { calls: 0, credits: 0, units: 0 }
          sums.set(cost.operation, { calls: calls + 1, credits: credits + cost.credits, units: units + cost.units })
        }
        return Effect.forEach(
          sums,
          ([operation, { calls, credits, units }]) =>
            Effect.map(
              sql`
                INSERT INTO usage (date, operation, calls, units, credits)
                SELECT ${date}, ${operation}, ${calls}, ${units}, min(${credits}, credits) FROM account WHERE true
                ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
                  units = units + excluded.units, credits = usage.credits + excluded.credits`,
              () => {
                account = { ...account, credits: Math.max(0, account.credits - credits) }
              }
            ),
          { discard: true }
        ).pipe(
          Effect.orDie,
          Effect.onExit((exit) =>
            Effect.sync(() => {
              changed("account")
              for (const { done } of debits) done(exit)
            })
          )
        )
      })
    )

    const debit = (cost: Cost, isDisconnected: () => boolean): Effect.Effect<void> =>
      Effect.async((resume) => {
        const one: Debit = { cost, isDisconnected, done: resume }
        waiting.add(one)
        if (!isScheduled) setImmediate(() => Effect.runFork(writeTurn))
        isScheduled = true
        return Effect.suspend(() =>
          waiting.delete(one)
            ? Effect.void
            : Effect.async<void>((ended) => {
                one.done = ended
              })
        )
      })

    const holdOf =
      (ofAccount: typeof reserved): Authorization["hold"] =>
      (cost) => {
        let released = false
        const release = () => {
          if (!released) ofAccount.credits -= cost.credits
          released = true
        }
        const hold: Hold = {
          debit: (isDisconnected) =>
            Effect.zipRight(
              Effect.suspend(() => (ofAccount === reserved ? debit(cost, isDisconnected) : Effect.void)),
              Effect.sync(release)
            )
        }
        return Effect.flatMap(Effect.scope, (scope) => {
          if (ofAccount === reserved && account.credits - reserved.credits < cost.credits)
            return refuse({ _tag: "NoCredit" })
          ofAccount.credits += cost.credits
          return Effect.as(Scope.addFinalizer(scope, Effect.sync(release)), hold)
        }).pipe(Effect.uninterruptible)
      }

    return {
      authorize: (key, scope) =>
        Effect.suspend(() => {
          if (key === undefined || activeKey === undefined || !timingSafeEqual(digestOf(key), activeKey.digest)) {
            return refuse({ _tag: "UnknownKey" })
          }
          const { credits, state } = account
          if (state !== "active") return refuse({ _tag: "AccountNotActive", state })
          if (!activeKey.scopes.includes(scope)) return refuse({ _tag: "MissingScope", scope })
          if (credits === 0) return refuse({ _tag: "NoCredit" })
          return Effect.succeed({ keyId: activeKey.id, hold: holdOf(reserved) })
        }),
      authorizeConsole: Effect.suspend(() => {
        const { credits, state } = account
        if (state !== "active") return refuse({ _tag: "AccountNotActive", state })
        if (credits === 0) return refuse({ _tag: "NoCredit" })
        return Effect.succeed({ keyId: consoleKeyId, hold: holdOf(reserved) })
      }),
      account: Effect.sync(() => account),
      setAccount: (changes) =>
        Effect.gen(function* () {
          yield* validateOrDie(AccountChanges, changes)
          const next = { ...account, ...changes }
          yield* sql`UPDATE account SET state = ${next.state}, credits = ${next.credits}`
          account = next
          yield* publish("account")
          return next
        }).pipe(Effect.orDie, exclusively),
      keys: Effect.orDie(keys),
      createKey: ({ confirm, creator, name }) =>
        Effect.gen(function* () {
          const replaced = (yield* Effect.orDie(keys)).active
          if (replaced !== null && !confirm) return yield* new KeyActive({ keyName: replaced.name })
          const id = randomBytes(6).toString("hex")
          const key = `local_${id}.${randomBytes(32).toString("base64url")}`
          const record: Key = {
            id,
            name,
            creator,
            createdAt: now().toISOString(),
            scopes: [...KeyScope.literals],
            revokedAt: null
          }
          yield* Effect.orDie(sql`
            INSERT INTO keys (id, name, creator, created_at, scopes, digest)
            VALUES (${id}, ${name}, ${creator}, ${record.createdAt}, ${JSON.stringify(record.scopes)},
              ${digestOf(key).toString("hex")})`)
          yield* Effect.orDie(readAccount)
          yield* publish("keys")
          return { record, key: Redacted.make(key) }
        }).pipe(exclusively),
      revokeKey: (id) =>
        Effect.gen(function* () {
          yield* findActiveKey(id)
          yield* sql`UPDATE keys SET revoked_at = ${now().toISOString()} WHERE id = ${id}`
          yield* readAccount
          yield* publish("keys")
        }).pipe(Effect.catchTag("SqlError", Effect.die), exclusively),
      setScopes: (id, scopes) =>
        Effect.gen(function* () {
          const key = yield* findActiveKey(id)
          yield* sql`UPDATE keys SET scopes = ${JSON.stringify(scopes)} WHERE id = ${id}`
          yield* readAccount
          yield* publish("keys")
          return { ...key, scopes }
        }).pipe(Effect.catchTag("SqlError", Effect.die), exclusively),
      usage: Effect.orDie(
        Effect.map(sql<Usage>`SELECT * FROM usage WHERE calls > 0 ORDER BY date DESC, operation`, (rows) =>
          rows.map(({ calls, credits, date, operation, units }) => ({ date, operation, calls, units, credits }))
        )
      ),
      reset: (keyId) =>
        Effect.gen(function* () {
          yield* sql`BEGIN`
          yield* sql`DELETE FROM usage`
          yield* sql`DELETE FROM keys WHERE id <> ${keyId ?? ""}`
          yield* sql`UPDATE keys SET revoked_at = NULL, scopes = ${JSON.stringify(KeyScope.literals)}`
          yield* sql`UPDATE account SET state = ${initial.state}, credits = ${initial.credits}`
          yield* sql`COMMIT`
          yield* readAccount
          reserved = { credits: 0 }
          for (const { done } of waiting) done(Effect.void)
          waiting.clear()
          yield* Effect.zipRight(publish("account"), publish("keys"))
        }).pipe(
          Effect.tapErrorCause(() => Effect.ignore(sql`ROLLBACK`)),
          Effect.orDie,
          exclusively
        )
    }
  })
