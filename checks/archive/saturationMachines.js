// Plain JavaScript: measured processes run without a compiler.
/**
 * Machines of an archive in one process, each with connections of its own: `node saturationMachines.js OPTIONS`. What they are made of
 * is internal to the package, so it is taken from where the build puts it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

/**
 * @typedef {object} Options
 * @property {string} url
 * @property {number} machines
 * @property {number} concurrency Of each.
 * @property {number} callMillis
 * @property {number} files
 * @property {number} done Files before these that are done.
 *
 * @typedef {object} Report
 * @property {number} recorded
 * @property {number} walBytes
 * @property {number} commits
 * @property {number} statusMillis How long a status of the run takes.
 * @property {number} bytes Of the database.
 * @property {string} waits What sessions waited for since the last report.
 */

/** @type {Options} */
const { callMillis, concurrency, done, files, machines, url } = JSON.parse(process.argv[2] ?? "{}")

/** @param {string} path */
const internal = (path) => import(new URL(`../../packages/archive/dist/internal/${path}`, import.meta.url).href)
/** @type {typeof import("../../packages/archive/src/internal/machine/machine.js")} */
const Machine = await internal("machine/machine.js")
/** @type {typeof import("../../packages/archive/src/internal/store/postgresStore.js")} */
const { layerPostgres } = await internal("store/postgresStore.js")
/** @type {typeof import("../../packages/archive/src/internal/store/Store.js")} */
const { Store } = await internal("store/Store.js")

/** @typedef {(statement: TemplateStringsArray, ...values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Record<string, string>>, unknown>} Sql */
/** The client that the store brings. @type {Context.Tag<any, Sql>} */
const SqlClient = Context.GenericTag("@effect/sql/SqlClient")

const run = "saturation"
const million = 1_000_000
let recorded = 0

const result = { text: "x".repeat(400), durationMillis: 60_000, segments: [], warnings: [] }

/** @type {import("../../packages/archive/src/internal/store/Store.js").Settlement} */
const settlement = {
  _tag: "Done",
  result,
  billing: "billed",
  credits: 60
}

/** @param {number} maxConnections */
const database = (maxConnections) => layerPostgres({ url: Redacted.make(url), maxConnections })

const observer = ManagedRuntime.make(Layer.orDie(database(2)))

const prepare = Effect.gen(function* () {
  const store = yield* Store
  yield* store.createRun(
    run,
    {
      operation: { _tag: "Transcribe", model: "m" },
      root: "/recordings",
      source: "recordings",
      byContent: false,
      output: { directory: "/out", format: "txt" },
      unanswered: "hold"
    },
    {}
  )
  const listing = yield* store.beginListing(run)
  const sql = yield* SqlClient
  // As a machine records them, without its calls.
  for (let from = 0; from < done; from += million) {
    yield* sql`
      INSERT INTO archive_files (run, seq, state, listed, size, modified, call_id, path, attempts, billing, credits, result)
      SELECT (SELECT number FROM archive_runs WHERE id = ${run}), i, 2, ${listing}, 480044, 1700000000000 + i, gen_random_uuid(),
        '2026/04/call-' || lpad(i::text, 9, '0') || '.wav', 1, 'billed', 60, ${JSON.stringify(result)}
      FROM generate_series(${from + 1}::int, ${Math.min(from + million, done)}::int) AS i`
  }
  for (let from = 0; from < files; from += 1_000) {
    yield* store.addItems(
      run,
      listing,
      Array.from({ length: Math.min(1_000, files - from) }, (_, index) => ({
        path: `2026/05/call-${String(from + index).padStart(9, "0")}.wav`,
        size: 480_044,
        modifiedMillis: 1_700_000_000_000 + from + index
      }))
    )
  }
  yield* store.endListing(run, listing)
  yield* sql`VACUUM ANALYZE`
})

const machine = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* Store
    yield* Machine.make({
      store,
      works: "all",
      machine: crypto.randomUUID(),
      concurrency,
      closeLimit: 1,
      workers: new Map([["Transcribe", { call: () => Effect.as(Effect.sleep(callMillis), settlement) }]]),
      costs: new Map([["Transcribe", () => Effect.succeed(60)]]),
      recorded: () => Effect.sync(() => recorded++)
    })
  })
)

const begin = async () => {
  await observer.runPromise(Effect.flatMap(Store, (store) => store.begin(run, "listed")))
  for (let index = 0; index < machines; index++) {
    await ManagedRuntime.make(Layer.orDie(Layer.provide(machine, database(3)))).runPromise(Effect.void)
  }
}

/** @type {Map<string, number>} */
const waits = new Map()
const sample = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql`
    SELECT coalesce(wait_event_type || ' ' || wait_event, 'CPU') AS wait, count(*) AS count FROM pg_stat_activity
    WHERE state = 'active' AND pid <> pg_backend_pid() AND datname = current_database() GROUP BY 1`
  for (const { count, wait = "" } of rows) waits.set(wait, (waits.get(wait) ?? 0) + Number(count))
})

const report = Effect.gen(function* () {
  const sql = yield* SqlClient
  const store = yield* Store
  const from = performance.now()
  yield* store.status(run)
  const statusMillis = performance.now() - from
  const [row] = yield* sql`
    SELECT pg_database_size(current_database())::text AS bytes, (pg_current_wal_lsn() - '0/0')::text AS wal,
      (SELECT xact_commit::text FROM pg_stat_database WHERE datname = current_database()) AS commits`
  const total = [...waits.values()].reduce((sum, count) => sum + count, 0)
  const shares = [...waits]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([wait, count]) => `${wait} ${((100 * count) / total).toFixed(0)} %`)
  waits.clear()
  return {
    recorded,
    walBytes: Number(row?.wal),
    commits: Number(row?.commits),
    statusMillis,
    bytes: Number(row?.bytes),
    waits: shares.join(", ")
  }
})

const sampling = setInterval(() => void observer.runPromise(Effect.ignore(sample)), 50)

process.on("message", async (/** @type {"list" | "begin" | "report"} */ command) => {
  if (command === "list") await observer.runPromise(Effect.orDie(prepare))
  if (command === "begin") await begin()
  process.send?.(command === "report" ? await observer.runPromise(Effect.orDie(report)) : command)
})
process.once("disconnect", () => {
  clearInterval(sampling)
  process.exit(0)
})
process.send?.(process.pid)
