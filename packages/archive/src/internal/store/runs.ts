/**
 * The rows of the runs: settings, state and limits.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Limits, RunId } from "../../Run.js"
import { idVersion } from "../model/identity.js"
import { needsProbe } from "../model/limits.js"
import { limitsAfter, settingsAfter } from "../model/request.js"
import { statesBefore } from "../model/states.js"
import { conflictOf } from "../service/conflict.js"
import type { StoreService } from "./Store.js"
import {
  codeOf,
  codeOfGuard,
  encodeLimits,
  guardOf,
  hiding,
  type Int,
  type RunTableRow,
  type Tables
} from "./tables.js"

/** Of a file that an earlier process would have called again. */
const withheld = {
  tag: "AnswerUnknown",
  message:
    "An earlier call of this file may have been answered and billed, and has no result. The run repeated such calls, and holds them now. To call again, retry the files of this tag."
}

/** What starting a run again changes besides its row. */
const startingOf = ({ sql, toRunRow }: Tables) => {
  /** The counters are only kept while there is a limit, so they are made here. */
  const writeLimits = (row: RunTableRow, limits: Limits) => {
    const guard = guardOf(limits, toRunRow(row).settings)
    const files = sql`FROM archive_files WHERE run = ${Number(row.number)}`
    const counters =
      guard === "none"
        ? sql``
        : sql`, begun = (SELECT count(*) ${files} AND attempts > 0),
            credits = (SELECT coalesce(sum(coalesce(credits, 0) + coalesce(reserved, 0)), 0) ${files})`
    return sql`
      UPDATE archive_runs SET limits = ${encodeLimits(limits)}, guarded = ${codeOfGuard(guard)},
        next_call_at = 0 ${counters}
      WHERE id = ${row.id}`
  }

  /** Files that may have been billed, hidden ones too, are held from now on. */
  const withhold = ({ number }: RunTableRow) => {
    const pending = statesBefore("withheld").map(codeOf)
    return sql`
      UPDATE archive_files SET state = state + ${codeOf("held") - codeOf("pending")},
        error_tag = ${withheld.tag}, error_message = ${withheld.message}
      WHERE run = ${Number(number)} AND billing = 'unknown'
        AND ${sql.in("state", [...pending, ...pending.map((code) => code + hiding)])}`
  }

  return { withhold, writeLimits }
}

export const make = (
  tables: Tables
): Pick<
  StoreService,
  "createRun" | "run" | "runs" | "running" | "begin" | "changeState" | "endIfComplete" | "changeLimits"
> => {
  const { withhold, writeLimits } = startingOf(tables)
  const { encode, existingRun, failing, lockRun, notFound, now, runMayBe, sql, toRunRow, withNow } = tables
  const changed = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
    Effect.map(statement, (rows) => rows.length > 0)

  return {
    createRun: (id, requested, limits) =>
      failing(
        sql.withTransaction(
          Effect.gen(function* () {
            const at = yield* now
            const created = yield* sql`
                INSERT INTO archive_runs (id, state, settings, ids, created_at, updated_at)
                VALUES (${id}, 'listing', ${encode(settingsAfter(undefined, requested))}, ${idVersion}, ${at}, ${at})
                ON CONFLICT (id) DO NOTHING RETURNING id`
            const isNew = created.length > 0
            const row = yield* lockRun(id)
            if (row === undefined) return yield* Effect.dieMessage(`The run ${id} vanished while it was created.`)
            const found = toRunRow(row)
            const settings = settingsAfter(found.settings, requested)
            const conflict = conflictOf(id, found.settings, settings)
            if (conflict !== undefined) return yield* conflict
            yield* sql`
                UPDATE archive_runs SET settings = ${encode(settings)}, updated_at = ${at},
                  state = CASE WHEN ${runMayBe("relisted")} THEN 'listing' ELSE state END
                WHERE id = ${id}`
            // What an earlier process repeated is not sent again by one that holds.
            if (found.settings.unanswered === "repeat" && settings.unanswered === "hold") yield* withhold(row)
            yield* writeLimits(row, limitsAfter(found.limits, limits))
            return isNew ? Option.none() : Option.some(found)
          })
        )
      ),

    run: (id) => failing(Effect.map(existingRun(id), toRunRow)),

    runs: failing(
      Effect.map(sql<{ id: RunId }>`SELECT id FROM archive_runs ORDER BY number DESC`, (rows) =>
        rows.map(({ id }) => id)
      )
    ),

    running: failing(
      Effect.map(sql<RunTableRow>`SELECT * FROM archive_runs WHERE state = 'running' ORDER BY number`, (rows) =>
        rows.map(toRunRow)
      )
    ),

    begin: (run, event) =>
      failing(
        sql.withTransaction(
          Effect.gen(function* () {
            const row = yield* lockRun(run)
            if (row === undefined) return yield* notFound(run)
            const probe = Number(row.probe) === 1 || needsProbe(toRunRow(row).suspension)
            const [begun] = yield* sql<{ epoch: Int }>`
                UPDATE archive_runs SET state = 'running', epoch = epoch + 1, suspension = NULL, probe = ${probe ? 1 : 0},
                  slowness = 0, slow_until = 0, outage = NULL, results_due = 1, updated_at = ${Number(row.at)}
                WHERE id = ${run} AND ${runMayBe(event)} RETURNING epoch`
            return begun === undefined ? undefined : Number(begun.epoch)
          })
        )
      ),

    changeState: (run, event, to) =>
      failing(
        withNow((at) =>
          changed(sql`
            UPDATE archive_runs SET state = ${to}, updated_at = ${at}
            WHERE id = ${run} AND ${runMayBe(event)} RETURNING id`)
        )
      ),

    endIfComplete: (run, epoch) =>
      failing(
        withNow((at) =>
          changed(sql`
            UPDATE archive_runs SET state = 'ended', updated_at = ${at}
            WHERE id = ${run} AND epoch = ${epoch} AND ${runMayBe("ended")}
              AND NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.run = number AND f.state = ${codeOf("pending")})
              AND NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.run = number AND f.state = ${codeOf("started")})
            RETURNING id`)
        )
      ),

    changeLimits: (run, limits) =>
      failing(
        sql.withTransaction(
          Effect.flatMap(lockRun(run), (row) =>
            row === undefined ? Effect.void : Effect.asVoid(writeLimits(row, limitsAfter(toRunRow(row).limits, limits)))
          )
        )
      )
  }
}
