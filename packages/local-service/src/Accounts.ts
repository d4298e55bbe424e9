/**
 * The account of the local service: its keys, its credit, and what was used.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The scope that synthesis needs is the contract's name; that of transcription is ours. */
export const Scope = Schema.Literal("tts:synth", "stt:transcribe")
export type Scope = typeof Scope.Type

export const AccountState = Schema.Literal("active", "inactive", "suspended", "closed")
export type AccountState = typeof AccountState.Type

export const Account = Schema.Struct({
  state: AccountState,
  /** Never below zero. */
  credits: Schema.NonNegativeInt
})
export type Account = typeof Account.Type

/** What is kept of a key. The secret is not: it is shown once, when the key is created. */
export const Key = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  creator: Schema.String,
  /** ISO 8601, UTC. */
  createdAt: Schema.String,
  scopes: Schema.Array(Scope),
  revokedAt: Schema.NullOr(Schema.String)
})
export type Key = typeof Key.Type

export interface CreatedKey {
  readonly record: Key
  readonly key: Redacted.Redacted
}

/** Why a call is refused, in the order of the checks. Each operation has its own statuses for it. */
export type Refusal =
  | { readonly _tag: "UnknownKey" }
  | { readonly _tag: "AccountNotActive"; readonly state: AccountState }
  | { readonly _tag: "MissingScope"; readonly scope: Scope }
  | { readonly _tag: "NoCredit"; readonly credits: number }

/** Credit that was taken for a call, and is given back if the call comes to nothing. */
export interface Charge {
  readonly refund: Effect.Effect<void>
}

export interface AccountsService {
  /** Checks a key of a request: 401, 403, 402 in the words of transcription. */
  readonly authorize: (key: string | undefined, scope: Scope) => Effect.Effect<void, Refusal>
  /** Takes credit, all of it or none. */
  readonly charge: (credits: number) => Effect.Effect<Charge, Refusal>
  readonly account: Effect.Effect<Account>
  readonly setAccount: (changes: Partial<Account>) => Effect.Effect<Account>
  /** The active key, if there is one, and the archive of revoked ones. */
  readonly keys: Effect.Effect<{ readonly active: Key | null; readonly archived: ReadonlyArray<Key> }>
  /** Makes a key with all scopes, and revokes the active one at once. */
  readonly createKey: (name: string, creator: string) => Effect.Effect<CreatedKey>
  /** Revokes a key. False where there is none of this id. */
  readonly revokeKey: (id: string) => Effect.Effect<boolean>
}

interface Stored {
  readonly record: Key
  readonly digest: Buffer
}

const digestOf = (key: string): Buffer => createHash("sha256").update(key).digest()

export class Accounts extends Context.Tag("@effect-speech/local-service/Accounts")<Accounts, AccountsService>() {
  /** In memory, gone with the layer. */
  static readonly layerMemory = (initial: Account): Layer.Layer<Accounts> =>
    Layer.sync(Accounts, () => {
      let account = initial
      let active: Stored | undefined
      const archived: Array<Key> = []

      const revoke = (now: string) => {
        if (active === undefined) return
        archived.unshift({ ...active.record, revokedAt: now })
        active = undefined
      }
      const refusal = (key: string | undefined, scope: Scope): Refusal | undefined => {
        if (key === undefined || active === undefined || !timingSafeEqual(digestOf(key), active.digest)) {
          return { _tag: "UnknownKey" }
        }
        if (account.state !== "active") return { _tag: "AccountNotActive", state: account.state }
        if (!active.record.scopes.includes(scope)) return { _tag: "MissingScope", scope }
        if (account.credits === 0) return { _tag: "NoCredit", credits: 0 }
        return undefined
      }
      const isoNow = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())

      return {
        authorize: (key, scope) =>
          Effect.suspend(() => {
            const refused = refusal(key, scope)
            return refused === undefined ? Effect.void : Effect.fail(refused)
          }),
        charge: (credits) =>
          Effect.suspend((): Either.Either<Charge, Refusal> => {
            if (account.credits < credits) return Either.left({ _tag: "NoCredit", credits: account.credits })
            account = { ...account, credits: account.credits - credits }
            return Either.right({
              refund: Effect.sync(() => {
                account = { ...account, credits: account.credits + credits }
              })
            })
          }),
        account: Effect.sync(() => account),
        setAccount: (changes) => Effect.sync(() => (account = { ...account, ...changes })),
        keys: Effect.sync(() => ({ active: active?.record ?? null, archived: [...archived] })),
        createKey: (name, creator) =>
          Effect.map(isoNow, (createdAt) => {
            revoke(createdAt)
            const id = randomBytes(6).toString("hex")
            const key = `local_${id}.${randomBytes(32).toString("base64url")}`
            const record: Key = { id, name, creator, createdAt, scopes: [...Scope.literals], revokedAt: null }
            active = { record, digest: digestOf(key) }
            return { record, key: Redacted.make(key) }
          }),
        revokeKey: (id) =>
          Effect.map(isoNow, (now) => {
            if (active?.record.id !== id) return archived.some((record) => record.id === id)
            revoke(now)
            return true
          })
      }
    })
}
