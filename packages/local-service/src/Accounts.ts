/**
 * The account of the local service: its keys, credit and usage. They are values: `Equal` compares them by their content.
 */

import { documented, linkOf } from "@effect-speech/common/ErrorPage"
import { structural } from "@effect-speech/common/Structural"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { OperationName } from "./OperationName.js"

/**
 * A permission of a key. The contract defines the name `tts:synth`; `stt:transcribe` is our choice.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // The active key may only transcribe from the next request on.
 * export const onlyTranscribe = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   const { active } = yield* accounts.keys
 *   if (active !== null) yield* accounts.setScopes(active.id, ["stt:transcribe"])
 * })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const KeyScope = Schema.Literal("tts:synth", "stt:transcribe")
/**
 * @since 0.1.0
 * @category schemas
 */
export type KeyScope = typeof KeyScope.Type

/**
 * State of the account. In any other state than `active`, a transcription is 403 and a synthesis 401.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const suspend = Effect.flatMap(LocalService, ({ accounts }) => accounts.setAccount({ state: "suspended" }))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccountState = Schema.Literal("active", "inactive", "suspended", "closed")
/**
 * @since 0.1.0
 * @category schemas
 */
export type AccountState = typeof AccountState.Type

/**
 * The account: its state and its credit. `accounts.account` reads it, and `accounts.setAccount` changes it.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const credits = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   const { credits, state } = yield* accounts.account
 *   return state === "active" ? credits : 0
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Account extends structural(
  Schema.Class<Account>("Account")({
    /** Only an `active` account may call. */
    state: AccountState,
    /** Never below zero. */
    credits: Schema.NonNegativeInt
  })
) {}

/**
 * The fields of the account to change. A field that is absent stays as it is.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // The next call fails, as without credit.
 * export const spendAll = Effect.flatMap(LocalService, ({ accounts }) => accounts.setAccount({ credits: 0 }))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccountChanges = Schema.partialWith(Schema.Struct(Account.fields), { exact: true })
/**
 * @since 0.1.0
 * @category schemas
 */
export type AccountChanges = typeof AccountChanges.Type

/**
 * A key without its secret, which is shown only once, when the key is created.
 *
 * @example
 * ```ts
 * import type { Accounts } from "@effect-speech/local-service"
 *
 * export const lineOf = ({ createdAt, name, revokedAt }: Accounts.Key): string =>
 *   `${name}, since ${createdAt}${revokedAt === null ? "" : `, revoked at ${revokedAt}`}`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Key extends structural(
  Schema.Class<Key>("Key")({
    /** Names the key for `revokeKey` and `setScopes`. It is no secret. */
    id: Schema.String,
    /** The name that it got at its creation. */
    name: Schema.String,
    /** Who created it. */
    creator: Schema.String,
    /** ISO 8601, UTC. */
    createdAt: Schema.String,
    /** What it may do. Empty: nothing. */
    scopes: Schema.Array(KeyScope),
    /** ISO 8601, UTC. `null`: it is active. */
    revokedAt: Schema.NullOr(Schema.String)
  })
) {}

/**
 * The active key and the revoked ones, without their secrets. `accounts.keys` reads them.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const revokedKeys = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   const { archived } = yield* accounts.keys
 *   return archived.map(({ name }) => name)
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Keys extends structural(
  Schema.Class<Keys>("Keys")({
    /** `null`: every key is revoked. */
    active: Schema.NullOr(Key),
    /** The revoked keys, latest first. */
    archived: Schema.Array(Key)
  })
) {}

/**
 * The usage of one operation on one day.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const codePointsSpoken = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   const usage = yield* accounts.usage
 *   return usage.reduce((sum, { operation, units }) => sum + (operation === "synthesize" ? units : 0), 0)
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Usage extends structural(
  Schema.Class<Usage>("Usage")({
    /** The day in UTC, such as `2026-01-31`. */
    date: Schema.String,
    /** What was called. */
    operation: OperationName,
    /** Calls whose whole response was sent. */
    calls: Schema.NonNegativeInt,
    /** Code points of text for synthesis, started seconds of audio for transcription. */
    units: Schema.NonNegativeInt,
    /** What they cost. */
    credits: Schema.NonNegativeInt
  })
) {}

/**
 * A key to create, for `accounts.createKey`.
 *
 * @example
 * ```ts
 * import type { Accounts } from "@effect-speech/local-service"
 *
 * export const replacement: Accounts.NewKey = { name: "second", creator: "test", confirm: true }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface NewKey {
  /** Shown in the list of keys. Several keys may have the same. */
  readonly name: string
  /** Who creates it. */
  readonly creator: string
  /** Must be true if a key is active, which the new key then revokes. */
  readonly confirm: boolean
}

/**
 * A key that was created, with its secret. The service shows the secret only here.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // Replaces the active key, as a person does on the platform.
 * export const rotate = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   const { key } = yield* accounts.createKey({ name: "second", creator: "test", confirm: true })
 *   return key
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface CreatedKey {
  /** The key without its secret. */
  readonly record: Key
  /** The whole key, as a client sends it: `<prefix>.<secret>`. */
  readonly key: Redacted.Redacted
}

/**
 * A key is active, and `confirm` is false. A new key would revoke it. To create it nevertheless, set `confirm`.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Console, Effect } from "effect"
 *
 * export const createIfNone = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   yield* accounts.createKey({ name: "first", creator: "test", confirm: false })
 * }).pipe(Effect.catchTag("LocalServiceKeyActive", ({ keyName }) => Console.log(`${keyName} stays the active key.`)))
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceKeyActive extends documented(Data.TaggedError("LocalServiceKeyActive"))<{
  /** Name of the active key. */
  // A field `name` would replace the name of the error.
  readonly keyName: string
}> {
  override get message(): string {
    return `the key ${this.keyName} is active and would be revoked at once; confirm with "confirm": true${linkOf("LocalServiceKeyActive")}`
  }
}

/**
 * No key has this id, or the key is already revoked. `accounts.keys` lists the keys.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const revoke = (id: string) =>
 *   Effect.flatMap(LocalService, ({ accounts }) => accounts.revokeKey(id)).pipe(
 *     // A key that was revoked before is what the caller wants.
 *     Effect.catchTag("LocalServiceKeyNotActive", (error) => (error.known ? Effect.void : Effect.fail(error)))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceKeyNotActive extends documented(Data.TaggedError("LocalServiceKeyNotActive"))<{
  /** True if the key exists and is revoked; false if no key has this id. */
  readonly known: boolean
}> {
  override get message(): string {
    return `${this.known ? "the key of this id is revoked" : "no key has this id"}${linkOf("LocalServiceKeyNotActive")}`
  }
}

/**
 * Reads and changes the account of a local service: its credit, its state and its keys. It is the field `accounts` of the service.
 *
 * `createKey` fails with `LocalServiceKeyActive` if a key is active and `confirm` is false. `revokeKey` and `setScopes` fail with
 * `LocalServiceKeyNotActive` if the key does not exist or is revoked. A change that is not allowed, such as a negative credit, is
 * a defect: a `TypeError` that names its field.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * // Whether a client reports that the credit is exhausted.
 * export const failsWithoutCredit = Effect.gen(function* () {
 *   const { accounts } = yield* LocalService
 *   yield* accounts.setAccount({ credits: 3 })
 *   const tts = yield* TextToSpeech
 *   return yield* tts.synthesize({ text: "four", lang: "en" }).pipe(Effect.isFailure)
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface AccountsService {
  /** The state and the credit at this moment. */
  readonly account: Effect.Effect<Account>
  /**
   * Changes fields, from the next request on. Returns the new account. If you set the credit below what calls in progress
   * have reserved, these calls finish, and their debits take what is left.
   */
  readonly setAccount: (changes: AccountChanges) => Effect.Effect<Account>
  /** The active key and the revoked ones. */
  readonly keys: Effect.Effect<Keys>
  /** Creates a key with all scopes and revokes the active one. */
  readonly createKey: (key: NewKey) => Effect.Effect<CreatedKey, LocalServiceKeyActive>
  /** Revokes a key from the next request on. Calls in progress finish. */
  readonly revokeKey: (id: string) => Effect.Effect<void, LocalServiceKeyNotActive>
  /** Replaces the scopes of a key, from the next request on. */
  readonly setScopes: (id: string, scopes: ReadonlyArray<KeyScope>) => Effect.Effect<Key, LocalServiceKeyNotActive>
  /** The usage by day and operation, latest day first. */
  readonly usage: Effect.Effect<ReadonlyArray<Usage>>
}
