/**
 * What became of the files that were called, and which of them are called again.
 */
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Change, settle as settled } from "../model/policy.js"
import type { Done, Settlement, StoreService } from "./Store.js"
import {
  codeOf,
  encodeReason,
  type FileTableRow,
  hiding,
  type Int,
  type Tables,
  type TimedRunRow,
  toFileRecord,
  toRunFacts,
  withoutNul
} from "./tables.js"

interface StruckFile {
  readonly seq: Int
  readonly strikes: Int | null
  readonly reserved: Int | null
  readonly billing: string | null
}

export const make = ({
  changes,
  failing,
  isIn,
  lockRun,
  mayBe,
  numberOf,
  recordColumns,
  settledAs,
  spendReserved,
  sql,
  suspend
}: Tables): Pick<StoreService, "settle" | "sameContent" | "retry"> => {
  const recorded = ({ billing, credits, result }: Done) => sql`
    state = ${settledAs("done")}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL, reserved = NULL,
    billing = ${billing}, credits = coalesce(credits, 0) + ${Math.ceil(credits)}, warnings = ${warningsOf(result)},
    result = ${JSON.stringify(result ?? null)}`

  /** The service answers: all machines call again as fast as they can. */
  const clearSlowdown = (run: string) =>
    sql`UPDATE archive_runs SET slowness = 0, slow_until = 0, outage = NULL WHERE id = ${run} AND slowness > 0`

  /** An answer of a run without a limit of credits, and of a service that is not taken for down: one statement. */
  const settleAnswer = (run: string, mine: Fragment, settlement: Done) =>
    Effect.gen(function* () {
      const [file] = yield* sql<{ slowness: Int }>`
        UPDATE archive_files SET ${recorded(settlement)}
        WHERE ${mine} AND run = (SELECT number FROM archive_runs WHERE id = ${run} AND guarded < 2)
        RETURNING (SELECT slowness FROM archive_runs WHERE number = run) AS slowness`
      if (file === undefined) return false
      if (Number(file.slowness) > 0) yield* clearSlowdown(run)
      return true
    })

  /** Settles a file together with the counters and the state of its run. The run's row is locked first, as in a claim. */
  const settleCarefully = (run: string, epoch: number, mine: Fragment, settlement: Settlement) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const row = yield* lockRun(run)
        const [file] = yield* sql<StruckFile>`SELECT seq, reserved, strikes, billing FROM archive_files WHERE ${mine}`
        if (row === undefined || file === undefined) return false
        const facts = {
          strikes: Number(file.strikes ?? 0),
          reserved: Number(file.reserved ?? 0),
          mayBeBilled: file.billing === "unknown"
        }
        const asksForOthers = "begunAt" in settlement
        const others = asksForOthers && (yield* hasFewerStrikes(row, file, facts.strikes))
        const change = settled(toRunFacts(row), facts, settlement, others)
        yield* settlement._tag === "Done"
          ? sql`UPDATE archive_files SET ${recorded(settlement)} WHERE ${mine}`
          : changeFile(mine, change)
        yield* changeRun(row, epoch, change)
        return true
      })
    )

  const changeFile = (mine: Fragment, { file }: Change) => sql`
    UPDATE archive_files SET state = ${settledAs(file.to)}, machine = NULL, reserved = NULL,
      attempts = attempts - ${file.uncounted ? 1 : 0},
      strikes = ${file.strikes === 0 ? null : file.strikes},
      error_tag = ${file.error?.tag ?? null},
      error_message = ${file.error === undefined ? null : withoutNul(file.error.message)},
      billing = ${file.billing === undefined ? sql`billing` : file.billing},
      credits = ${file.spent === 0 ? sql`credits` : sql`coalesce(credits, 0) + ${file.spent}`}
    WHERE ${mine} AND ${mayBe(file.event)}`

  const changeRun = ({ guarded, id, number }: TimedRunRow, epoch: number, { run }: Change) =>
    Effect.gen(function* () {
      const { begun, credits, service, suspension } = run
      if (Number(guarded) > 0 && (begun !== 0 || credits !== 0)) {
        yield* sql`
          UPDATE archive_runs SET begun = begun + ${begun}, credits = credits + ${credits} WHERE number = ${Number(number)}`
      }
      if (service === "answers") yield* clearSlowdown(id)
      else if (service !== undefined) {
        yield* sql`
          UPDATE archive_runs SET slowness = ${service.slowness}, slowed_at = ${service.slowedAt},
            slow_until = ${service.slowUntil}, outage = ${encodeReason(service.outage, service.slowedAt)}
          WHERE number = ${Number(number)}`
      }
      if (suspension !== undefined) yield* suspend(id, epoch, suspension)
    })

  /** No file has fewer than none, so a file without strikes needs no look at a million others. */
  const hasFewerStrikes = (row: TimedRunRow, { seq }: StruckFile, strikes: number) =>
    strikes === 0
      ? Effect.succeed(false)
      : Effect.map(
          sql`
            SELECT seq FROM archive_files
            WHERE run = ${Number(row.number)} AND ${isIn("pending", "started")} AND seq <> ${Number(seq)}
              AND coalesce(strikes, 0) < ${strikes} LIMIT 1`,
          (others) => others.length > 0
        )

  return {
    settle: (run, epoch, seq, machine, settlement) => {
      const mine = sql`run = ${numberOf(run)} AND seq = ${seq} AND machine = ${machine} AND ${mayBe("answered")}`
      const carefully = settleCarefully(run, epoch, mine, settlement)
      return failing(
        settlement._tag === "Done"
          ? Effect.flatMap(settleAnswer(run, mine, settlement), (done) => (done ? Effect.succeed(true) : carefully))
          : carefully
      )
    },

    sameContent: (run, content) =>
      failing(
        Effect.map(
          sql<FileTableRow>`
            SELECT ${recordColumns} FROM archive_files
            WHERE run = ${numberOf(run)} AND content = ${Buffer.from(content, "hex")} AND line IS NULL
              AND state IN (${codeOf("done")}, ${codeOf("done") + hiding}) ORDER BY seq LIMIT 1`,
          ([row]) => Option.map(Option.fromNullable(row), toFileRecord)
        )
      ),

    retry: (run, only) => {
      const wanted =
        only === undefined ? sql`state = ${codeOf("failed")}` : sql`${mayBe("retried")} AND error_tag = ${only}`
      return failing(
        changes(sql`
          UPDATE archive_files SET state = ${codeOf("pending")}, machine = NULL, strikes = NULL, error_tag = NULL,
            error_message = NULL, ${spendReserved}
          WHERE run = ${numberOf(run)} AND ${wanted}`)
      )
    }
  }
}

/** The tags of the warnings of a result, as the table has them. */
const warningsOf = (result: unknown): string | null =>
  Option.match(decodeWarned(result), {
    onNone: () => null,
    onSome: ({ warnings }) => (warnings.length === 0 ? null : warnings.join(","))
  })
const decodeWarned = Schema.decodeUnknownOption(Schema.Struct({ warnings: Schema.Array(Schema.String) }))
