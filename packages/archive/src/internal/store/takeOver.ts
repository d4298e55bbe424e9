/**
 * What becomes of the files of a dead machine.
 */
import * as Effect from "effect/Effect"
import type { StoreService } from "./Store.js"
import type { Tables } from "./tables.js"

const answerUnknown = {
  tag: "AnswerUnknown",
  message:
    "The process that called the service for this file ended before it recorded an answer. The call may have been answered and billed. To call again, retry the files of this tag."
}

export const make = ({
  failing,
  mayBe,
  numberOf,
  readRun,
  settledAs,
  spendReserved,
  sql,
  toRunRow
}: Tables): Pick<StoreService, "takeOver"> => ({
  takeOver: (run, dead) =>
    failing(
      Effect.gen(function* () {
        const isAbandoned = sql`run = ${numberOf(run)} AND ${mayBe("abandoned")} AND (${sql.in("machine", dead.length === 0 ? [""] : dead)}
            OR machine NOT IN (SELECT id FROM archive_machines))`
        const some = yield* sql`SELECT seq FROM archive_files WHERE ${isAbandoned} LIMIT 1`
        const row = some.length === 0 ? undefined : yield* readRun(run)
        if (row === undefined) return
        // What may have been billed stays reserved while the file is held, and counts as spent if it is called again.
        yield* toRunRow(row).settings.unanswered === "repeat"
          ? sql`UPDATE archive_files SET state = ${settledAs("pending")}, machine = NULL, billing = 'unknown', ${spendReserved} WHERE ${isAbandoned}`
          : sql`UPDATE archive_files SET state = ${settledAs("held")}, billing = 'unknown', error_tag = ${answerUnknown.tag}, error_message = ${answerUnknown.message} WHERE ${isAbandoned}`
      })
    )
})
