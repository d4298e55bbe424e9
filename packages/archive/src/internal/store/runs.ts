/**
 * The rows of the runs: settings, state and limits.
 */
import * as Effect from "effect/Effect"
import type { Limits } from "../../Run.js"
import { conflictOf } from "../conflict.js"
import { needsProbe } from "../model/policy.js"
import type { StoreService } from "./Store.js"
import {
  codeOf,
  encodeLimits,
  encodeSettings,
  guardOf,
  notFound,
  type RunTableRow,
  type Tables,
  toRunRow
} from "./tables.js"

export const make = ({
  existingRun,
  failing,
  lockRun,
  now,
  sql,
  withNow
}: Tables): Pick<
  StoreService,
  "createRun" | "run" | "runs" | "running" | "begin" | "endProbe" | "changeState" | "endIfComplete" | "setLimits"
> => {
  /** The counters are only kept while there is a limit, so they are made here. */
  const writeLimits = (row: RunTableRow, limits: Limits) => {
    const files = sql`FROM archive_files WHERE run = ${Number(row.number)}`
    const counters =
      guardOf(limits) === 0
        ? sql``
        : sql`, begun = (SELECT coalesce(sum(attempts), 0) ${files}),
            credits = (SELECT coalesce(sum(coalesce(credits, 0) + coalesce(reserved, 0)), 0) ${files})`
    return sql`
      UPDATE archive_runs SET limits = ${encodeLimits(limits)}, guarded = ${guardOf(limits)},
        next_call_at = 0 ${counters}
      WHERE id = ${row.id}`
  }

  return {
    createRun: (id, settings, limits) =>
      failing(
        sql.withTransaction(
          Effect.gen(function* () {
            const at = yield* now
            yield* sql`
                INSERT INTO archive_runs (id, state, settings, created_at, updated_at)
                VALUES (${id}, 'listing', ${encodeSettings(settings)}, ${at}, ${at})
                ON CONFLICT (id) DO NOTHING`
            const row = yield* lockRun(id)
            if (row === undefined) return yield* Effect.dieMessage(`The run ${id} vanished while it was created.`)
            const found = toRunRow(row)
            const conflict = conflictOf(id, found.settings, settings)
            if (conflict !== undefined) return yield* conflict
            yield* sql`
                UPDATE archive_runs SET settings = ${encodeSettings(settings)}, updated_at = ${at}
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

    begin: (run) =>
      failing(
        sql.withTransaction(
          Effect.gen(function* () {
            const row = yield* lockRun(run)
            if (row === undefined) return yield* notFound(run)
            const { epoch, suspension } = toRunRow(row)
            const probe = needsProbe(suspension)
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
                  AND NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.run = number AND f.state = ${codeOf("pending")})
                  AND NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.run = number AND f.state = ${codeOf("started")})
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
      )
  }
}
