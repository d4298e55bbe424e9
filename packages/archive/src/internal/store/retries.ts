/**
 * Which files are called again, and which need no call since the same content has a result.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreService } from "./Store.js"
import { codeOf, type FileTableRow, hiding, type Tables, toStoredFile } from "./tables.js"

export const make = ({
  changes,
  failing,
  mayBe,
  numberOf,
  recordColumns,
  spendReserved,
  sql
}: Tables): Pick<StoreService, "sameContent" | "retry"> => {
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
          ([row]) => Option.map(Option.fromNullable(row), toStoredFile)
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
