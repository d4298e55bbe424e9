/**
 * Which files are left, and which machine has one.
 */
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { FileState } from "../../Run.js"
import { admit, callInterval, nextCallAt, type RunFacts } from "../model/policy.js"
import { alive } from "./machines.js"
import type { Claim, StoreService } from "./Store.js"
import { codeOf, type FileTableRow, type Int, type Tables, toClaimedFile, toRunFacts, toRunRow } from "./tables.js"

const answerUnknown = {
  tag: "AnswerUnknown",
  message:
    "The process that called the service for this file ended before it recorded an answer. The call may have been answered and billed. To call again, retry the files of this tag."
}

const maxWaitMillis = 2_000

const stopped: Claim = { _tag: "Stopped" }
const notPending: Claim = { _tag: "NotPending" }
/** Calls under way decide whether the limit is reached. */
const limitReached: Claim = { _tag: "Wait", millis: 500 }

export const make = ({
  claimColumns,
  failing,
  lockRun,
  mayBe,
  numberOf,
  readRun,
  settledAs,
  sql,
  spendReserved,
  suspend,
  withNow
}: Tables): Pick<StoreService, "batches" | "pendingOf" | "lastPending" | "takeOver" | "claim"> => {
  const firstOf = (run: string, state: FileState, after: number, count: number) => sql`
    SELECT seq FROM archive_files
    WHERE run = ${numberOf(run)} AND state = ${codeOf(state)} AND seq > ${after} ORDER BY seq LIMIT ${count}`

  const take = (number: Fragment, seq: number, machine: string, reserved: number | null) => sql<FileTableRow>`
    UPDATE archive_files SET state = ${codeOf("started")}, machine = ${machine}, attempts = attempts + 1, reserved = ${reserved}
    WHERE run = ${number} AND seq = ${seq} AND ${mayBe("claimed")}
    RETURNING ${claimColumns}`

  /** By run: when the last caller of this process that waits asks again, so that they do not all ask at once. */
  const nextClaimAt = new Map<string, number>()

  /** How long the service or the rate holds calls back. A caller asks again at least every two seconds: the run may stop. */
  const wait = (run: string, facts: RunFacts): Claim => {
    const at = Math.max(nextCallAt(facts), (nextClaimAt.get(run) ?? 0) + callInterval(facts))
    if (at - facts.now > maxWaitMillis) return { _tag: "Wait", millis: maxWaitMillis }
    nextClaimAt.set(run, at)
    return { _tag: "Wait", millis: Math.max(1, Math.ceil(at - facts.now)) }
  }

  /** A claim where the run has limits, or the service is down, or there is nothing to claim. */
  const claimCarefully = (run: string, epoch: number, seq: number, machine: string, cost: number | undefined) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const row = yield* lockRun(run)
        if (row === undefined || row.state !== "running" || Number(row.epoch) !== epoch) return stopped
        const number = sql`${Number(row.number)}`
        const facts = toRunFacts(row)
        const admission = admit(facts, cost)
        if (admission._tag === "Early") return wait(run, facts)
        if (admission._tag === "CostNeeded") {
          const [file] = yield* sql<FileTableRow>`
            SELECT ${claimColumns} FROM archive_files WHERE run = ${number} AND seq = ${seq} AND ${mayBe("claimed")}`
          return file === undefined ? notPending : ({ _tag: "CostNeeded", file: toClaimedFile(run, file) } as const)
        }
        if (admission._tag === "Limited") {
          // A call under way counts only if it reaches the service.
          const underWay = yield* sql`
            SELECT seq FROM archive_files WHERE run = ${number} AND state = ${codeOf("started")} LIMIT 1`
          if (underWay.length > 0) return limitReached
          yield* suspend(run, epoch, admission.reason)
          return stopped
        }
        const credits = facts.limits.maxCredits === undefined ? undefined : cost
        if (credits !== undefined) {
          // A call that began before the limit was set may cost anything.
          const unreserved = yield* sql`
            SELECT seq FROM archive_files
            WHERE run = ${number} AND state = ${codeOf("started")} AND reserved IS NULL LIMIT 1`
          if (unreserved.length > 0) return limitReached
        }
        const [claimed] = yield* take(number, seq, machine, credits ?? null)
        if (claimed === undefined) return notPending
        yield* sql`
          UPDATE archive_runs SET begun = begun + 1, credits = credits + ${credits ?? 0},
            next_call_at = ${admission.nextCallAt}, slow_until = ${admission.slowUntil}
          WHERE id = ${run}`
        return { _tag: "Claimed", file: toClaimedFile(run, claimed) } as const
      })
    )

  return {
    batches: (run, after, count, size) =>
      failing(
        Effect.map(
          sql<{ from: Int; to: Int }>`
              SELECT min(seq) AS "from", max(seq) AS "to" FROM (
                SELECT seq, (row_number() OVER (ORDER BY seq) - 1) / ${size} AS batch FROM (
                  SELECT seq FROM (${firstOf(run, "pending", after, count * size)}) AS p
                  UNION ALL
                  SELECT seq FROM (${firstOf(run, "started", after, count * size)}) AS s
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
              WHERE run = ${numberOf(run)} AND state = ${codeOf("pending")} AND seq BETWEEN ${from} AND ${to} ORDER BY seq`,
          (rows) => rows.map(({ seq }) => Number(seq))
        )
      ),

    lastPending: (run, count) =>
      failing(
        Effect.map(
          sql<{ seq: Int }>`
              SELECT seq FROM archive_files
              WHERE run = ${numberOf(run)} AND state = ${codeOf("pending")} ORDER BY seq DESC LIMIT ${count}`,
          (rows) => rows.map(({ seq }) => Number(seq))
        )
      ),

    takeOver: (run, { from, to }) =>
      failing(
        Effect.gen(function* () {
          const startedFiles = sql`run = ${numberOf(run)} AND ${mayBe("abandoned")} AND seq BETWEEN ${from} AND ${to}`
          const some = yield* sql`SELECT seq FROM archive_files WHERE ${startedFiles} LIMIT 1`
          if (some.length === 0) return 0
          const row = yield* readRun(run)
          if (row === undefined) return 0
          const repeat = toRunRow(row).settings.unanswered === "repeat"
          yield* withNow((at) => {
            const abandoned = sql`${startedFiles} AND machine NOT IN (${alive(sql, at)})`
            // What may have been billed stays reserved while the file is held, and counts as spent if it is called again.
            return repeat
              ? sql`UPDATE archive_files SET state = ${settledAs("pending")}, machine = NULL, billing = 'unknown', ${spendReserved} WHERE ${abandoned}`
              : sql`UPDATE archive_files SET state = ${settledAs("held")}, billing = 'unknown', error_tag = ${answerUnknown.tag}, error_message = ${answerUnknown.message} WHERE ${abandoned}`
          })
          const left = yield* sql<{ count: Int }>`SELECT count(*) AS count FROM archive_files WHERE ${startedFiles}`
          return Number(left[0]?.count)
        })
      ),

    claim: (run, epoch, seq, machine, cost) =>
      failing(
        Effect.gen(function* () {
          const [free] = yield* take(
            sql`(SELECT number FROM archive_runs WHERE id = ${run} AND epoch = ${epoch} AND state = 'running' AND guarded = 0 AND slowness = 0)`,
            seq,
            machine,
            null
          )
          return free === undefined
            ? yield* claimCarefully(run, epoch, seq, machine, cost)
            : { _tag: "Claimed", file: toClaimedFile(run, free) }
        })
      )
  }
}
