/**
 * The tables. A later version adds a migration and leaves these as they are.
 *
 * A million files are a million rows, so each byte of a row and of an index counts:
 * - States are numbers: 0 pending, 1 started, 2 done, 3 failed, 4 held. That of a hidden file is 5 higher.
 * - The identity of a file is the id of its calls, which is made from it: 16 bytes.
 * - `archive_files_state` gives the pending files in order, the numbers of files by state and their credits without a row.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { ArchiveStoreFailed, ArchiveStoreTooNew } from "../../ArchiveError.js"
import { codeOf } from "./storeFailed.js"

const first = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { serial, bytes, uuid, real, indexed } = sql.onDialectOrElse({
    pg: () => ({
      serial: "INTEGER PRIMARY KEY GENERATED ALWAYS AS IDENTITY",
      bytes: "BYTEA",
      uuid: "UUID",
      real: "DOUBLE PRECISION",
      indexed: "(run, state, seq) INCLUDE (credits)"
    }),
    orElse: () => ({
      serial: "INTEGER PRIMARY KEY",
      bytes: "BLOB",
      uuid: "BLOB",
      real: "REAL",
      indexed: "(run, state, seq, credits)"
    })
  })
  // Times are milliseconds since 1970.
  yield* sql.unsafe(`CREATE TABLE archive_runs (
    number ${serial},
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    settings TEXT NOT NULL,
    limits TEXT NOT NULL DEFAULT '{}',
    suspension TEXT,
    probe SMALLINT NOT NULL DEFAULT 0,
    listing INTEGER NOT NULL DEFAULT 0,
    -- Whether a claim has to ask for limits or wait for the service.
    guarded SMALLINT NOT NULL DEFAULT 0,
    -- Calls begun, and credits spent or reserved: only kept while there is a limit of them.
    begun BIGINT NOT NULL DEFAULT 0,
    credits BIGINT NOT NULL DEFAULT 0,
    next_call_at ${real} NOT NULL DEFAULT 0,
    -- How often the service was found down since the last success, and when that was last written.
    slowness SMALLINT NOT NULL DEFAULT 0,
    slowed_at BIGINT NOT NULL DEFAULT -1,
    slow_until BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`)
  yield* sql.unsafe(`CREATE TABLE archive_files (
    size BIGINT NOT NULL,
    modified BIGINT NOT NULL,
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The last listing that saw it. 0: it is hidden, since it is gone or its path has another content.
    listed INTEGER NOT NULL,
    state SMALLINT NOT NULL,
    -- Calls that found the service down while it answered others.
    strikes SMALLINT,
    call_id ${uuid} NOT NULL,
    -- What its calls cost, and what its call under way may cost at most.
    credits BIGINT,
    reserved BIGINT,
    path TEXT NOT NULL,
    content ${bytes},
    machine TEXT,
    billing TEXT,
    error_tag TEXT,
    error_message TEXT,
    line TEXT,
    result TEXT,
    PRIMARY KEY (run, seq)
  )`)
  yield* sql.unsafe("CREATE UNIQUE INDEX archive_files_call ON archive_files (call_id)")
  yield* sql.unsafe(`CREATE INDEX archive_files_state ON archive_files ${indexed}`)
  yield* sql.unsafe(
    "CREATE INDEX archive_files_content ON archive_files (run, content) WHERE content IS NOT NULL AND line IS NULL"
  )
  yield* sql.unsafe("CREATE TABLE archive_machines (id TEXT PRIMARY KEY, seen_at BIGINT NOT NULL)")
})

/** What a status counts and says beside the states: the warnings of done files, and why the service is taken for down. */
const second = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The tags of the warnings of a result, separated by commas.
  yield* sql.unsafe("ALTER TABLE archive_files ADD COLUMN warnings TEXT")
  yield* sql.unsafe("ALTER TABLE archive_runs ADD COLUMN outage TEXT")
  const tags = sql.onDialectOrElse({
    pg: () => "SELECT string_agg(tag, ',') FROM json_array_elements_text(result::json -> 'warnings') AS w (tag)",
    orElse: () => "SELECT group_concat(value, ',') FROM json_each(result, '$.warnings')"
  })
  // In JSON only a field has this form: in a text the quotation marks are escaped.
  yield* sql.unsafe(`UPDATE archive_files SET warnings = (${tags}) WHERE state = 2 AND result LIKE '%,"warnings":["%'`)
  yield* sql.unsafe("CREATE INDEX archive_files_warnings ON archive_files (run, warnings) WHERE warnings IS NOT NULL")
})

/** A file that was replaced, and so is in no result and no count, has a state of its own: 5 and its state. */
const third = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("UPDATE archive_files SET state = state + 5 WHERE listed = 0 AND state = 2")
})

/** What was written for a file, how far a run was listed, and whether its results are written. */
const fourth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bytes = sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" })
  // Size in bytes, and the first 16 bytes of the SHA-256, of the file of the tree.
  yield* sql.unsafe("ALTER TABLE archive_files ADD COLUMN output_size BIGINT")
  yield* sql.unsafe(`ALTER TABLE archive_files ADD COLUMN output_digest ${bytes}`)
  // The last listing that came to its end. 0: none did.
  yield* sql.unsafe("ALTER TABLE archive_runs ADD COLUMN listed INTEGER NOT NULL DEFAULT 0")
  yield* sql.unsafe("UPDATE archive_runs SET listed = listing WHERE state <> 'listing'")
  // 1: the run has begun since results.jsonl was written.
  yield* sql.unsafe("ALTER TABLE archive_runs ADD COLUMN results_due SMALLINT NOT NULL DEFAULT 0")
  // A claim of a run that knows files by content asks for equal ones.
  yield* sql.unsafe(`UPDATE archive_runs SET guarded = 1 WHERE guarded = 0 AND settings LIKE '%"byContent":true%'`)
  // Other files may have been written at the path of a hidden one. An ordered index of PostgreSQL takes no path of 3,000 bytes.
  const byPath = sql.onDialectOrElse({ pg: () => "USING hash (path)", orElse: () => "(path)" })
  yield* sql.unsafe(`CREATE INDEX archive_files_hidden ON archive_files ${byPath} WHERE state >= 5`)
})

/** The errors of this package have a prefix of their own. In JSON only a field has this form. */
const fifth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("UPDATE archive_files SET error_tag = 'ArchiveOutputFailed' WHERE error_tag = 'OutputFailed'")
  for (const column of ["suspension", "outage"]) {
    yield* sql.unsafe(
      `UPDATE archive_runs SET ${column} = replace(${column}, '"tag":"OutputFailed"', '"tag":"ArchiveOutputFailed"')`
    )
  }
})

/** How a run makes the ids of its files: see `IdVersion`. */
const sixth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE archive_runs ADD COLUMN ids SMALLINT NOT NULL DEFAULT 5")
})

/** Their number is the version of the tables. A store has the rows `(1, 'tables')`, `(2, 'warnings')`, … */
const migrations = [
  ["tables", first],
  ["warnings", second],
  ["hidden", third],
  ["output", fourth],
  ["tags", fifth],
  ["ids", sixth]
] as const

/** The newest version of the tables that this package reads. */
export const knownVersion = migrations.length

const versionTable = "archive_migrations"

// `@effect/sql` made it in the first versions of this package.
const createVersionTable = `CREATE TABLE IF NOT EXISTS ${versionTable} (
  migration_id INTEGER PRIMARY KEY NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT CURRENT_TIMESTAMP,
  name TEXT NOT NULL
)`

/**
 * For a file: fails with {@link otherTable} if it has tables, and none of a store. A statement that returns rows would keep the file
 * open until it is collected, and so leave `-wal` and `-shm` beside it.
 */
export const refuseOther = `
  SELECT json_extract('{}', '!' || name) FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
    AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '${versionTable}')`

/** The table of another program for which {@link refuseOther} failed. */
export const otherTable = (error: unknown): string | undefined => /bad JSON path: '!(.*)'/s.exec(String(error))?.[1]

const nameTaken = (store: string, name: string) =>
  new ArchiveStoreFailed({
    store,
    message: `The database has a table or an index ${name} that is not of a store; rename it, or give the store a database of its own. (${store})`
  })

/** A statement that the tables do not allow. 42501 is a user who may not. */
const isRefused = (code: string | undefined): boolean => /^(SQLITE_ERROR|42(?!501))/.test(code ?? "")

/** Brings the tables to {@link knownVersion}. `store` is the name of the store in errors. */
export const migrate = (store: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Names the table or the index for which the tables can't be read or made. A message has the name in any language. */
    const named = (error: SqlError): Effect.Effect<never, ArchiveStoreFailed | SqlError> => {
      const name = /\barchive_\w+/.exec(String(error.cause))?.[0]
      return isRefused(codeOf(error.cause)) ? nameTaken(store, name ?? versionTable) : error
    }

    const hasVersion = sql.onDialectOrElse({
      pg: () =>
        Effect.map(
          sql<{ found: string | null }>`SELECT to_regclass(${versionTable})::text AS found`,
          ([row]) => typeof row?.found === "string"
        ),
      orElse: () => Effect.map(sql`SELECT 1 FROM sqlite_master WHERE name = ${versionTable}`, (rows) => rows.length > 0)
    })

    const readVersion = Effect.gen(function* () {
      if (!(yield* hasVersion)) return 0
      const rows = yield* sql<{ id: number | bigint; name: string }>`
        SELECT migration_id AS id, name FROM ${sql(versionTable)} ORDER BY migration_id`
      const known = rows.slice(0, knownVersion)
      if (known.some(({ id, name }, at) => Number(id) !== at + 1 || name !== migrations[at]?.[0])) {
        return yield* nameTaken(store, versionTable)
      }
      return Number(rows.at(-1)?.id ?? 0)
    })

    const upgrade = Effect.gen(function* () {
      // Machines that open an empty database at once wait for the first, however long it takes.
      yield* sql.onDialectOrElse({
        pg: () =>
          Effect.zipRight(
            sql`SET LOCAL statement_timeout = 0`,
            sql`SELECT pg_advisory_xact_lock(hashtext(${versionTable}))`
          ),
        orElse: () => Effect.void
      })
      yield* sql.unsafe(createVersionTable)
      const from = yield* readVersion
      for (const [at, [name, change]] of migrations.entries()) {
        if (at < from) continue
        yield* change
        yield* sql`INSERT INTO ${sql(versionTable)} (migration_id, name) VALUES (${at + 1}, ${name})`
      }
      return Math.max(from, knownVersion)
    })

    const before = yield* Effect.catchTag(readVersion, "SqlError", named)
    const found =
      before < knownVersion ? yield* Effect.catchTag(sql.withTransaction(upgrade), "SqlError", named) : before
    if (found > knownVersion) {
      return yield* new ArchiveStoreTooNew({
        store,
        found,
        known: knownVersion,
        message: `The store ${store} has tables of version ${found}, and this version of the package reads up to ${knownVersion}; install a newer version of it. With another store, each file is called again.`
      })
    }
  })
