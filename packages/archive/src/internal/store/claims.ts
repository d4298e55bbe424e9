/**
 * Which files a machine may call.
 */
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { admit, type RunFacts } from "../model/limits.js"
import type { Claim, StoreService } from "./Store.js"
import { codeOf, codeOfGuard, type FileTableRow, type Int, type Tables, toClaimedFile, toRunFacts } from "./tables.js"

/** A run may stop, so who waits asks again after this time at the latest. */
const maxWaitMillis = 2_000

const stopped: Claim = { _tag: "Stopped" }

interface CandidateRow extends FileTableRow {
  readonly attempts: Int
}

const wait = (facts: RunFacts, at: number): Claim => ({
  _tag: "Wait",
  millis: Math.min(Math.max(1, Math.ceil(at - facts.now)), maxWaitMillis)
})

const claimed = (run: string, rows: ReadonlyArray<FileTableRow>, reserved?: number): Claim => ({
  _tag: "Claimed",
  files: rows.map((row) => ({ ...toClaimedFile(run, row), reserved })).toSorted((a, b) => a.seq - b.seq)
})

export const make = (tables: Tables): Pick<StoreService, "claim" | "mayGoOn"> => {
  const { failing, numberOf, sql } = tables
  /** Runs that have limits, or whose service is down. Their claims ask at once, and so read the run's row once. */
  const asking = new Set<string>()

  const claimFreely = freely(tables)
  const claimCarefully = carefully(tables, asking)

  return {
    mayGoOn: (run, seq, machine) =>
      failing(
        Effect.map(
          sql`SELECT seq FROM archive_files WHERE run = ${numberOf(run)} AND seq = ${seq} AND machine = ${machine}
            AND state = ${codeOf("started")} AND EXISTS (SELECT 1 FROM archive_runs WHERE id = ${run} AND state = 'running')`,
          (rows) => rows.length > 0
        )
      ),

    claim: (run, epoch, machine, count, priced) =>
      failing(
        Effect.gen(function* () {
          if (priced === undefined && !asking.has(run)) {
            const files = yield* claimFreely(run, epoch, machine, count)
            if (files.length > 0) return claimed(run, files)
          }
          return yield* claimCarefully(run, epoch, machine, count, priced)
        })
      )
  }
}

/** How files are taken that may be claimed. */
const takingOf = ({ claimColumns, mayBe, sql }: Tables) => {
  const isPending = sql.literal(`state = ${codeOf("pending")}`)

  /** No machine without a row claims a file: it has left, or another process has taken the store over. */
  const hasJoined = (machine: string) => sql`EXISTS (SELECT 1 FROM archive_machines WHERE id = ${machine})`

  const take = (number: Fragment, seqs: Fragment, machine: string, reserved: number | null) => sql<FileTableRow>`
    WITH picked AS (${seqs})
    UPDATE archive_files SET state = ${codeOf("started")}, machine = ${machine}, attempts = attempts + 1, reserved = ${reserved}
    WHERE run = ${number} AND seq IN (SELECT seq FROM picked) AND ${mayBe("claimed")} AND ${hasJoined(machine)}
    RETURNING ${claimColumns}`

  return { isPending, hasJoined, take }
}

/** A claim of a run that runs, has no limit, and whose service answers. */
const freely = (tables: Tables) => {
  const { onDialect, sql } = tables
  const { isPending, take } = takingOf(tables)
  /** By run: the last file that this process has claimed. Behind it, no claim reads what the database has not yet tidied up. */
  const lastClaimed = new Map<string, number>()

  const skipLocked = sql.literal(onDialect("FOR UPDATE SKIP LOCKED", ""))

  return (run: string, epoch: number, machine: string, count: number) =>
    Effect.gen(function* () {
      const number = sql`(
        SELECT number FROM archive_runs WHERE id = ${run} AND epoch = ${epoch} AND state = 'running'
          AND guarded = ${codeOfGuard("none")} AND slowness = 0 AND probe = 0)`
      const behind = (after: number) =>
        take(
          number,
          sql`
            SELECT seq FROM archive_files WHERE run = ${number} AND ${isPending} AND seq > ${after}
            ORDER BY seq LIMIT ${count} ${skipLocked}`,
          machine,
          null
        )
      const after = lastClaimed.get(run) ?? 0
      let rows = yield* behind(after)
      if (rows.length === 0 && after > 0) rows = yield* behind(0)
      lastClaimed.set(run, Math.max(0, ...rows.map(({ seq }) => Number(seq))))
      return rows
    })
}

/** Finds the pending files that may be claimed next. `seq` limits the search to one file, whose cost is known by now. */
const candidatesIn = (tables: Tables, most: number) => {
  const { claimColumns, sql } = tables
  const { isPending } = takingOf(tables)
  return (number: Fragment, { begun, limits, slowness }: RunFacts, byContent: boolean, seq: number | undefined) =>
    Effect.gen(function* () {
      // While a file is called, others with the same content wait for its result.
      const isUnique = byContent
        ? sql`AND NOT EXISTS (
            SELECT 1 FROM archive_files s WHERE s.run = f.run AND s.content = f.content AND s.line IS NULL
              AND s.state = ${codeOf("started")})`
        : sql``
      const find = (which: Fragment, order = sql`seq`) => sql<CandidateRow>`
        SELECT ${claimColumns} FROM archive_files f WHERE run = ${number} AND ${isPending} ${isUnique} ${which}
        ORDER BY ${order} LIMIT ${limits.maxCredits !== undefined || byContent || slowness > 0 ? 1 : most}`
      if (seq !== undefined) return yield* find(sql`AND seq = ${seq}`)
      // Beyond a limit of files, those go on that it counts already.
      const isCounted = limits.maxFiles !== undefined && begun >= limits.maxFiles ? sql`AND attempts > 0` : undefined
      // While the service is down, a file that always finds it so does not keep the others from their turn.
      const inTurn = (which: Fragment) =>
        slowness === 0
          ? find(which)
          : Effect.flatMap(find(sql`${which} AND strikes IS NULL`), (files) =>
              files.length > 0 ? Effect.succeed(files) : find(which, sql`strikes, seq`)
            )
      const counted = isCounted === undefined ? [] : yield* inTurn(isCounted)
      return counted.length > 0 ? counted : yield* inTurn(sql``)
    })
}

/**
 * A claim of any run. Its row is locked, so that no other machine claims of it meanwhile. `asking`: the runs that have to be claimed so.
 */
const carefully = (tables: Tables, asking: Set<string>) => {
  const { lockRun, sql, suspend, toRunRow } = tables
  const { hasJoined, take } = takingOf(tables)
  return (
    run: string,
    epoch: number,
    machine: string,
    count: number,
    priced: { readonly seq: number; readonly cost: number } | undefined
  ) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const row = yield* lockRun(run)
        if (row === undefined || row.state !== "running" || Number(row.epoch) !== epoch) return stopped
        const joined = yield* sql`SELECT 1 AS joined WHERE ${hasJoined(machine)}`
        if (joined.length === 0) return stopped
        const number = sql`${Number(row.number)}`
        const before = toRunFacts(row)
        if (Number(row.guarded) > codeOfGuard("none") || before.slowness > 0 || before.probe) asking.add(run)
        else asking.delete(run)
        const { maxCredits } = before.limits
        const { byContent } = toRunRow(row).settings
        const some = (holds: Fragment) =>
          Effect.map(
            sql`SELECT 1 AS found FROM archive_files WHERE run = ${number} AND ${holds} LIMIT 1`,
            (found) => found.length > 0
          )
        const files = yield* candidatesIn(tables, count)(number, before, byContent, priced?.seq)
        const isStarted = sql`state = ${codeOf("started")}`
        let underWay = yield* some(isStarted)
        const unreserved = maxCredits !== undefined && (yield* some(sql`${isStarted} AND reserved IS NULL`))
        let facts = before
        const seqs: Array<number> = []
        for (const file of files) {
          const isNew = Number(file.attempts) === 0
          const admission = admit(facts, { isNew, cost: priced?.cost, underWay, unreserved })
          if (admission._tag === "Admitted") {
            facts = admission.run
            underWay = true
            seqs.push(Number(file.seq))
            continue
          }
          if (seqs.length > 0) break
          if (admission._tag === "Early") return wait(facts, admission.at)
          if (admission._tag === "CostNeeded") return { _tag: "CostNeeded", file: toClaimedFile(run, file) } as const
          yield* suspend(run, epoch, admission.reason)
          return stopped
        }
        if (seqs.length === 0) return claimed(run, [])
        const reserved = maxCredits === undefined ? undefined : priced?.cost
        const rows = yield* take(
          number,
          sql`SELECT seq FROM archive_files WHERE run = ${number} AND ${sql.in("seq", seqs)}`,
          machine,
          reserved ?? null
        )
        yield* sql`
          UPDATE archive_runs SET begun = ${facts.begun}, credits = ${facts.credits},
            next_call_at = ${facts.nextCallAt}, slow_until = ${facts.slowUntil}
          WHERE id = ${run}`
        return claimed(run, rows, reserved)
      })
    )
}
