/**
 * The answers of a service that answers, recorded together: those of runs without a limit of credits.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StoreService } from "./Store.js"
import { codeOf, codeOfGuard, type Int, type Tables } from "./tables.js"

/** The tags of the warnings of a result, as the table has them. */
export const warningsOf = (result: unknown): string | null =>
  Option.match(decodeWarned(result), {
    onNone: () => null,
    onSome: ({ warnings }) => (warnings.length === 0 ? null : warnings.join(","))
  })
const decodeWarned = Schema.decodeUnknownOption(Schema.Struct({ warnings: Schema.Array(Schema.String) }))

export const make = ({
  clearSlowdown,
  failing,
  onDialect,
  settledAs,
  sql
}: Tables): Pick<StoreService, "settleAnswers"> => ({
  /** What has more to count is left out, and so is what was held meanwhile. */
  settleAnswers: (run, machine, answers) =>
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
        sql`SELECT CAST(value ->> 0 AS INTEGER) AS number, value ->> 1 AS billed, value ->> 2 AS cost, value ->> 3 AS warned, value ->> 4 AS answer,
            value ->> 5 AS written, unhex(value ->> 6) AS digest FROM json_each(${list})`
      )
      // Not materialized, SQLite would read the whole list once for each file that is started.
      const files = yield* sql<{ seq: Int; slowness: Int }>`
        WITH g AS MATERIALIZED (${given})
        UPDATE archive_files SET
          state = ${settledAs("done")}, machine = NULL, strikes = NULL, error_tag = NULL, error_message = NULL, reserved = NULL,
          billing = g.billed, credits = coalesce(credits, 0) + g.cost, warnings = g.warned, result = g.answer,
          output_size = g.written, output_digest = g.digest
        FROM g
        WHERE seq = g.number AND machine = ${machine} AND state = ${codeOf("started")}
          AND run = (SELECT r.number FROM archive_runs r WHERE r.id = ${run} AND r.guarded < ${codeOfGuard("credits")} AND r.probe = 0)
        RETURNING seq, (SELECT r.slowness FROM archive_runs r WHERE r.number = run) AS slowness`
      if (files.some(({ slowness }) => Number(slowness) > 0)) yield* clearSlowdown(run)
      return files.map(({ seq }) => Number(seq))
    }).pipe(failing)
})
