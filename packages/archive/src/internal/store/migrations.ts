/**
 * The tables. A later version adds a migration and leaves these as they are.
 *
 * A million files are a million rows, so each byte of a row and of an index counts:
 * - States are numbers: 0 pending, 1 started, 2 done, 3 failed, 4 held. That of a hidden file is 5 higher.
 * - The identity of a file is the id of its calls, which is made from it: 16 bytes.
 * - `archive_files_state` gives the pending files in order, the numbers of files by state and their credits without a row.
 */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { StoreTooNew } from "../../ArchiveError.js"

const table = "archive_migrations"

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

const migrations: Record<string, Effect.Effect<void, SqlError, SqlClient.SqlClient>> = {
  "1_tables": first,
  "2_warnings": second,
  "3_hidden": third
}

/** The newest version of the tables that this package reads. */
export const knownVersion = Object.keys(migrations).length

/** Brings the tables to {@link knownVersion}. `store` is the name of the store in errors. */
export const migrate = (store: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.catchTag(
      Migrator.make({})({ loader: Migrator.fromRecord(migrations), table }),
      "MigrationError",
      Effect.die
    )
    const rows = yield* sql<{ version: number | bigint }>`SELECT max(migration_id) AS version FROM ${sql(table)}`
    const found = Number(rows[0]?.version)
    if (found > knownVersion) {
      return yield* new StoreTooNew({
        store,
        found,
        known: knownVersion,
        message: `The store ${store} has tables of version ${found}, and this version of the package reads up to ${knownVersion}; install a newer version of it, or use another store.`
      })
    }
  })
