/**
 * The account of the local service: its keys, its credit, and what was used.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { OperationName } from "./OperationName.js"

/** The scope that synthesis needs is the contract's name; that of transcription is ours. */
export const KeyScope = Schema.Literal("tts:synth", "stt:transcribe")
export type KeyScope = typeof KeyScope.Type

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
  scopes: Schema.Array(KeyScope),
  revokedAt: Schema.NullOr(Schema.String)
})
export type Key = typeof Key.Type

export const Keys = Schema.Struct({
  active: Schema.NullOr(Key),
  /** The revoked ones, the latest first. */
  archived: Schema.Array(Key)
})
export type Keys = typeof Keys.Type

/** What was used on a day by an operation. */
export const Usage = Schema.Struct({
  /** UTC, `2026-01-31`. */
  date: Schema.String,
  operation: OperationName,
  calls: Schema.NonNegativeInt,
  /** Code points of text for synthesis, seconds of audio for transcription. */
  units: Schema.NonNegativeInt,
  credits: Schema.NonNegativeInt
})
export type Usage = typeof Usage.Type

export interface NewKey {
  readonly name: string
  readonly creator: string
  /** Where a key is active it is revoked only with this. */
  readonly confirm: boolean
}

export interface CreatedKey {
  readonly record: Key
  readonly key: Redacted.Redacted
}

/** A key is active, and would be revoked by a new one. */
export class KeyActive extends Data.TaggedError("KeyActive")<{
  // As `name` it would take the place of the error's own.
  readonly keyName: string
}> {
  override get message(): string {
    return `the key ${this.keyName} is active and would be revoked at once; confirm with "confirm": true`
  }
}

/** There is no such key, or it is revoked already. */
export class KeyNotActive extends Data.TaggedError("KeyNotActive")<{
  /** Whether there is one, which is revoked. */
  readonly known: boolean
}> {
  override get message(): string {
    return this.known ? "the key of this id is revoked" : "there is no key of this id"
  }
}

export interface AccountsService {
  readonly account: Effect.Effect<Account>
  /** Changes what is given, from the next request on, and gives the account as it is then. */
  readonly setAccount: (changes: Partial<Account>) => Effect.Effect<Account>
  readonly keys: Effect.Effect<Keys>
  /** Makes a key with all scopes, and revokes the active one at once. */
  readonly createKey: (key: NewKey) => Effect.Effect<CreatedKey, KeyActive>
  /** From the next request on: calls that have begun come to their end. */
  readonly revokeKey: (id: string) => Effect.Effect<void, KeyNotActive>
  /** In place of those that the key has, from the next request on. */
  readonly setScopes: (id: string, scopes: ReadonlyArray<KeyScope>) => Effect.Effect<Key, KeyNotActive>
  /** The latest day first. */
  readonly usage: Effect.Effect<ReadonlyArray<Usage>>
}
