/**
 * The store on SQL: the same statements on libSQL and PostgreSQL, where `sql.onDialectOrElse` does not say otherwise.
 */
import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { RunNotFound, type StoreFailed } from "../../ArchiveError.js"
import { type FileRecord, type FileState, Limits, RunSettings, type RunState, Suspension } from "../../Run.js"
import type { SourceItem } from "../../Source.js"
import { conflictOf } from "../conflict.js"
import type { Claim, ClaimedFile, RunRow, Settlement, StoreService, Unavailable } from "./Store.js"

/** A machine without a heartbeat for this time is dead. */
const deadAfterMillis = 35_000

/** Files of a page of `files`. */
const pageSize = 1_000

/** A file fails when so many of its calls found the service down while it answered others. */
const maxStrikes = 5

const maxSlowMillis = 60_000

const maxWaitMillis = 2_000

/** As numbers in the table. */
const pending = 0
const started = 1
const done = 2
const failed = 3
const held = 4
const fileStates: ReadonlyArray<FileState> = ["pending", "started", "done", "failed", "held"]
const codeOf = (state: FileState): number => fileStates.indexOf(state)

const fileLimit = "FileLimit"
const creditLimit = "CreditLimit"

const answerUnknown = {
  tag: "AnswerUnknown",
  message:
    "The process that called the service for this file ended before it recorded an answer. The call may have been answered and billed. To call again, retry the files of this tag."
}

/** libSQL reads whole numbers as bigint, PostgreSQL 64-bit ones as string. */
type Int = number | bigint | string

interface RunTableRow {
  readonly number: Int
  readonly id: string
  readonly state: RunState
  readonly epoch: Int
  readonly settings: string
  readonly limits: string
  readonly suspension: string | null
  readonly outage: string | null
  readonly probe: Int
  readonly listing: Int
  readonly guarded: Int
  readonly begun: Int
  readonly credits: Int
  readonly next_call_at: Int
  readonly slowness: Int
  readonly slowed_at: Int
  readonly slow_until: Int
  readonly created_at: Int
  readonly updated_at: Int
}

interface TimedRunRow extends RunTableRow {
  /** The time of the clock that all machines share. */
  readonly at: Int
}

interface FileTableRow {
  readonly seq: Int
  readonly state: Int
  readonly attempts: Int
  readonly size: Int
  readonly modified: Int
  readonly call_id: string
  readonly content: string | null
  readonly credits: Int | null
  readonly path: string
  readonly billing: string | null
  readonly error_tag: string | null
  readonly error_message: string | null
  readonly line: string | null
  readonly result: string | null
}

interface StruckFile {
  readonly seq: Int
  readonly strikes: Int | null
}

const settingsJson = Schema.parseJson(RunSettings)
const limitsJson = Schema.parseJson(Limits)
const suspensionJson = Schema.parseJson(Suspension)
const toRunRow = (row: RunTableRow): RunRow => ({
  id: row.id,
  state: row.state,
  epoch: Number(row.epoch),
  settings: Schema.decodeSync(settingsJson)(row.settings),
  limits: Schema.decodeSync(limitsJson)(row.limits),
  ...(row.suspension !== null && { suspension: Schema.decodeSync(suspensionJson)(row.suspension) }),
  probe: Number(row.probe) === 1
})

const toClaimedFile = (run: string, row: FileTableRow): ClaimedFile => ({
  run,
  seq: Number(row.seq),
  path: row.path,
  size: Number(row.size),
  modifiedMillis: Number(row.modified),
  ...(row.content !== null && { content: row.content }),
  ...(row.line !== null && { line: JSON.parse(row.line) as Record<string, unknown> }),
  callId: toUuid(row.call_id),
  attempts: Number(row.attempts)
})

const toFileRecord = (row: FileTableRow): FileRecord => ({
  seq: Number(row.seq),
  path: row.path,
  state: fileStates[Number(row.state)] as FileState,
  size: Number(row.size),
  modifiedMillis: Number(row.modified),
  attempts: Number(row.attempts),
  callId: toUuid(row.call_id),
  ...(row.billing !== null && { billing: row.billing }),
  ...(row.credits !== null && { credits: Number(row.credits) }),
  ...(row.error_tag !== null && { error: { tag: row.error_tag, message: row.error_message ?? "" } }),
  ...(row.result !== null && { result: JSON.parse(row.result) as unknown })
})

const toUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

/** A random UUID, so that no other name space gives the same ids. */
const namespace = Buffer.from("6f0d5c1e9b1b4b5aa3c2d6a0f1c7e84d", "hex")

/** A UUID of version 5 (RFC 9562, section 5.5) of the run and of what the file is known by, as 32 hexadecimal digits. */
const callIdOf = (run: string, item: SourceItem): string => {
  const known = item.content === undefined ? [item.size, item.modifiedMillis] : [item.content]
  const hash = createHash("sha1")
    .update(namespace)
    .update(JSON.stringify([run, item.path, ...known]))
    .digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString("hex", 0, 16)
}

/** PostgreSQL stores no NUL in a text. */
const withoutNul = (text: string): string => text.replaceAll("\0", "\u{fffd}")

/** The tags of the warnings of a result, as the table has them. */
const warningsOf = (result: unknown): string | null =>
  Option.match(decodeWarned(result), {
    onNone: () => null,
    onSome: ({ warnings }) => (warnings.length === 0 ? null : warnings.join(","))
  })
const decodeWarned = Schema.decodeUnknownOption(Schema.Struct({ warnings: Schema.Array(Schema.String) }))

/** Number of files by the tag of their warnings. */
const warningsIn = (
  rows: ReadonlyArray<{ readonly warnings: string; readonly count: Int }>
): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const { count, warnings } of rows) {
    for (const tag of warnings.split(",")) counts.set(tag, (counts.get(tag) ?? 0) + Number(count))
  }
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** 1: a claim asks for limits. 2: an answer changes what is left of them, too. */
const guardOf = ({ callsPerSecond, maxCredits, maxFiles }: Limits): number =>
  maxCredits !== undefined ? 2 : callsPerSecond !== undefined || maxFiles !== undefined ? 1 : 0

/** How long calls are held back after the service was found down so many times. */
const slowMillis = (slowness: number): number => Math.min(1_000 * 2 ** (slowness - 1), maxSlowMillis)

/** The store on the tables of `migrate`. `toFailed` turns an error of the database into the store's. */
export const make = (
  toFailed: (error: SqlError) => StoreFailed
): Effect.Effect<StoreService, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const onPg = <A, B>(pg: A, orElse: B): A | B => sql.onDialectOrElse({ pg: () => pg, orElse: () => orElse })

    const failing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        // A commit that fails is a defect of @effect/sql.
        Effect.catchSomeDefect((defect) => (isSqlError(defect) ? Option.some(Effect.fail(defect)) : Option.none())),
        Effect.mapError((error) => (isSqlError(error) ? toFailed(error) : (error as Exclude<E, SqlError>))),
        // A span a statement costs as much as the statement.
        Effect.withTracerEnabled(false)
      )

    const now: Effect.Effect<number, SqlError> = onPg(
      Effect.map(sql<{ now: Int }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`, (rows) =>
        Number(rows[0]?.now)
      ),
      Clock.currentTimeMillis
    )

    /** The clock of the database, or of the one process. */
    const withNow = <A, E, R>(use: (now: Fragment) => Effect.Effect<A, E, R>) =>
      onPg(
        use(sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint")),
        Effect.flatMap(Clock.currentTimeMillis, (millis) => use(sql`${millis}`))
      )

    /** Bytes are read as hexadecimal digits: libSQL's buffers cost more to collect than the rest of a claim. */
    const identity = sql.literal(
      onPg(
        "replace(call_id::text, '-', '') AS call_id, encode(content, 'hex') AS content",
        "lower(hex(call_id)) AS call_id, nullif(lower(hex(content)), '') AS content"
      )
    )
    const called = sql`seq, attempts, size, modified, path, line, ${identity}`
    const recordedFields = sql`${called}, state, credits, billing, error_tag, error_message, result`

    const numberOf = (run: string) => sql`(SELECT number FROM archive_runs WHERE id = ${run})`
    const aliveMachines = (now: Fragment) =>
      sql`SELECT id FROM archive_machines WHERE seen_at > ${now} - ${sql.literal(String(deadAfterMillis))}`

    /** The run's row, and the time. Locked, no other transaction changes it before the end of this one. */
    const readRun = (run: string, lock = "") =>
      withNow((at) =>
        Effect.map(
          sql<TimedRunRow>`SELECT archive_runs.*, ${at} AS at FROM archive_runs WHERE id = ${run} ${sql.literal(lock)}`,
          (rows): TimedRunRow | undefined => rows[0]
        )
      )
    const lockRun = (run: string) => readRun(run, onPg("FOR UPDATE", ""))
    const existingRun = (run: string) =>
      Effect.flatMap(readRun(run), (row) => (row === undefined ? notFound(run) : Effect.succeed(row)))

    const changes = (statement: { readonly raw: Effect.Effect<unknown, SqlError> }) =>
      Effect.map(statement.raw, (result) => {
        const { rowCount, rowsAffected } = result as { rowCount?: number; rowsAffected?: number }
        return rowCount ?? rowsAffected ?? 0
      })

    const store: StoreService = {
      now: failing(now),

      createRun: (id, settings, limits) =>
        failing(
          sql.withTransaction(
            Effect.gen(function* () {
              const at = yield* now
              yield* sql`
                INSERT INTO archive_runs (id, state, settings, created_at, updated_at)
                VALUES (${id}, 'listing', ${Schema.encodeSync(settingsJson)(settings)}, ${at}, ${at})
                ON CONFLICT (id) DO NOTHING`
              const row = yield* lockRun(id)
              if (row === undefined) return yield* Effect.dieMessage(`The run ${id} vanished while it was created.`)
              const found = toRunRow(row)
              const conflict = conflictOf(id, found.settings, settings)
              if (conflict !== undefined) return yield* conflict
              yield* sql`
                UPDATE archive_runs SET settings = ${Schema.encodeSync(settingsJson)(settings)}, updated_at = ${at}
                WHERE id = ${id}`
              yield* writeLimits(row, limits)
              return { ...found, settings, limits }
            })
          )
        ),

      run: (id) => failing(Effect.map(existingRun(id), toRunRow)),

      runs: failing(
        Effect.map(sql<{ id: string }>`SELECT id FROM archive_runs ORDER BY number DESC`, (rows) =>
          rows.map(({ id }) => id)
        )
      ),

      running: failing(
        Effect.map(sql<RunTableRow>`SELECT * FROM archive_runs WHERE state = 'running' ORDER BY number`, (rows) =>
          rows.map(toRunRow)
        )
      ),

      states: (run, items) => {
        const callIds = items.map((item) => callIdOf(run, item))
        const list = JSON.stringify(callIds)
        const listed = onPg(
          sql`SELECT i::uuid FROM json_array_elements_text(${list}::json) AS a (i)`,
          sql`SELECT unhex(value) FROM json_each(${list})`
        )
        return failing(
          Effect.map(
            sql<{ call_id: string; state: Int }>`
              SELECT ${identity}, state FROM archive_files WHERE call_id IN (${listed})`,
            (rows) => {
              const known = new Map(rows.map(({ call_id, state }) => [call_id, fileStates[Number(state)]]))
              return callIds.map((callId) => known.get(callId))
            }
          )
        )
      },

      beginListing: (run) =>
        failing(
          Effect.flatMap(
            sql<{ listing: Int }>`UPDATE archive_runs SET listing = listing + 1 WHERE id = ${run} RETURNING listing`,
            ([row]) => (row === undefined ? notFound(run) : Effect.succeed(Number(row.listing)))
          )
        ),

      addItems: (run, listing, items) => {
        const rows = new Map(
          items.map((item) => {
            const callId = callIdOf(run, item)
            return [
              callId,
              [
                callId,
                withoutNul(item.path),
                item.size,
                Math.floor(item.modifiedMillis),
                item.content ?? null,
                item.line === undefined ? null : JSON.stringify(item.line),
                item.problem === undefined ? pending : failed,
                item.problem?.tag ?? null,
                item.problem === undefined ? null : withoutNul(item.problem.message)
              ]
            ]
          })
        )
        const list = JSON.stringify([...rows.values()])
        // The columns of a JSON array of arrays.
        const listed = onPg(
          sql`SELECT (i ->> 0)::uuid AS call_id, i ->> 1 AS path, (i ->> 2)::bigint AS size, (i ->> 3)::bigint AS modified,
            decode(i ->> 4, 'hex') AS content, i ->> 5 AS line, (i ->> 6)::smallint AS state, i ->> 7 AS error_tag, i ->> 8 AS error_message, place
            FROM json_array_elements(${list}::json) WITH ORDINALITY AS a (i, place)`,
          sql`SELECT unhex(value ->> 0) AS call_id, value ->> 1 AS path, value ->> 2 AS size, value ->> 3 AS modified,
            unhex(value ->> 4) AS content, value ->> 5 AS line, value ->> 6 AS state, value ->> 7 AS error_tag, value ->> 8 AS error_message, key AS place
            FROM json_each(${list})`
        )
        return failing(
          sql.withTransaction(
            Effect.gen(function* () {
              const row = yield* lockRun(run)
              if (row === undefined) return
              const number = Number(row.number)
              yield* sql`
                UPDATE archive_files SET modified = i.modified, listed = ${listing}
                FROM (${listed}) AS i
                WHERE archive_files.call_id = i.call_id AND archive_files.listed <= ${listing}`
              yield* sql`
                INSERT INTO archive_files
                  (run, seq, state, listed, size, modified, call_id, content, path, line, error_tag, error_message)
                SELECT ${number},
                  (SELECT coalesce(max(seq), 0) FROM archive_files WHERE run = ${number}) + row_number() OVER (ORDER BY place),
                  i.state, ${listing}, i.size, i.modified, i.call_id, i.content, i.path, i.line,
                  i.error_tag, i.error_message
                FROM (${listed}) AS i
                WHERE NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.call_id = i.call_id)
                ORDER BY place`
            })
          )
        )
      },

      endListing: (run, listing) =>
        failing(
          Effect.asVoid(
            Effect.zipRight(
              sql`
              DELETE FROM archive_files
              WHERE run = ${numberOf(run)} AND state IN (${pending}, ${failed}) AND listed < ${listing}`.raw,
              // The result of a removed file stays. A file that changed gets a new one.
              sql`
              UPDATE archive_files SET listed = 0
              WHERE run = ${numberOf(run)} AND state = ${done} AND listed < ${listing} AND path IN (
                SELECT path FROM archive_files WHERE run = ${numberOf(run)} AND listed = ${listing})`.raw
            )
          )
        ),

      begin: (run) =>
        failing(
          sql.withTransaction(
            Effect.gen(function* () {
              const row = yield* lockRun(run)
              if (row === undefined) return yield* notFound(run)
              const { epoch, suspension } = toRunRow(row)
              const probe = suspension !== undefined && suspension.tag !== fileLimit && suspension.tag !== creditLimit
              yield* sql`
                UPDATE archive_runs SET state = 'running', epoch = ${epoch + 1}, suspension = NULL, probe = ${probe ? 1 : 0},
                  slowness = 0, slow_until = 0, outage = NULL, updated_at = ${Number(row.at)}
                WHERE id = ${run}`
              return epoch + 1
            })
          )
        ),

      endProbe: (run, epoch) =>
        failing(Effect.asVoid(sql`UPDATE archive_runs SET probe = 0 WHERE id = ${run} AND epoch = ${epoch}`)),

      changeState: (run, from, to) =>
        failing(
          Effect.map(
            withNow(
              (at) => sql`
                UPDATE archive_runs SET state = ${to}, updated_at = ${at}
                WHERE id = ${run} AND ${sql.in("state", from)} RETURNING id`
            ),
            (rows) => rows.length > 0
          )
        ),

      endIfComplete: (run, epoch) =>
        failing(
          Effect.map(
            withNow(
              (at) => sql`
                UPDATE archive_runs SET state = 'ended', updated_at = ${at}
                WHERE id = ${run} AND epoch = ${epoch} AND state = 'running'
                  AND NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.run = number AND f.state = ${pending})
                  AND NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.run = number AND f.state = ${started})
                RETURNING id`
            ),
            (rows) => rows.length > 0
          )
        ),

      setLimits: (run, limits) =>
        failing(
          sql.withTransaction(
            Effect.flatMap(lockRun(run), (row) =>
              row === undefined ? Effect.void : Effect.asVoid(writeLimits(row, limits))
            )
          )
        ),

      batches: (run, after, count, size) =>
        failing(
          Effect.map(
            sql<{ from: Int; to: Int }>`
              SELECT min(seq) AS "from", max(seq) AS "to" FROM (
                SELECT seq, (row_number() OVER (ORDER BY seq) - 1) / ${size} AS batch FROM (
                  SELECT seq FROM (${firstOf(run, pending, after, count * size)}) AS p
                  UNION ALL
                  SELECT seq FROM (${firstOf(run, started, after, count * size)}) AS s
                  ORDER BY seq LIMIT ${count * size}
                ) AS u
              ) AS b
              GROUP BY batch ORDER BY batch`,
            (rows) => rows.map(({ from, to }) => ({ from: Number(from), to: Number(to) }))
          )
        ),

      pendingOf: (run, { from, to }) =>
        failing(
          Effect.map(
            sql<{ seq: Int }>`
              SELECT seq FROM archive_files
              WHERE run = ${numberOf(run)} AND state = ${pending} AND seq BETWEEN ${from} AND ${to} ORDER BY seq`,
            (rows) => rows.map(({ seq }) => Number(seq))
          )
        ),

      lastPending: (run, count) =>
        failing(
          Effect.map(
            sql<{ seq: Int }>`
              SELECT seq FROM archive_files
              WHERE run = ${numberOf(run)} AND state = ${pending} ORDER BY seq DESC LIMIT ${count}`,
            (rows) => rows.map(({ seq }) => Number(seq))
          )
        ),

      takeOver: (run, { from, to }) =>
        failing(
          Effect.gen(function* () {
            const startedFiles = sql`run = ${numberOf(run)} AND state = ${started} AND seq BETWEEN ${from} AND ${to}`
            const some = yield* sql`SELECT seq FROM archive_files WHERE ${startedFiles} LIMIT 1`
            if (some.length === 0) return 0
            const row = yield* readRun(run)
            if (row === undefined) return 0
            const repeat = toRunRow(row).settings.unanswered === "repeat"
            yield* withNow((at) => {
              const abandoned = sql`${startedFiles} AND machine NOT IN (${aliveMachines(at)})`
              // What may have been billed stays reserved while the file is held, and counts as spent if it is called again.
              return repeat
                ? sql`UPDATE archive_files SET state = ${pending}, machine = NULL, billing = 'unknown', ${spendReserved} WHERE ${abandoned}`
                : sql`UPDATE archive_files SET state = ${held}, billing = 'unknown', error_tag = ${answerUnknown.tag}, error_message = ${answerUnknown.message} WHERE ${abandoned}`
            })
            const left = yield* sql<{ count: Int }>`SELECT count(*) AS count FROM archive_files WHERE ${startedFiles}`
            return Number(left[0]?.count)
          })
        ),

      claim: (run, epoch, seq, machine, cost) =>
        failing(
          Effect.gen(function* () {
            const rows = yield* take(
              sql`(SELECT number FROM archive_runs WHERE id = ${run} AND epoch = ${epoch} AND state = 'running' AND guarded = 0 AND slowness = 0)`,
              seq,
              machine,
              null
            )
            if (rows[0] !== undefined) return { _tag: "Claimed", file: toClaimedFile(run, rows[0]) } as const
            return yield* claimGuarded(run, epoch, seq, machine, cost)
          })
        ),

      settle: (run, epoch, seq, machine, settlement) => failing(settle(run, epoch, seq, machine, settlement)),

      sameContent: (run, content) =>
        failing(
          Effect.map(
            sql<FileTableRow>`
              SELECT ${recordedFields} FROM archive_files
              WHERE run = ${numberOf(run)} AND content = ${Buffer.from(content, "hex")} AND line IS NULL
                AND state = ${done} ORDER BY seq LIMIT 1`,
            ([row]) => Option.map(Option.fromNullable(row), toFileRecord)
          )
        ),

      join: (machine) =>
        failing(
          Effect.asVoid(withNow((at) => sql`INSERT INTO archive_machines (id, seen_at) VALUES (${machine}, ${at})`))
        ),

      heartbeat: (machine) =>
        failing(Effect.asVoid(withNow((at) => sql`UPDATE archive_machines SET seen_at = ${at} WHERE id = ${machine}`))),

      leave: (machine) => failing(Effect.asVoid(sql`DELETE FROM archive_machines WHERE id = ${machine}`)),

      status: (run) =>
        failing(
          Effect.gen(function* () {
            const row = yield* existingRun(run)
            const number = Number(row.number)
            const states = yield* sql<{ state: Int; count: Int; credits: Int | null }>`
              SELECT state, count(*) AS count, sum(credits) AS credits FROM archive_files WHERE run = ${number} GROUP BY state`
            const tags = yield* sql<{ state: Int; tag: string | null; count: Int }>`
              SELECT state, error_tag AS tag, count(*) AS count FROM archive_files
              WHERE run = ${number} AND state IN (${failed}, ${held}) GROUP BY state, error_tag ORDER BY error_tag`
            const tagsOf = (code: number) =>
              Object.fromEntries(
                tags.flatMap(({ count, state, tag }) => (Number(state) === code ? [[tag ?? "", Number(count)]] : []))
              )
            const warned = yield* sql<{ warnings: string; count: Int }>`
              SELECT warnings, count(*) AS count FROM archive_files
              WHERE run = ${number} AND warnings IS NOT NULL GROUP BY warnings ORDER BY warnings`
            const [machines] = yield* sql<{ count: Int | null; last: Int | null }>`
              SELECT sum(CASE WHEN seen_at > ${Number(row.at) - deadAfterMillis} THEN 1 ELSE 0 END) AS count,
                max(seen_at) AS last FROM archive_machines`
            const countOf = (code: number) => Number(states.find(({ state }) => Number(state) === code)?.count ?? 0)
            const { id, state, settings, limits, suspension } = toRunRow(row)
            return {
              id,
              state,
              settings,
              limits,
              ...(suspension !== undefined && { suspension }),
              counts: {
                pending: countOf(pending),
                started: countOf(started),
                done: countOf(done),
                failed: countOf(failed),
                held: countOf(held)
              },
              failures: tagsOf(failed),
              holds: tagsOf(held),
              warnings: warningsIn(warned),
              credits: states.reduce((sum, { credits }) => sum + Number(credits ?? 0), 0),
              machines: Number(machines?.count ?? 0),
              ...(typeof machines?.last !== "object" && { heartbeatAt: Number(machines?.last) }),
              ...(Number(row.slowness) > 0 && {
                slowedUntil: Number(row.slow_until),
                ...(row.outage !== null && { outage: Schema.decodeSync(suspensionJson)(row.outage) })
              }),
              createdAt: Number(row.created_at),
              updatedAt: Number(row.updated_at)
            }
          })
        ),

      retry: (run, only) =>
        failing(
          changes(sql`
            UPDATE archive_files SET state = ${pending}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL,
              ${spendReserved}
            WHERE run = ${numberOf(run)} AND ${
              only === undefined ? sql`state = ${failed}` : sql`state IN (${failed}, ${held}) AND error_tag = ${only}`
            }`)
        ),

      files: (run, states) =>
        Stream.paginateChunkEffect(0, (after) =>
          failing(
            Effect.map(
              sql<FileTableRow>`
                SELECT ${recordedFields} FROM archive_files
                WHERE run = ${numberOf(run)} AND seq > ${after} AND listed > 0
                  ${states === undefined ? sql`` : sql`AND ${sql.in("state", states.map(codeOf))}`}
                ORDER BY seq LIMIT ${pageSize}`,
              (rows) => {
                const last = rows[rows.length - 1]
                return [
                  Chunk.unsafeFromArray(rows.map(toFileRecord)),
                  last === undefined || rows.length < pageSize ? Option.none() : Option.some(Number(last.seq))
                ] as const
              }
            )
          )
        )
    }

    const firstOf = (run: string, state: number, after: number, count: number) => sql`
      SELECT seq FROM archive_files
      WHERE run = ${numberOf(run)} AND state = ${state} AND seq > ${after} ORDER BY seq LIMIT ${count}`

    const spendReserved = sql.literal(
      "credits = CASE WHEN reserved IS NULL THEN credits ELSE coalesce(credits, 0) + reserved END, reserved = NULL"
    )

    const take = (number: Fragment, seq: number, machine: string, reserved: number | null) => sql<FileTableRow>`
      UPDATE archive_files SET state = ${started}, machine = ${machine}, attempts = attempts + 1, reserved = ${reserved}
      WHERE run = ${number} AND seq = ${seq} AND state = ${pending}
      RETURNING ${called}`

    /** Once for all machines: the first that is refused in this epoch. */
    const suspend = (run: string, epoch: number, reason: { readonly tag: string; readonly message: string }) =>
      Effect.gen(function* () {
        const at = yield* now
        const suspension = Schema.encodeSync(suspensionJson)({ tag: reason.tag, message: reason.message, at })
        yield* sql`
          UPDATE archive_runs SET state = 'suspended', suspension = ${suspension}, updated_at = ${at}
          WHERE id = ${run} AND epoch = ${epoch} AND state = 'running'`
      })

    /** The counters are only kept while there is a limit, so they are made here. */
    const writeLimits = (row: RunTableRow, limits: Limits) => {
      const files = sql`FROM archive_files WHERE run = ${Number(row.number)}`
      const counters =
        guardOf(limits) === 0
          ? sql``
          : sql`, begun = (SELECT coalesce(sum(attempts), 0) ${files}),
              credits = (SELECT coalesce(sum(coalesce(credits, 0) + coalesce(reserved, 0)), 0) ${files})`
      return sql`
        UPDATE archive_runs SET limits = ${Schema.encodeSync(limitsJson)(limits)}, guarded = ${guardOf(limits)},
          next_call_at = 0 ${counters}
        WHERE id = ${row.id}`
    }

    /** A claim where the run has limits, or the service is down, or there is nothing to claim. */
    const claimGuarded = (
      run: string,
      epoch: number,
      seq: number,
      machine: string,
      cost: (file: ClaimedFile) => Effect.Effect<number>
    ) =>
      Effect.gen(function* () {
        const before = yield* readRun(run)
        if (before === undefined || before.state !== "running" || Number(before.epoch) !== epoch) return stopped
        const [file] = yield* sql<FileTableRow>`
          SELECT ${called} FROM archive_files WHERE run = ${Number(before.number)} AND seq = ${seq} AND state = ${pending}`
        if (file === undefined) return notPending
        const early = untilNextCall(before)
        if (early !== undefined) return early
        // Before the transaction, since it reads the file.
        const credits =
          toRunRow(before).limits.maxCredits === undefined ? null : Math.ceil(yield* cost(toClaimedFile(run, file)))
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            const row = yield* lockRun(run)
            if (row === undefined || row.state !== "running" || Number(row.epoch) !== epoch) return stopped
            const late = untilNextCall(row)
            if (late !== undefined) return late
            const { callsPerSecond, maxCredits, maxFiles } = toRunRow(row).limits
            const spent = Number(row.credits)
            const limit =
              maxFiles !== undefined && Number(row.begun) >= maxFiles
                ? {
                    tag: fileLimit,
                    message: `The run has begun ${row.begun} calls, and its limit is ${maxFiles}; raise the limit to go on.`
                  }
                : maxCredits !== undefined && spent + (credits ?? 0) > maxCredits
                  ? {
                      tag: creditLimit,
                      message: `The run has spent ${spent} credits, the next file costs up to ${credits ?? 0}, and the limit is ${maxCredits}; raise the limit to go on.`
                    }
                  : undefined
            if (limit !== undefined) {
              // A call under way counts only if it reaches the service.
              const underWay = yield* sql`
                SELECT seq FROM archive_files WHERE run = ${Number(row.number)} AND state = ${started} LIMIT 1`
              if (underWay.length > 0) return limitReached
              yield* suspend(run, epoch, limit)
              return stopped
            }
            const [claimed] = yield* take(sql`${Number(row.number)}`, seq, machine, credits)
            if (claimed === undefined) return notPending
            const at = Number(row.at)
            const slowness = Number(row.slowness)
            const interval = callsPerSecond === undefined ? 0 : 1_000 / callsPerSecond
            yield* sql`
              UPDATE archive_runs SET begun = begun + 1, credits = credits + ${credits ?? 0},
                next_call_at = ${Math.max(Number(row.next_call_at), at - interval) + interval},
                slow_until = ${slowness > 0 ? at + slowMillis(slowness) : 0}
              WHERE id = ${run}`
            return { _tag: "Claimed", file: toClaimedFile(run, claimed) } as const
          })
        )
      })

    /** The times at which callers of this process ask again, so that they do not all ask for the same turn. */
    const turns = new Map<string, number>()

    /** How long the service or the rate holds calls back. A caller asks again at least every two seconds: the run may stop. */
    const untilNextCall = (row: TimedRunRow): Claim | undefined => {
      const { callsPerSecond } = toRunRow(row).limits
      const at = Number(row.at)
      const slowness = Number(row.slowness)
      const slowUntil = slowness === 0 ? 0 : Number(row.slow_until)
      const nextCallAt = callsPerSecond === undefined ? 0 : Number(row.next_call_at)
      const until = Math.max(slowUntil, nextCallAt)
      if (at >= until) return undefined
      const interval = Math.max(
        callsPerSecond === undefined ? 0 : 1_000 / callsPerSecond,
        slowness === 0 ? 0 : slowMillis(slowness)
      )
      const turn = Math.max(until, (turns.get(row.id) ?? 0) + interval)
      if (turn - at > maxWaitMillis) return { _tag: "Wait", millis: maxWaitMillis }
      turns.set(row.id, turn)
      return { _tag: "Wait", millis: Math.max(1, Math.ceil(turn - at)) }
    }

    const settle = (run: string, epoch: number, seq: number, machine: string, settlement: Settlement) => {
      const mine = sql`run = ${numberOf(run)} AND seq = ${seq} AND machine = ${machine} AND state IN (${started}, ${held})`
      const inTransaction = settleCarefully(run, epoch, mine, settlement)
      if (settlement._tag !== "Done") return inTransaction
      return Effect.gen(function* () {
        const [settled] = yield* sql<{ slowness: Int }>`
          UPDATE archive_files SET ${recorded(settlement)}
          WHERE ${mine} AND run = (SELECT number FROM archive_runs WHERE id = ${run} AND guarded < 2)
          RETURNING (SELECT slowness FROM archive_runs WHERE number = run) AS slowness`
        if (settled === undefined) return yield* inTransaction
        if (Number(settled.slowness) > 0) yield* wake(run)
        return true
      })
    }

    const recorded = (settlement: Settlement & { readonly _tag: "Done" }) => sql`
      state = ${done}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL, reserved = NULL,
      billing = ${settlement.billing}, credits = coalesce(credits, 0) + ${Math.ceil(settlement.credits)},
      warnings = ${warningsOf(settlement.result)},
      result = ${JSON.stringify(settlement.result ?? null)}`

    /** The service answers: all machines call again as fast as they can. */
    const wake = (run: string) =>
      sql`UPDATE archive_runs SET slowness = 0, slow_until = 0, outage = NULL WHERE id = ${run} AND slowness > 0`

    /** Settles a file together with the counters and the state of its run. The run's row is locked first, as in a claim. */
    const settleCarefully = (run: string, epoch: number, mine: Fragment, settlement: Settlement) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const row = yield* lockRun(run)
          const [file] = yield* sql<StruckFile & { readonly reserved: Int | null }>`
            SELECT seq, reserved, strikes FROM archive_files WHERE ${mine}`
          if (row === undefined || file === undefined) return false
          const reserved = Number(file.reserved ?? 0)
          const count = (begun: number, credits: number) =>
            Number(row.guarded) === 0 || (begun === 0 && credits === 0)
              ? Effect.void
              : sql`UPDATE archive_runs SET begun = begun + ${begun}, credits = credits + ${credits} WHERE id = ${run}`

          switch (settlement._tag) {
            case "Done": {
              yield* sql`UPDATE archive_files SET ${recorded(settlement)} WHERE ${mine}`
              yield* count(0, Math.ceil(settlement.credits) - reserved)
              yield* wake(run)
              return true
            }
            case "NotBegun":
            case "Refused": {
              yield* sql`
                UPDATE archive_files SET state = ${pending}, machine = NULL, attempts = attempts - 1, reserved = NULL,
                  error_tag = NULL, error_message = NULL
                WHERE ${mine}`
              yield* count(-1, -reserved)
              if (settlement._tag === "Refused") yield* suspend(run, epoch, settlement.error)
              return true
            }
            case "Lost": {
              yield* sql`
                UPDATE archive_files SET state = ${held}, machine = NULL, billing = ${settlement.billing},
                  error_tag = ${settlement.error.tag}, error_message = ${withoutNul(settlement.error.message)}, ${spendReserved}
                WHERE ${mine}`
              yield* suspend(run, epoch, settlement.error)
              return true
            }
            case "Failed":
            case "Held":
            case "Unavailable": {
              const { begunAt, error } = settlement
              const mayRepeat = begunAt !== undefined && (yield* mayBeCalledAgain(row, file, { begunAt, error }))
              const again = settlement._tag === "Unavailable" && mayRepeat
              const state = again ? pending : settlement._tag === "Held" ? held : failed
              const begun = settlement._tag === "Unavailable" && settlement.notReached === true ? 0 : 1
              yield* sql`
                UPDATE archive_files SET state = ${state}, machine = NULL, billing = ${settlement.billing},
                  attempts = attempts - ${1 - begun},
                  error_tag = ${again ? null : settlement.error.tag},
                  error_message = ${again ? null : withoutNul(settlement.error.message)},
                  ${settlement.billing === "notBilled" ? sql`reserved = NULL` : spendReserved}
                WHERE ${mine}`
              yield* count(begun - 1, settlement.billing === "notBilled" ? -reserved : 0)
              return true
            }
          }
        })
      )

    /**
     * Slows the run down, and may count a strike against the file. While the service answers others, each failure is a strike.
     * During an outage, a file gets its second and later strikes only if no other that is left has fewer, so that a file that
     * always fails does not keep the run from its end.
     */
    const mayBeCalledAgain = (
      row: TimedRunRow,
      file: StruckFile,
      { begunAt, error }: Pick<Unavailable, "begunAt" | "error">
    ) =>
      Effect.gen(function* () {
        const at = Number(row.at)
        const slowness = Number(row.slowness)
        const strikes = Number(file.strikes ?? 0)
        const isNews = begunAt > Number(row.slowed_at)
        if (isNews) {
          const outage = Schema.encodeSync(suspensionJson)({ tag: error.tag, message: withoutNul(error.message), at })
          yield* sql`
            UPDATE archive_runs SET slowness = ${slowness + 1}, slowed_at = ${at}, slow_until = ${at + slowMillis(slowness + 1)},
              outage = ${outage}
            WHERE id = ${row.id}`
        }
        const counts = isNews && (slowness === 0 || strikes === 0 || !(yield* hasFewerStrikes(row, file)))
        if (counts) {
          yield* sql`
            UPDATE archive_files SET strikes = ${strikes + 1} WHERE run = ${Number(row.number)} AND seq = ${Number(file.seq)}`
        }
        return strikes + (counts ? 1 : 0) < maxStrikes
      })

    const hasFewerStrikes = (row: RunTableRow, file: StruckFile) =>
      Effect.map(
        sql`
          SELECT seq FROM archive_files
          WHERE run = ${Number(row.number)} AND state IN (${pending}, ${started}) AND seq <> ${Number(file.seq)}
            AND coalesce(strikes, 0) < ${Number(file.strikes ?? 0)} LIMIT 1`,
        (others) => others.length > 0
      )

    return store
  })

const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

const stopped: Claim = { _tag: "Stopped" }
const notPending: Claim = { _tag: "NotPending" }
const limitReached: Claim = { _tag: "Wait", millis: 500 }

const notFound = (run: string) =>
  Effect.fail(new RunNotFound({ run, message: `The store has no run ${run}; list its runs.` }))
