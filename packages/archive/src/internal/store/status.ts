/**
 * How far a run is, and what became of its files.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Counts, type FileState } from "../../Run.js"
import { runStatusOf } from "../model/runStatus.js"
import { deadAfterMillis } from "./machines.js"
import type { StoreService } from "./Store.js"
import {
  codeOf,
  decodeSuspension,
  type FileTableRow,
  hiding,
  type Int,
  paged,
  stateOf,
  type Tables,
  toStoredFile
} from "./tables.js"

export const make = ({
  existingRun,
  failing,
  hasProcess,
  isIn,
  numberOf,
  recordColumns,
  sql,
  toRunRow
}: Tables): Pick<StoreService, "status" | "files"> => {
  return {
    status: (run) =>
      failing(
        Effect.gen(function* () {
          const row = yield* existingRun(run)
          const number = Number(row.number)
          const states = yield* sql<{ state: Int; count: Int; credits: Int | null }>`
              SELECT state, count(*) AS count, sum(credits) AS credits FROM archive_files WHERE run = ${number} GROUP BY state`
          const tags = yield* sql<{ state: Int; tag: string | null; count: Int }>`
              SELECT state, error_tag AS tag, count(*) AS count FROM archive_files
              WHERE run = ${number} AND ${isIn("failed", "held")} GROUP BY state, error_tag ORDER BY error_tag`
          const tagsOf = (wanted: FileState) =>
            Object.fromEntries(
              tags.flatMap(({ count, state, tag }) => (stateOf(state) === wanted ? [[tag ?? "", Number(count)]] : []))
            )
          // What a call without an answer may have cost stays reserved while its file is held.
          const [held] = yield* sql<{ credits: Int | null; unknown: Int | null }>`
              SELECT sum(reserved) AS credits,
                sum(CASE WHEN billing = 'unknown' AND credits IS NULL AND reserved IS NULL THEN 1 ELSE 0 END) AS unknown
              FROM archive_files
              WHERE run = ${number} AND ${sql.in("state", [codeOf("held"), codeOf("held") + hiding])}`
          const warned = yield* sql<{ warnings: string; count: Int }>`
              SELECT warnings, count(*) AS count FROM archive_files
              WHERE run = ${number} AND warnings IS NOT NULL AND ${isIn("done")} GROUP BY warnings ORDER BY warnings`
          // A process that has ended leaves its heartbeat behind, but not its lock. One that is suspended, as with its computer, has it.
          const works = hasProcess()
          const heartbeats = works ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
          const aliveAfter = works === undefined ? Number(row.at) - deadAfterMillis : heartbeats
          const [machines] = yield* sql<{ count: Int | null; last: Int | null }>`
              SELECT sum(CASE WHEN seen_at > ${aliveAfter} THEN 1 ELSE 0 END) AS count,
                max(seen_at) AS last FROM archive_machines`
          const [abandoned] = yield* sql<{ count: Int; credits: Int | null; unknown: Int | null }>`
              SELECT count(*) AS count, sum(reserved) AS credits, sum(CASE WHEN reserved IS NULL THEN 1 ELSE 0 END) AS unknown
              FROM archive_files
              WHERE run = ${number} AND ${isIn("started")}
                AND machine NOT IN (SELECT id FROM archive_machines WHERE seen_at > ${aliveAfter})`
          const countOf = (wanted: FileState) =>
            Number(states.find(({ state }) => Number(state) === codeOf(wanted))?.count ?? 0)
          const { id, state, settings, limits, suspension } = toRunRow(row)
          return runStatusOf({
            id,
            state,
            settings,
            limits,
            ...(suspension !== undefined && { suspension }),
            counts: new Counts({
              pending: countOf("pending"),
              started: countOf("started"),
              done: countOf("done"),
              failed: countOf("failed"),
              held: countOf("held")
            }),
            failures: tagsOf("failed"),
            holds: tagsOf("held"),
            warnings: warningsIn(warned),
            credits:
              states.reduce((sum, { credits }) => sum + Number(credits ?? 0), Number(held?.credits ?? 0)) +
              Number(abandoned?.credits ?? 0),
            unknownCosts: Number(held?.unknown ?? 0) + Number(abandoned?.unknown ?? 0),
            abandoned: Number(abandoned?.count ?? 0),
            resultsDue: Number(row.results_due) === 1,
            machines: Number(machines?.count ?? 0),
            ...(typeof machines?.last !== "object" && { heartbeatAt: DateTime.unsafeMake(Number(machines?.last)) }),
            ...(Number(row.slowness) > 0 && {
              slowedUntil: DateTime.unsafeMake(Number(row.slow_until)),
              ...(row.outage !== null && { outage: decodeSuspension(row.outage) })
            }),
            createdAt: DateTime.unsafeMake(Number(row.created_at)),
            updatedAt: DateTime.unsafeMake(Number(row.updated_at))
          })
        })
      ),

    files: (run, states) =>
      paged(
        (after, limit) =>
          failing(sql<FileTableRow>`
            SELECT ${recordColumns} FROM archive_files
            WHERE run = ${numberOf(run)} AND seq > ${after} AND listed > 0
              ${states === undefined ? sql`` : sql`AND ${isIn(...states)}`}
            ORDER BY seq LIMIT ${limit}`),
        toStoredFile
      )
  }
}

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
