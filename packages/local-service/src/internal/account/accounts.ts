import { timingSafeEqual } from "node:crypto"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Account, AccountChanges, type AccountsService, KeyScope, Usage } from "../../Accounts.js"
import type { Changes } from "../journal/changes.js"
import { validateOrDie } from "../validation.js"
import { type AccountStore, openAccountStore } from "./accountStore.js"
import type { DataDirectory } from "./dataDirectory.js"
import { type Cost, type Debits, makeDebits } from "./debits.js"
import type { KeptKey } from "./keptKey.js"
import { digestOf, makeKeys } from "./keys.js"
import type { Refusal } from "./refusal.js"

/** Credit reserved for a call. It is released if the scope closes without a debit. */
export interface Hold {
  readonly credits: number
  /**
   * Debits the credit; less, if the account was changed meanwhile and has less; nothing after a reset. The debit is on disk
   * before this returns. Debits of a turn of the event loop are written together at its end. If the client is disconnected by
   * then, nothing is debited, and this waits to be interrupted.
   */
  readonly debit: (isDisconnected: () => boolean) => Effect.Effect<void>
}

/** An accepted call. */
export interface Authorization {
  readonly keyId: string
  /** Reserves the whole cost of the call, or fails with `NoCredit`. Dies if the debit can't be written, as far as that is known before. */
  readonly hold: (cost: Cost) => Effect.Effect<Hold, Refusal, Scope.Scope>
}

/** The account, with the methods that the operations need. */
export interface BillableAccounts extends AccountsService {
  /** Checks a key, its scope and the account. */
  readonly authorize: (key: string | undefined, scope: KeyScope) => Effect.Effect<Authorization, Refusal>
  /** Whether this is the active key. */
  readonly isActive: (key: string | undefined) => key is string
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

/** In place of the id of a key. An id has 12 digits, so no key has this one. */
const consoleKeyId = "console"

/** The account in a database. A new database starts with `initial`. */
export const makeAccounts = (
  sql: DataDirectory["sql"],
  {
    changed,
    hasRoom,
    initial,
    keep,
    now
  }: {
    readonly initial: typeof Account.Encoded
    readonly keep: KeptKey["write"]
    readonly now: () => Date
  } & Pick<Changes, "changed"> &
    Pick<DataDirectory, "hasRoom">
): Effect.Effect<BillableAccounts, SqlError> =>
  Effect.map(openAccountStore(sql, initial), (store) => {
    const { exclusively, read } = store
    const publish = (what: "account" | "keys") => Effect.sync(() => changed(what))
    const debits = makeDebits(store, { hasRoom, now, publish: publish("account") })
    const holds = makeHolds(store, debits)
    return {
      ...makeKeys(store, { keep, now, publish: publish("keys") }),
      ...makeAuthorizations(store, holds.hold),
      account: Effect.sync(() => store.account),
      setAccount: (changes) =>
        Effect.gen(function* () {
          // A value that was compared has its hash as a field that is no change.
          yield* validateOrDie(AccountChanges, { ...changes })
          const next = new Account({ ...store.account, ...changes })
          yield* sql`UPDATE account SET state = ${next.state}, credits = ${next.credits}`
          store.account = next
          yield* publish("account")
          return next
        }).pipe(Effect.orDie, exclusively),
      usage: Effect.orDie(
        Effect.map(
          sql<typeof Usage.Encoded>`SELECT * FROM usage WHERE calls > 0 ORDER BY date DESC, operation`,
          (rows) =>
            rows.map(
              ({ calls, credits, date, operation, units }) => new Usage({ date, operation, calls, units, credits })
            )
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
          yield* read
          holds.forget()
          debits.forget()
          yield* Effect.zipRight(publish("account"), publish("keys"))
        }).pipe(
          Effect.tapErrorCause(() => Effect.ignore(sql`ROLLBACK`)),
          Effect.orDie,
          exclusively
        )
    }
  })

/** The checks of a call, in their order. */
const makeAuthorizations = (
  store: AccountStore,
  hold: () => Authorization["hold"]
): Pick<BillableAccounts, "authorize" | "authorizeConsole" | "isActive"> => {
  const isActive = (key: string | undefined): key is string =>
    key !== undefined && store.activeKey !== undefined && timingSafeEqual(digestOf(key), store.activeKey.digest)
  const refuseUnknown = (key: string | undefined) =>
    Effect.flatMap(key === undefined ? Effect.succeed(undefined) : revokedIdOf(store, key), (keyId) =>
      refuse({ _tag: "UnknownKey", keyId })
    )
  const authorizeAccount = (keyId: string, checkScope: Effect.Effect<void, Refusal>) =>
    Effect.suspend(() => {
      const { credits, state } = store.account
      if (state !== "active") return refuse({ _tag: "AccountNotActive", state, keyId })
      const accepted = credits === 0 ? refuse({ _tag: "NoCredit", keyId }) : Effect.succeed({ keyId, hold: hold() })
      return Effect.zipRight(checkScope, accepted)
    })
  return {
    isActive,
    authorize: (key, scope) =>
      Effect.suspend(() => {
        const { activeKey } = store
        if (activeKey === undefined || !isActive(key)) return refuseUnknown(key)
        const { id: keyId, scopes } = activeKey
        const hasScope = scopes.includes(scope)
        return authorizeAccount(keyId, hasScope ? Effect.void : refuse({ _tag: "MissingScope", scope, keyId }))
      }),
    authorizeConsole: authorizeAccount(consoleKeyId, Effect.void)
  }
}

/** The id of a key that was revoked: the journal says so. A failure to read it does not change the response. */
const revokedIdOf = ({ sql }: AccountStore, key: string): Effect.Effect<string | undefined> =>
  sql<{ readonly id: string }>`SELECT id FROM keys WHERE digest = ${digestOf(key).toString("hex")}`.pipe(
    Effect.map(([row]) => row?.id),
    Effect.orElseSucceed(() => undefined)
  )

/** Reserves credit for calls in progress. It is only in memory: if the process ends, it was never debited. */
const makeHolds = (store: AccountStore, { debit, tried }: Debits) => {
  /** A reset replaces the object: the calls before it keep the old one, and neither take credit of the new account nor release any. */
  let reserved = { credits: 0 }
  return {
    /** Makes the holds of a call. */
    hold: (): Authorization["hold"] => {
      const ofAccount = reserved
      return (cost) => {
        let released = false
        const release = () => {
          if (!released) ofAccount.credits -= cost.credits
          released = true
        }
        const hold: Hold = {
          credits: cost.credits,
          debit: (isDisconnected) =>
            Effect.zipRight(
              Effect.suspend(() => (ofAccount === reserved ? debit(cost, isDisconnected) : Effect.void)),
              Effect.sync(release)
            )
        }
        return Effect.flatMap(Effect.zipRight(tried, Effect.scope), (scope) => {
          if (ofAccount === reserved && store.account.credits - reserved.credits < cost.credits)
            return refuse({ _tag: "NoCredit" })
          ofAccount.credits += cost.credits
          return Effect.as(Scope.addFinalizer(scope, Effect.sync(release)), hold)
        }).pipe(Effect.uninterruptible)
      }
    },
    forget: (): void => {
      reserved = { credits: 0 }
    }
  }
}
