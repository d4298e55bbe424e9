/**
 * What became of the files that were called, and which of them are called again.
 */
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Change, endsProbe, settle as settled } from "../model/policy.js"
import type { Done, Settlement, StoreService } from "./Store.js"
import {
  codeOf,
  codeOfGuard,
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
  readonly credits: Int | null
  readonly attempts: Int
}

export const make = ({
  bytesOf,
  changes,
  failing,
  isIn,
  lockRun,
  mayBe,
  numberOf,
  onDialect,
  recordColumns,
  settledAs,
  spendReserved,
  sql,
  suspend
}: Tables): Pick<StoreService, "settle" | "settleAnswers" | "sameContent" | "retry"> => {
  const recorded = ({ billing, notReached, output, result }: Done, spent: number) => sql`
    attempts = attempts - ${notReached === true ? 1 : 0},
    state = ${settledAs("done")}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL, reserved = NULL,
    billing = ${billing}, credits = coalesce(credits, 0) + ${spent}, warnings = ${warningsOf(result)},
    result = ${JSON.stringify(result ?? null)}, output_size = ${output?.size ?? null},
    output_digest = ${bytesOf(output?.digest ?? null)}`

  const isDone = sql`state IN (${codeOf("done")}, ${codeOf("done") + hiding})`

  /** The service answers: all machines call again as fast as they can. */
  const clearSlowdown = (run: string) =>
    sql`UPDATE archive_runs SET slowness = 0, slow_until = 0, outage = NULL WHERE id = ${run} AND slowness > 0`

  /** Answers of runs without a limit of credits, and of a service that is not taken for down. The rest is counted one by one. */
  const settleAnswers: StoreService["settleAnswers"] = (run, machine, answers) =>
    Effect.gen(function* () {
      const plain = answers.filter(({ answer }) => (answer.keptCredits ?? 0) === 0 && answer.notReached !== true)
      if (plain.length === 0) return []
      const list = JSON.stringify(
        plain.map(({ answer: { billing, credits, output, result }, seq }) => [
          seq,
          billing,
          Math.ceil(credits),
          warningsOf(result),
          JSON.stringify(result ?? null),
          output?.size ?? null,
          output?.digest ?? null
        ])
      )
      const given = onDialect(
        sql`SELECT (i ->> 0)::int AS number, i ->> 1 AS billed, (i ->> 2)::bigint AS cost, i ->> 3 AS warned, i ->> 4 AS answer,
            (i ->> 5)::bigint AS written, decode(i ->> 6, 'hex') AS digest FROM json_array_elements(${list}::json) AS a (i)`,
        sql`SELECT value ->> 0 AS number, value ->> 1 AS billed, value ->> 2 AS cost, value ->> 3 AS warned, value ->> 4 AS answer,
            value ->> 5 AS written, unhex(value ->> 6) AS digest FROM json_each(${list})`
      )
      const files = yield* sql<{ seq: Int; slowness: Int }>`
        UPDATE archive_files SET
          state = ${settledAs("done")}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL, reserved = NULL,
          billing = g.billed, credits = coalesce(credits, 0) + g.cost, warnings = g.warned, result = g.answer,
          output_size = g.written, output_digest = g.digest
        FROM (${given}) AS g
        WHERE seq = g.number AND machine = ${machine} AND ${mayBe("answered")}
          AND run = (SELECT r.number FROM archive_runs r WHERE r.id = ${run} AND r.guarded < ${codeOfGuard("credits")} AND r.probe = 0)
        RETURNING seq, (SELECT r.slowness FROM archive_runs r WHERE r.number = run) AS slowness`
      if (files.some(({ slowness }) => Number(slowness) > 0)) yield* clearSlowdown(run)
      return files.map(({ seq }) => Number(seq))
    }).pipe(failing)

  /** Settles a file together with the counters and the state of its run. The run's row is locked first, as in a claim. */
  const settleCarefully = (run: string, epoch: number, mine: Fragment, settlement: Settlement) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const row = yield* lockRun(run)
        const [file] =
          yield* sql<StruckFile>`SELECT seq, reserved, strikes, billing, credits, attempts FROM archive_files WHERE ${mine}`
        if (row === undefined || file === undefined) return false
        const facts = {
          strikes: Number(file.strikes ?? 0),
          reserved: Number(file.reserved ?? 0),
          spent: Number(file.credits ?? 0),
          mayBeBilled: file.billing === "unknown",
          isFirstCall: Number(file.attempts) === 1
        }
        const asksForOthers = "begunAt" in settlement
        const others = asksForOthers && (yield* hasFewerStrikes(row, file, facts.strikes))
        const equalFailures =
          "concernsRun" in settlement && settlement.concernsRun === true
            ? yield* countEqual(row, file, settlement.error.tag)
            : 0
        const change = settled({ ...toRunFacts(row), equalFailures }, facts, settlement, others)
        yield* settlement._tag === "Done"
          ? sql`UPDATE archive_files SET ${recorded(settlement, change.file.spent)} WHERE ${mine}`
          : changeFile(mine, change)
        yield* changeRun(row, epoch, change)
        if (endsProbe(settlement)) yield* sql`UPDATE archive_runs SET probe = 0 WHERE id = ${run} AND probe = 1`
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

  /** By the order of the run, which is nearly that of the calls. Looks at a hundred files at most. */
  const countEqual = (row: TimedRunRow, { seq }: StruckFile, tag: string) =>
    Effect.gen(function* () {
      const ofRun = sql`run = ${Number(row.number)}`
      const left = yield* sql`SELECT seq FROM archive_files WHERE ${ofRun} AND ${isIn("pending")} LIMIT 1`
      if (left.length === 0) return 0
      const [lastDone] = yield* sql<{ seq: Int }>`
        SELECT seq FROM archive_files WHERE ${ofRun} AND ${isIn("done")} ORDER BY seq DESC LIMIT 1`
      const after = Number(lastDone?.seq ?? 0)
      if (after > Number(seq)) return 0
      const [equal] = yield* sql<{ count: Int }>`
        SELECT count(*) AS count FROM (
          SELECT error_tag FROM archive_files WHERE ${ofRun} AND ${isIn("failed", "held")} AND seq > ${after} ORDER BY seq DESC LIMIT 100
        ) AS f WHERE error_tag = ${tag}`
      return Number(equal?.count)
    })

  return {
    settle: (run, epoch, seq, machine, settlement) => {
      const mine = sql`run = ${numberOf(run)} AND seq = ${seq} AND machine = ${machine} AND ${mayBe("answered")}`
      const carefully = failing(settleCarefully(run, epoch, mine, settlement))
      return settlement._tag === "Done"
        ? Effect.flatMap(settleAnswers(run, machine, [{ seq, answer: settlement }]), (recorded) =>
            recorded.length > 0 ? Effect.succeed(true) : carefully
          )
        : carefully
    },

    settleAnswers,

    sameContent: (run, content) =>
      failing(
        Effect.map(
          sql<FileTableRow>`
            SELECT ${recordColumns} FROM archive_files
            WHERE run = ${numberOf(run)} AND content = ${Buffer.from(content, "hex")} AND line IS NULL
              AND (${isDone} OR state IN (${codeOf("held")}, ${codeOf("held") + hiding}))
            ORDER BY CASE WHEN ${isDone} THEN 0 ELSE 1 END, seq LIMIT 1`,
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
