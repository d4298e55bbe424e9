/**
 * Which files are called again, such as those of a dead machine, and which need no call since the same content has a result.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreService } from "./Store.js"
import { codeOf, type FileTableRow, hiding, type Tables, toFileRecord } from "./tables.js"

const answerUnknown = {
  tag: "AnswerUnknown",
  message:
    "The process that called the service for this file ended before it recorded an answer. The call may have been answered and billed. To call again, retry the files of this tag."
}

export const make = ({
  changes,
  failing,
  mayBe,
  numberOf,
  readRun,
  recordColumns,
  settledAs,
  spendReserved,
  sql,
  toRunRow
}: Tables): Pick<StoreService, "sameContent" | "retry" | "takeOver"> => {
  const isDone = sql`state IN (${codeOf("done")}, ${codeOf("done") + hiding})`

  return {
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
    },

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
  }
}
