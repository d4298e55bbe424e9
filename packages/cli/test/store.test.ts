import { resolve } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { leaked, secretAddress } from "effect-speech-test-support/secretAddresses"
import { storeOf } from "../src/archive/store.js"
import { run } from "./environment.js"

const open = (store: string) =>
  Effect.either(storeOf({ store })).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map())))

describe("--store", () => {
  it.effect.each(["archive.db", "/data/archive.db", "./run:1.db", "../a:b@c.db", "/data/a:b/c@d.db", "runs/10:00.db"])(
    "is the file %s",
    (store) =>
      Effect.map(open(store), (opened) =>
        expect(opened).toMatchObject({ right: { _tag: "File", path: resolve(store), isDefault: false } })
      )
  )

  it.effect.each([
    ["postgresql://user:secret@db.internal/speech", "db.internal/speech"],
    [" POSTGRES://user:p@ss@db:5433/speech?sslmode=require\n", "db:5433/speech"]
  ])("is the database %s", ([store, shown]) =>
    Effect.map(open(store ?? ""), (opened) => expect(opened).toMatchObject({ right: { _tag: "Database", shown } }))
  )

  const noAddress =
    "must be a file, or an address that begins with postgresql://. For a file whose name has a colon, write ./ before it."
  const unreadable =
    "can't be read: write it as postgresql://user:password@host:port/database, and percent-encode special characters of the password: %2F for /, %23 for #, %3F for ?, %25 for %."
  it.effect.each([
    ["run:1.db", noAddress],
    ["postgresql:/user:secret@db/speech", noAddress],
    ["//user:secret@db/speech", noAddress],
    ["mysql://a@b/c", noAddress],
    ["postgresql://user:qxz/kvw@db/speech", unreadable],
    ["postgres://user:qx?z#kvw@db:5432/speech", unreadable]
  ] as const)("is not %s, and the sentence that says so has nothing of it", ([store, problem]) =>
    Effect.map(open(store), (opened) =>
      expect(opened).toMatchObject({ left: { _tag: "UsageError", message: `--store ${problem}` } })
    )
  )

  it("prints no part of a password in any form of an address", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(secretAddress("127.0.0.1:1"), async (secret) => {
        const inOption = await Effect.runPromise(run(["archive", "status", "--store", secret.address], {}))
        const inVariable = await Effect.runPromise(
          run(["archive", "status", "--json"], { SPEECH_ARCHIVE_STORE: secret.address })
        )
        expect(leaked(JSON.stringify([inOption, inVariable]), secret)).toEqual([])
        expect([2, 3]).toContain(inOption.code)
        expect(await Effect.runPromise(open(secret.address))).not.toMatchObject({ right: { _tag: "File" } })
      }),
      { numRuns: 60, seed: 1 }
    ))
})
