/**
 * What was written for the files of a run, and whether its results are.
 */
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { deadAfterMillis } from "./machines.js"
import type { FileWithOutput, StoreService } from "./Store.js"
import { codeOf, hiding, type OutputTableRow, paged, type Tables, toStoredFile } from "./tables.js"

/** Who stopped a run, or watches it, has this time to begin its output before another machine does it. In milliseconds. */
const grace = 2_000

export const make = ({
  failing,
  mayBe,
  numberOf,
  onDialect,
  recordColumns,
  sql,
  withNow
}: Tables): Pick<
  StoreService,
  "outputs" | "recordOutputs" | "forgetOutputs" | "repairFiles" | "endOutput" | "isCalling" | "outputsDue"
> => {
  // With `run` as it is, both databases would choose the index of states, and read all hidden files of the run for each file. SQLite
  // uses the index of hidden files only if its condition is there word for word.
  const hidden = sql.literal(`FROM archive_files h
    WHERE h.path = archive_files.path AND h.state >= ${hiding} AND h.state = ${codeOf("done") + hiding}
      AND h.run + 0 = archive_files.run`)
  const outputColumns = onDialect(
    sql`output_size, encode(output_digest, 'hex') AS output_digest,
      (SELECT string_agg(coalesce(encode(h.output_digest, 'hex'), '?'), ',') ${hidden}) AS others`,
    sql`output_size, lower(hex(output_digest)) AS output_digest,
      (SELECT group_concat(coalesce(nullif(lower(hex(h.output_digest)), ''), '?')) ${hidden}) AS others`
  )

  /** Columns of a JSON array of arrays. */
  const listed = (list: string) =>
    onDialect(
      sql`SELECT (i ->> 0)::integer AS seq, (i ->> 1)::bigint AS size, decode(i ->> 2, 'hex') AS digest
        FROM json_array_elements(${list}::json) AS a (i)`,
      sql`SELECT CAST(value ->> 0 AS INTEGER) AS seq, value ->> 1 AS size, unhex(value ->> 2) AS digest FROM json_each(${list})`
    )

  const alive = (at: Fragment) => sql`seen_at > ${at} - ${sql.literal(String(deadAfterMillis))}`
  const isUnderWay = (number: Fragment, at: Fragment) => sql`
    EXISTS (SELECT 1 FROM archive_files f WHERE f.run = ${number} AND f.state = ${codeOf("started")}
      AND f.machine IN (SELECT id FROM archive_machines WHERE ${alive(at)}))`

  return {
    outputs: (run) =>
      paged(
        (after, limit) =>
          failing(sql<OutputTableRow>`
            SELECT ${recordColumns}, ${outputColumns} FROM archive_files
            WHERE run = ${numberOf(run)} AND seq > ${after} AND listed > 0 ORDER BY seq LIMIT ${limit}`),
        toFileWithOutput
      ),

    recordOutputs: (run, outputs) =>
      failing(
        // Without the list of numbers, SQLite would look at all done files of the run, and read the list again for each.
        Effect.asVoid(sql`
          WITH i AS MATERIALIZED (${listed(JSON.stringify(outputs.map(({ digest, seq, size }) => [seq, size, digest])))})
          UPDATE archive_files SET output_size = i.size, output_digest = i.digest FROM i
          WHERE archive_files.run = ${numberOf(run)} AND archive_files.seq IN (SELECT seq FROM i)
            AND archive_files.seq = i.seq AND ${mayBe("repaired")}`)
      ),

    forgetOutputs: (run) =>
      failing(
        Effect.asVoid(sql`
          UPDATE archive_files SET output_size = NULL, output_digest = NULL
          WHERE run = ${numberOf(run)} AND output_size IS NOT NULL`)
      ),

    repairFiles: (run, seqs) =>
      failing(
        Effect.asVoid(sql`
          UPDATE archive_files SET state = ${codeOf("pending")}, machine = NULL, strikes = NULL, billing = NULL, warnings = NULL,
            result = NULL, output_size = NULL, output_digest = NULL
          WHERE run = ${numberOf(run)} AND ${mayBe("repaired")} AND ${sql.in("seq", seqs)}`)
      ),

    endOutput: (run, epoch) =>
      failing(
        Effect.asVoid(sql`
          UPDATE archive_runs SET results_due = 0
          WHERE id = ${run} AND epoch = ${epoch} AND state NOT IN ('listing', 'running')`)
      ),

    isCalling: (run) =>
      failing(
        Effect.map(
          withNow((at) => sql`SELECT 1 AS found WHERE ${isUnderWay(numberOf(run), at)}`),
          (rows) => rows.length > 0
        )
      ),

    outputsDue: (machine) =>
      failing(
        Effect.map(
          withNow(
            (at) => sql<{ id: string }>`
              SELECT id FROM archive_runs
              WHERE results_due = 1 AND state NOT IN ('listing', 'running') AND updated_at < ${at} - ${sql.literal(String(grace))}
                AND ${machine} = (SELECT min(m.id) FROM archive_machines m WHERE ${alive(at)})
                AND NOT ${isUnderWay(sql`number`, at)}`
          ),
          (rows) => rows.map(({ id }) => id)
        )
      )
  }
}

const toFileWithOutput = (row: OutputTableRow): FileWithOutput => ({
  ...toStoredFile(row),
  ...(row.line !== null && { line: JSON.parse(row.line) as Record<string, unknown> }),
  ...(row.output_size !== null && { output: { size: Number(row.output_size), digest: row.output_digest ?? "" } }),
  others: row.others === null ? [] : row.others.split(",")
})
