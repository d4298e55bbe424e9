/** Stores of tests, and what is in them. */
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { freshDatabase, hasPostgres, postgresTitle } from "effect-speech-test-support/postgres"
import { temporaryRoot } from "effect-speech-test-support/temporaryRoot"
import { layerLibsql } from "../../src/internal/store/libsqlStore.js"
import { layerPostgres } from "../../src/internal/store/postgresStore.js"
import type { StoreService } from "../../src/internal/store/Store.js"
import type { RunSettings } from "../../src/Run.js"
import type { SourceItem } from "../../src/Source.js"

/** A run of recordings that do not exist. */
export const settings: RunSettings = {
  operation: { _tag: "Transcribe", model: "hi-general-v2-8khz" },
  root: "/calls",
  source: "the folder /calls",
  byContent: false,
  output: { directory: "/out", format: "txt" },
  unanswered: "hold"
}

/** A folder that is removed after the test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(temporaryRoot, "archive-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** A store in a file of its own. */
export const libsql = Layer.unwrapScoped(Effect.map(folder, (path) => layerLibsql({ path: join(path, "store.db") })))

/** Each opens the same store again, as often as its layer is built. */
export const databases = [
  {
    title: "a file",
    installed: true,
    open: Effect.map(folder, (path) => layerLibsql({ path: join(path, "store.db") }))
  },
  {
    title: postgresTitle,
    installed: hasPostgres,
    open: Effect.map(Effect.promise(freshDatabase), (url) => layerPostgres({ url: Redacted.make(url) }))
  }
]

/** Lists the files of a run to the end. */
export const list = (store: StoreService, run: string, files: ReadonlyArray<SourceItem>) =>
  Effect.gen(function* () {
    const listing = yield* store.beginListing(run)
    yield* store.addItems(run, listing, files)
    yield* store.endListing(run, listing)
  })
