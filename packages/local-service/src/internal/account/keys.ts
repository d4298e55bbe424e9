import { hash, randomBytes } from "node:crypto"
import { unsafeInstance } from "@effect-speech/common/Structural"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import {
  type AccountsService,
  Key,
  KeyScope,
  Keys,
  LocalServiceKeyActive,
  LocalServiceKeyNotActive
} from "../../Accounts.js"
import { validateOrDie } from "../validation.js"
import { type AccountStore, type KeyRow, toKey } from "./accountStore.js"
import type { KeptKey } from "./keptKey.js"

export const digestOf = (key: string): Buffer => hash("sha256", key, "buffer")

const Change = Schema.Struct({ scopes: Schema.Array(KeyScope) })

type KeysService = Pick<AccountsService, "keys" | "createKey" | "revokeKey" | "setScopes">

/** Creates, changes and revokes keys. `publish` runs after each change, and `keep` with each key that is created. */
export const makeKeys = (
  { exclusively, read, sql }: AccountStore,
  {
    keep,
    now,
    publish
  }: {
    readonly keep: KeptKey["write"]
    readonly now: () => Date
    readonly publish: Effect.Effect<void>
  }
): KeysService => {
  const keys = Effect.map(sql<KeyRow>`SELECT * FROM keys ORDER BY number DESC`, (rows): Keys => {
    const all = rows.map(toKey)
    return unsafeInstance(Keys, {
      active: all.find(({ revokedAt }) => revokedAt === null) ?? null,
      archived: all.filter(({ revokedAt }) => revokedAt !== null)
    })
  })
  const findActiveKey = (id: string) =>
    Effect.gen(function* () {
      const [row] = yield* sql<KeyRow>`SELECT * FROM keys WHERE id = ${id}`
      if (row === undefined || row.revoked_at !== null) {
        return yield* new LocalServiceKeyNotActive({ known: row !== undefined })
      }
      return toKey(row)
    })
  return {
    keys: Effect.orDie(keys),
    createKey: ({ confirm, creator, name }) =>
      Effect.gen(function* () {
        const replaced = (yield* Effect.orDie(keys)).active
        if (replaced !== null && !confirm) return yield* new LocalServiceKeyActive({ keyName: replaced.name })
        const id = randomBytes(6).toString("hex")
        const key = `local_${id}.${randomBytes(32).toString("base64url")}`
        const record = new Key({
          id,
          name,
          creator,
          createdAt: now().toISOString(),
          scopes: KeyScope.literals,
          revokedAt: null
        })
        yield* Effect.orDie(sql`
            INSERT INTO keys (id, name, creator, created_at, scopes, digest)
            VALUES (${id}, ${name}, ${creator}, ${record.createdAt}, ${JSON.stringify(record.scopes)},
              ${digestOf(key).toString("hex")})`)
        yield* Effect.orDie(read)
        yield* keep(key)
        yield* publish
        return { record, key: Redacted.make(key) }
      }).pipe(exclusively),
    revokeKey: (id) =>
      Effect.gen(function* () {
        yield* findActiveKey(id)
        yield* sql`UPDATE keys SET revoked_at = ${now().toISOString()} WHERE id = ${id}`
        yield* read
        yield* publish
      }).pipe(Effect.catchTag("SqlError", Effect.die), exclusively),
    setScopes: (id, scopes) =>
      Effect.gen(function* () {
        yield* validateOrDie(Change, { scopes })
        const key = yield* findActiveKey(id)
        yield* sql`UPDATE keys SET scopes = ${JSON.stringify(scopes)} WHERE id = ${id}`
        yield* read
        yield* publish
        return new Key({ ...key, scopes })
      }).pipe(Effect.catchTag("SqlError", Effect.die), exclusively)
  }
}
