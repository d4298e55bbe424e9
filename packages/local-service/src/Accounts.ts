/**
 * The account of the local service: its keys, credit and usage. They are values: `Equal` compares them by their content.
 */

import { cloneable } from "@effect-speech/common/Cloneable"
import { structural } from "@effect-speech/common/Structural"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { OperationName } from "./OperationName.js"

/**
 * A permission of a key. The contract defines the name `tts:synth`; `stt:transcribe` is our choice.
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
 * @since 0.1.0
 * @category models
 */
export class Account extends structural(
  Schema.Class<Account>("Account")({
    state: AccountState,
    /** Never below zero. */
    credits: Schema.NonNegativeInt
  })
) {}

/**
 * The fields to change. A field that is absent stays as it is.
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
 * @since 0.1.0
 * @category models
 */
export class Key extends structural(
  Schema.Class<Key>("Key")({
    id: Schema.String,
    name: Schema.String,
    creator: Schema.String,
    /** ISO 8601, UTC. */
    createdAt: Schema.String,
    scopes: Schema.Array(KeyScope),
    revokedAt: Schema.NullOr(Schema.String)
  })
) {}

/**
 * @since 0.1.0
 * @category models
 */
export class Keys extends structural(
  Schema.Class<Keys>("Keys")({
    active: Schema.NullOr(Key),
    /** The revoked keys, latest first. */
    archived: Schema.Array(Key)
  })
) {}

/**
 * The usage of one operation on one day.
 *
 * @since 0.1.0
 * @category models
 */
export class Usage extends structural(
  Schema.Class<Usage>("Usage")({
    /** The day in UTC, such as `2026-01-31`. */
    date: Schema.String,
    operation: OperationName,
    calls: Schema.NonNegativeInt,
    /** Code points of text for synthesis, seconds of audio for transcription. */
    units: Schema.NonNegativeInt,
    credits: Schema.NonNegativeInt
  })
) {}

/**
 * @since 0.1.0
 * @category models
 */
export interface NewKey {
  readonly name: string
  readonly creator: string
  /** Must be true if a key is active, which the new key then revokes. */
  readonly confirm: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface CreatedKey {
  readonly record: Key
  readonly key: Redacted.Redacted
}

/**
 * A key is active, and `confirm` is false. A new key would revoke it.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceKeyActive extends cloneable(Data.TaggedError("LocalServiceKeyActive"))<{
  // A field `name` would replace the name of the error.
  readonly keyName: string
}> {
  override get message(): string {
    return `the key ${this.keyName} is active and would be revoked at once; confirm with "confirm": true`
  }
}

/**
 * No key has this id, or the key is already revoked.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceKeyNotActive extends cloneable(Data.TaggedError("LocalServiceKeyNotActive"))<{
  /** True if the key exists and is revoked; false if no key has this id. */
  readonly known: boolean
}> {
  override get message(): string {
    return this.known ? "the key of this id is revoked" : "no key has this id"
  }
}

/**
 * @since 0.1.0
 * @category services
 */
export interface AccountsService {
  readonly account: Effect.Effect<Account>
  /**
   * Changes fields, from the next request on. Returns the new account. If you set the credit below what calls in progress
   * have reserved, these calls finish, and their debits take what is left.
   */
  readonly setAccount: (changes: AccountChanges) => Effect.Effect<Account>
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
