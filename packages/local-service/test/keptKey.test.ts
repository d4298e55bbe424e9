import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as KnownRecordings from "../src/KnownRecordings.js"
import { LocalService, type LocalServiceHandle } from "../src/LocalService.js"
import { silentVoice } from "./blackbox/support/service.js"

const root = mkdtempSync(join(tmpdir(), "kept-key-"))
afterAll(() => rmSync(root, { recursive: true }))

/** The key of a start, or `undefined`. */
const started = (
  dataDirectory: string,
  {
    newKey,
    during = () => Effect.void
  }: { newKey?: boolean; during?: (service: LocalServiceHandle) => Effect.Effect<unknown> } = {}
) =>
  LocalService.make({ dataDirectory, newKey }).pipe(
    Effect.tap(during),
    Effect.map(({ apiKey }) => apiKey && Redacted.value(apiKey)),
    Effect.scoped,
    Effect.provide(Layer.mergeAll(silentVoice, KnownRecordings.layer(), NodeFileSystem.layer))
  )

const create = ({ accounts }: LocalServiceHandle) =>
  Effect.orDie(accounts.createKey({ name: "mine", creator: "test", confirm: true }))

it.live("each start has the active key: the first one, a replaced one, and that of a reset", () =>
  Effect.gen(function* () {
    const folder = join(root, "data")
    const first = yield* started(folder)
    expect(yield* started(folder)).toBe(first)
    const second = yield* started(folder, { newKey: true })
    expect(second).not.toBe(first)
    let created = ""
    const replace = (service: LocalServiceHandle) =>
      Effect.map(create(service), ({ key }) => (created = Redacted.value(key)))
    expect(yield* started(folder, { during: replace })).toBe(second)
    expect(yield* started(folder)).toBe(created)
    yield* started(folder, { during: (service) => Effect.zipRight(create(service), service.reset()) })
    expect(yield* started(folder)).toBe(created)
    expect(readdirSync(join(folder, "effect-speech-local-service-temporary"))).toEqual([])
  })
)

it.live("a data directory without the active key, such as one of an earlier version, has none to show", () =>
  Effect.gen(function* () {
    const folder = join(root, "earlier")
    yield* started(folder)
    rmSync(join(folder, "api-key"))
    expect(yield* started(folder)).toBeUndefined()
    const replaced = yield* started(folder, { newKey: true })
    expect(yield* started(folder)).toBe(replaced)
  })
)
