/**
 * The rows of the tables, and the fragments of SQL that several statements share: the same on libSQL and PostgreSQL, where
 * `onDialect` does not say otherwise.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Uuid from "@effect-speech/common/Uuid"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ArchiveRunNotFound, type ArchiveStoreFailed } from "../../ArchiveError.js"
import { type FileState, Limits, type RunId, RunSettings, type RunState, Suspension } from "../../Run.js"
import type { Reason, RunFacts } from "../model/limits.js"
import { fromStored, toStored } from "../model/paths.js"
import { type FileEvent, type RunEvent, runStatesBefore, statesBefore } from "../model/states.js"
import type { ClaimedFile, RunRow, StoredFile } from "./Store.js"

/** libSQL reads whole numbers as bigint, PostgreSQL 64-bit ones as string. */
export type Int = number | bigint | string

export interface RunTableRow {
  readonly number: Int
  readonly id: RunId
  readonly state: RunState
  readonly epoch: Int
  readonly settings: string
  readonly limits: string
  readonly suspension: string | null
  readonly outage: string | null
  readonly probe: Int
  readonly listing: Int
  readonly listed: Int
  readonly guarded: Int
  readonly begun: Int
  readonly credits: Int
  readonly next_call_at: Int
  readonly slowness: Int
  readonly slowed_at: Int
  readonly slow_until: Int
  readonly results_due: Int
  readonly ids: Int
  readonly created_at: Int
  readonly updated_at: Int
}

export interface TimedRunRow extends RunTableRow {
  /** The time of the clock that all machines share. */
  readonly at: Int
}

export interface FileTableRow {
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

export interface OutputTableRow extends FileTableRow {
  readonly output_size: Int | null
  readonly output_digest: string | null
  /** Digests of hidden files with the same path, separated by commas. */
  readonly others: string | null
}

// --- What the rows say ---

const settingsJson = Schema.parseJson(RunSettings)
const limitsJson = Schema.parseJson(Limits)
const suspensionJson = Schema.parseJson(Suspension)

const encodeSettings = Schema.encodeSync(settingsJson)
export const encodeLimits = Schema.encodeSync(limitsJson)
export const decodeSuspension = Schema.decodeSync(suspensionJson)

/** Why a run was suspended or slowed down, and when. */
export const encodeReason = ({ message, tag }: Reason, at: number): string =>
  JSON.stringify({ tag, message: withoutNul(message), at } satisfies typeof Suspension.Encoded)

const decodeRow = (row: RunTableRow): RunRow => ({
  id: row.id,
  state: row.state,
  epoch: Number(row.epoch),
  settings: Schema.decodeSync(settingsJson)(row.settings),
  limits: Schema.decodeSync(limitsJson)(row.limits),
  ...(row.suspension !== null && { suspension: decodeSuspension(row.suspension) }),
  isListed: Number(row.listed) > 0,
  updatedAt: Number(row.updated_at),
  createdAt: Number(row.created_at)
})

export const toRunFacts = (row: TimedRunRow): RunFacts => ({
  now: Number(row.at),
  limits: Schema.decodeSync(limitsJson)(row.limits),
  unanswered: Schema.decodeSync(settingsJson)(row.settings).unanswered,
  begun: Number(row.begun),
  credits: Number(row.credits),
  nextCallAt: Number(row.next_call_at),
  slowness: Number(row.slowness),
  slowedAt: Number(row.slowed_at),
  slowUntil: Number(row.slow_until),
  probe: Number(row.probe) === 1
})

export const toClaimedFile = (run: string, row: FileTableRow): ClaimedFile => ({
  run,
  seq: Number(row.seq),
  path: row.path,
  size: Number(row.size),
  modifiedMillis: Number(row.modified),
  ...(row.content !== null && { content: row.content }),
  ...(row.line !== null && { line: JSON.parse(row.line) as Record<string, unknown> }),
  callId: Uuid.format(row.call_id),
  attempts: Number(row.attempts)
})

export const toStoredFile = (row: FileTableRow): StoredFile => ({
  seq: Number(row.seq),
  path: row.path,
  state: stateOf(row.state),
  size: Number(row.size),
  modifiedMillis: Number(row.modified),
  attempts: Number(row.attempts),
  callId: Uuid.format(row.call_id),
  ...(row.billing !== null && { billing: row.billing }),
  ...(row.credits !== null && { credits: Number(row.credits) }),
  ...(row.error_tag !== null && { error: { tag: row.error_tag, message: row.error_message ?? "" } }),
  ...(row.result !== null && { result: JSON.parse(row.result) as unknown })
})

/** In the table a state is its place here; that of a hidden file, which is not under way, is so much higher. */
const fileStates: ReadonlyArray<FileState> = ["pending", "started", "done", "failed", "held"]
export const hiding = fileStates.length
export const codeOf = (state: FileState): number => fileStates.indexOf(state)
export const stateOf = (code: Int): FileState => fileStates[Number(code) % hiding] as FileState

/** PostgreSQL stores no NUL in a text. */
export const withoutNul = (text: string): string => text.replaceAll("\0", "\u{fffd}")

/**
 * What limits a run. `calls`: a claim asks for limits of files or of the rate, or for files with the same content. `credits`: an answer
 * changes what is left, too.
 */
type Guard = "none" | "calls" | "credits"

const guardCodes: Record<Guard, number> = { none: 0, calls: 1, credits: 2 }

/** In the table a guard is a number, so that one comparison finds what is not guarded. */
export const codeOfGuard = (guard: Guard): number => guardCodes[guard]

export const guardOf = ({ callsPerSecond, maxCredits, maxFiles }: Limits, { byContent }: RunSettings): Guard =>
  maxCredits !== undefined
    ? "credits"
    : byContent || callsPerSecond !== undefined || maxFiles !== undefined
      ? "calls"
      : "none"

// --- What the statements share ---

const pageSize = 1_000

/** The rows of a run, a thousand at a time. `select` gives those behind a file, of which there are at most `limit`. */
export const paged = <Row extends { readonly seq: Int }, A, E>(
  select: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, E>,
  decode: (row: Row) => A
) =>
  Stream.paginateChunkEffect(0, (after) =>
    Effect.map(select(after, pageSize), (rows) => {
      const last = rows[rows.length - 1]
      return [
        Chunk.unsafeFromArray(rows.map(decode)),
        last === undefined || rows.length < pageSize ? Option.none() : Option.some(Number(last.seq))
      ] as const
    })
  )

const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

const notFoundIn = (store: string) => (run: string) =>
  Effect.fail(
    new ArchiveRunNotFound({
      run,
      message: `The store ${store} has no run ${run}. Check that it is the right store: speech archive status --store STORE, or runs of Archive, names the runs of a store.`
    })
  )

/** The parts of statements, as this dialect writes them. */
const fragmentsOf = (sql: SqlClient.SqlClient, onDialect: <A, B>(postgres: A, libsql: B) => A | B) => {
  /** Bytes are read as hexadecimal digits: libSQL's buffers cost more to collect than the rest of a claim. */
  const identity = sql.literal(
    onDialect(
      "replace(call_id::text, '-', '') AS call_id, encode(content, 'hex') AS content",
      "lower(hex(call_id)) AS call_id, nullif(lower(hex(content)), '') AS content"
    )
  )
  const claimColumns = sql`seq, attempts, size, modified, path, line, ${identity}`

  /** What a call without an answer may have cost stays reserved while its file is held. */
  const spent = sql.literal(
    `CASE WHEN reserved IS NULL OR state NOT IN (${codeOf("held")}, ${codeOf("held") + hiding}) THEN credits ELSE coalesce(credits, 0) + reserved END`
  )

  return {
    /** Bytes from hexadecimal digits. */
    bytesOf: (hex: string | null) => onDialect(sql`decode(${hex}, 'hex')`, sql`unhex(${hex})`),
    numberOf: (run: string) => sql`(SELECT number FROM archive_runs WHERE id = ${run})`,
    isIn: (...states: ReadonlyArray<FileState>) => sql.in("state", states.map(codeOf)),
    /** The file is in a state in which this can happen to it. */
    mayBe: (event: FileEvent) => sql.in("state", statesBefore(event).map(codeOf)),
    /** The run is in a state in which this can happen to it. */
    runMayBe: (event: RunEvent) => sql.in("state", runStatesBefore(event)),
    identity,
    claimColumns,
    recordColumns: sql`${claimColumns}, state, ${spent} AS credits, billing, error_tag, error_message, result`,
    /** The state after a call: a file that was replaced meanwhile is hidden. */
    settledAs: (state: FileState) =>
      sql.literal(`CASE WHEN listed = 0 THEN ${codeOf(state) + hiding} ELSE ${codeOf(state)} END`),
    hide: sql.literal(
      `listed = 0, state = CASE WHEN state = ${codeOf("started")} THEN state ELSE state + ${hiding} END`
    ),
    /** The state of a file that is listed again. */
    shown: sql.literal(
      `CASE WHEN archive_files.state >= ${hiding} THEN archive_files.state - ${hiding} ELSE archive_files.state END`
    ),
    /** What may have been billed counts as spent. */
    spendReserved: sql.literal(
      "credits = CASE WHEN reserved IS NULL THEN credits ELSE coalesce(credits, 0) + reserved END, reserved = NULL"
    )
  }
}

/**
 * What each room of the store builds its statements from. `toFailed` turns an error of the database into the store's. `folder` is that
 * of a file store, as a real path. `hasProcess` says whether a process works on the store; `undefined`: only the heartbeats say.
 */
export type Tables = Effect.Effect.Success<ReturnType<typeof make>>

export const make = (
  toFailed: (error: SqlError) => ArchiveStoreFailed,
  folder: string | undefined,
  hasProcess: () => boolean | undefined
) =>
  Effect.map(SqlClient.SqlClient, (client) => {
    const sql = client.withoutTransforms()
    const onDialect = <A, B>(postgres: A, libsql: B): A | B =>
      sql.onDialectOrElse({ pg: () => postgres, orElse: () => libsql })

    /** An effect of the store: its only error of the database is `ArchiveStoreFailed`. */
    const failing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        // A commit that fails is a defect of @effect/sql.
        Effect.catchSomeDefect((defect) => (isSqlError(defect) ? Option.some(Effect.fail(defect)) : Option.none())),
        Effect.mapError((error) => (isSqlError(error) ? toFailed(error) : (error as Exclude<E, SqlError>))),
        // A span a statement costs as much as the statement.
        Effect.withTracerEnabled(false)
      )

    const now: Effect.Effect<number, SqlError> = onDialect(
      Effect.map(sql<{ now: Int }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`, (rows) =>
        Number(rows[0]?.now)
      ),
      Clock.currentTimeMillis
    )

    /** The clock of the database, or of the one process. */
    const withNow = <A, E, R>(use: (now: Fragment) => Effect.Effect<A, E, R>) =>
      onDialect(
        use(sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint")),
        Effect.flatMap(Clock.currentTimeMillis, (millis) => use(sql`${millis}`))
      )

    /** The run's row, and the time. Locked, no other transaction changes it before the end of this one. */
    const readRun = (run: string, lock = "") =>
      withNow((at) =>
        Effect.map(
          sql<TimedRunRow>`SELECT archive_runs.*, ${at} AS at FROM archive_runs WHERE id = ${run} ${sql.literal(lock)}`,
          (rows): TimedRunRow | undefined => rows[0]
        )
      )

    const { store: name } = toFailed(new SqlError({ cause: undefined }))
    const notFound = notFoundIn(name)

    return {
      ...fragmentsOf(sql, onDialect),
      name,
      notFound,
      sql,
      onDialect,
      failing,
      hasProcess,
      /** The settings as a store in this folder keeps them. */
      encode: (settings: RunSettings): string => encodeSettings(toStored(settings, folder)),
      toRunRow: (row: RunTableRow): RunRow => {
        const { settings, ...rest } = decodeRow(row)
        return { ...rest, settings: fromStored(settings, folder) }
      },
      now,
      withNow,
      readRun,
      lockRun: (run: string) => readRun(run, onDialect("FOR UPDATE", "")),
      existingRun: (run: string) =>
        Effect.flatMap(readRun(run), (row) => (row === undefined ? notFound(run) : Effect.succeed(row))),
      /** The number of rows that a statement changed. */
      changes: (statement: { readonly raw: Effect.Effect<unknown, SqlError> }) =>
        Effect.map(statement.raw, (result) => {
          const { rowCount, rowsAffected } = result as { rowCount?: number; rowsAffected?: number }
          return rowCount ?? rowsAffected ?? 0
        }),
      /** The service answers: all machines call again as fast as they can. */
      clearSlowdown: (run: string) =>
        sql`UPDATE archive_runs SET slowness = 0, slow_until = 0, outage = NULL WHERE id = ${run} AND slowness > 0`,
      /** Suspends the run, once for all machines: the first that is refused in this epoch. */
      suspend: (run: string, epoch: number, reason: Reason) =>
        Effect.flatMap(
          now,
          (at) => sql`
            UPDATE archive_runs SET state = 'suspended', suspension = ${encodeReason(reason, at)}, updated_at = ${at}
            WHERE id = ${run} AND epoch = ${epoch} AND ${sql.in("state", runStatesBefore("suspended"))}`
        )
    }
  })
