/**
 * Two customers share a program. Each has a key of its own, which a vault of the program gives, and a client for it from a
 * LayerMap. When the key of one is replaced, its next call reads the new one, and the other customer notices nothing.
 */

import assert from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { LocalService } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Context, Data, Effect, Layer, LayerMap, Redacted, Ref } from "effect"

export class UnknownTenant extends Data.TaggedError("UnknownTenant")<{ readonly tenant: string }> {}

export interface Account {
  readonly baseUrl: string
  readonly key: Redacted.Redacted
}

/** The accounts of the customers. */
export class Vault extends Context.Tag("Vault")<
  Vault,
  {
    readonly accountOf: (tenant: string) => Effect.Effect<Account, UnknownTenant>
    readonly replaceKey: (tenant: string, key: Redacted.Redacted) => Effect.Effect<void, UnknownTenant>
    readonly reads: Effect.Effect<ReadonlyArray<string>>
  }
>() {
  static readonly make = (given: ReadonlyMap<string, Account>) =>
    Effect.gen(function* () {
      const accounts = yield* Ref.make(given)
      const reads = yield* Ref.make<ReadonlyArray<string>>([])
      const find = (tenant: string) =>
        Effect.flatMap(Ref.get(accounts), (all) => {
          const account = all.get(tenant)
          return account === undefined ? new UnknownTenant({ tenant }) : Effect.succeed(account)
        })
      return Vault.of({
        accountOf: (tenant) =>
          Effect.zipLeft(
            find(tenant),
            Ref.update(reads, (before) => [...before, tenant])
          ),
        replaceKey: (tenant, key) =>
          Effect.flatMap(find(tenant), (account) =>
            Ref.update(accounts, (all) => new Map(all).set(tenant, { ...account, key }))
          ),
        reads: Ref.get(reads)
      })
    })
}

/** The client of one customer. It requires the vault, because its key does. */
export const clientOf = (tenant: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const vault = yield* Vault
      const { baseUrl } = yield* vault.accountOf(tenant)
      const apiKey = Effect.flatMap(Vault, ({ accountOf }) => Effect.map(accountOf(tenant), ({ key }) => key))
      return TextToSpeech.layer({ apiKey, baseUrl, retries: 0 })
    })
  )

/** The clients of all customers. */
export const makeTenants = (vault: Context.Tag.Service<typeof Vault>) =>
  LayerMap.make((tenant: string) => Layer.provide(clientOf(tenant), Layer.succeed(Vault, vault)), {
    idleTimeToLive: "10 minutes"
  })

export const announce = (text: string) => Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en" }))

export const program = Effect.gen(function* () {
  const [one, two] = yield* Effect.all([
    Effect.map(Layer.build(LocalService.layer()), Context.get(LocalService)),
    Effect.map(Layer.build(LocalService.layer()), Context.get(LocalService))
  ])
  const vault = yield* Vault.make(
    new Map([
      ["north", { baseUrl: one.ttsBaseUrl, key: one.apiKey }],
      ["south", { baseUrl: two.ttsBaseUrl, key: two.apiKey }]
    ])
  )
  const tenants = yield* makeTenants(vault)
  const as = (tenant: string) => Effect.provide(tenants.get(tenant))

  yield* announce("Hello, north.").pipe(as("north"))
  yield* announce("Hello, south.").pipe(as("south"))
  yield* announce("Hello again, north.").pipe(as("north"))
  assert.deepEqual([(yield* one.requests).length, (yield* two.requests).length], [2, 1])
  const readsBefore = yield* vault.reads

  const { key, record } = yield* one.accounts.createKey({ name: "second", creator: "north", confirm: true })
  const refused = yield* announce("Too early.").pipe(as("north"), Effect.flip)
  assert.equal(refused._tag, "TtsUnauthorized")
  yield* vault.replaceKey("north", key)
  const spoken = yield* announce("With the new key.").pipe(as("north"))
  assert.deepEqual(
    spoken.call.attempts.map(({ status }) => status),
    [401, 200]
  )
  assert.equal((yield* one.requests).at(-1)?.keyId, record.id)
  yield* announce("South still works.").pipe(as("south"))
  assert.deepEqual((yield* vault.reads).slice(readsBefore.length), ["north", "north"])

  const third = yield* one.accounts.createKey({ name: "third", creator: "north", confirm: true })
  yield* vault.replaceKey("north", third.key)
  const readsBeforeMany = (yield* vault.reads).length
  yield* Effect.forEach(Array.from({ length: 20 }), (_, index) => announce(`Train ${index}`).pipe(as("north")), {
    concurrency: "unbounded"
  })
  assert.deepEqual((yield* vault.reads).slice(readsBeforeMany), ["north"])

  const sealed = yield* announce("Hello?").pipe(
    Effect.provide(TextToSpeech.layer({ apiKey: new UnknownTenant({ tenant: "east" }), baseUrl: one.ttsBaseUrl })),
    Effect.flip
  )
  assert.match(sealed.message, /reading it failed \(UnknownTenant\)\. Check the effect/u)

  const unknown = yield* announce("Hello?").pipe(as("west"), Effect.flip)
  assert.equal(unknown._tag, "UnknownTenant")
  assert.ok(!JSON.stringify(refused).includes(Redacted.value(one.apiKey)))
  yield* Console.log(`ok tenants ${(yield* one.requests).length} and ${(yield* two.requests).length} requests`)
})

program.pipe(Effect.scoped, Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
