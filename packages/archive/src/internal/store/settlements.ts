/**
 * What became of a file that was called, with the counters and the state of its run.
 */
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { needsProbe } from "../model/limits.js"
import { type Change, endsProbe, settle as settled } from "../model/policy.js"
import * as Answers from "./answers.js"
import type { Done, Settlement, StoreService } from "./Store.js"
import { encodeReason, type Int, stateOf, type Tables, type TimedRunRow, toRunFacts, withoutNul } from "./tables.js"

interface StruckFile {
  readonly seq: Int
  readonly state: Int
  readonly strikes: Int | null
  readonly reserved: Int | null
  readonly billing: string | null
  readonly credits: Int | null
  readonly attempts: Int
}

export const make = (tables: Tables): Pick<StoreService, "settle"> => {
  const { failing, lockRun, mayBe, numberOf, settleAnswers, sql } = { ...tables, ...Answers.make(tables) }
  const { countEqual, hasFewerStrikes } = factsOn(tables)
  const { changeFile, changeRun, recordDone } = changesOn(tables)

  /** Settles a file together with the counters and the state of its run. The run's row is locked first, as in a claim. */
  const settleCarefully = (run: string, epoch: number, mine: Fragment, settlement: Settlement) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const row = yield* lockRun(run)
        const [file] =
          yield* sql<StruckFile>`SELECT seq, state, reserved, strikes, billing, credits, attempts FROM archive_files WHERE ${mine}`
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
        yield* settlement._tag === "Done" ? recordDone(mine, settlement, change.file.spent) : changeFile(mine, change)
        yield* changeRun(row, epoch, change)
        // It is in the results of a run that has stopped.
        if (stateOf(file.state) === "held") {
          yield* sql`UPDATE archive_runs SET results_due = 1 WHERE id = ${run} AND state <> 'running'`
        }
        if (endsProbe(settlement)) yield* sql`UPDATE archive_runs SET probe = 0 WHERE id = ${run} AND probe = 1`
        return true
      })
    )

  return {
    settle: (run, epoch, seq, machine, settlement) => {
      const mine = sql`run = ${numberOf(run)} AND seq = ${seq} AND machine = ${machine} AND ${mayBe("answered")}`
      const carefully = failing(settleCarefully(run, epoch, mine, settlement))
      return settlement._tag === "Done"
        ? Effect.flatMap(settleAnswers(run, machine, [{ seq, answer: settlement }]), (recorded) =>
            recorded.length > 0 ? Effect.succeed(true) : carefully
          )
        : carefully
    }
  }
}

/** What a settlement changes in the tables. */
const changesOn = ({ bytesOf, clearSlowdown, mayBe, settledAs, sql, suspend }: Tables) => {
  const recordDone = (mine: Fragment, { billing, notReached, output, result }: Done, spent: number) => sql`
    UPDATE archive_files SET attempts = attempts - ${notReached === true ? 1 : 0},
    state = ${settledAs("done")}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL, reserved = NULL,
    billing = ${billing}, credits = coalesce(credits, 0) + ${spent}, warnings = ${Answers.warningsOf(result)},
    result = ${JSON.stringify(result ?? null)}, output_size = ${output?.size ?? null},
    output_digest = ${bytesOf(output?.digest ?? null)}
    WHERE ${mine}`

  const changeFile = (mine: Fragment, { file }: Change) => sql`
    UPDATE archive_files SET state = ${settledAs(file.to)}, machine = NULL, reserved = NULL,
      attempts = attempts - ${file.uncounted ? 1 : 0},
      strikes = ${file.strikes === 0 ? null : file.strikes},
      error_tag = ${file.error?.tag ?? null},
      error_message = ${file.error === undefined ? null : withoutNul(file.error.message)},
      billing = ${file.billing === undefined ? sql`billing` : file.billing},
      credits = ${file.spent === 0 ? sql`credits` : sql`coalesce(credits, 0) + ${file.spent}`}
    WHERE ${mine} AND ${mayBe(file.event)}`

  const changeRun = ({ epoch: resumed, guarded, id, number }: TimedRunRow, epoch: number, { run }: Change) =>
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
      if (suspension === undefined) return
      yield* suspend(id, epoch, suspension)
      // Somebody has resumed the run since the call began, such as after a top-up: one call says whether that helped.
      if (Number(resumed) !== epoch && needsProbe(suspension)) {
        yield* sql`UPDATE archive_runs SET probe = 1 WHERE id = ${id} AND state = 'running'`
      }
    })

  return { recordDone, changeFile, changeRun }
}

/** What a decision about a settlement asks for besides the rows of the file and its run. */
const factsOn = ({ isIn, sql }: Tables) => {
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

  return { hasFewerStrikes, countEqual }
}
