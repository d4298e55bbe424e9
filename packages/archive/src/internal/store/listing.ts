/**
 * The files of a run, as its source lists them.
 */
import * as Effect from "effect/Effect"
import { callIdOf, type IdVersion, wholeMillis } from "../model/identity.js"
import type { SourceItem } from "../source/SourceItem.js"
import type { StoreService } from "./Store.js"
import { codeOf, type Int, type RunTableRow, stateOf, type Tables, withoutNul } from "./tables.js"

const idVersionOf = ({ ids }: RunTableRow): IdVersion => (Number(ids) === 5 ? 5 : 8)

export const make = ({
  failing,
  hide,
  identity,
  lockRun,
  mayBe,
  numberOf,
  onDialect,
  notFound,
  readRun,
  shown,
  sql,
  withNow
}: Tables): Pick<StoreService, "states" | "beginListing" | "addItems" | "touch" | "endListing"> => {
  /** The items as rows: the columns of a JSON array of arrays. */
  const rowsOf = (run: string, items: ReadonlyArray<SourceItem>, version: IdVersion) => {
    const rows = new Map(
      items.map((item) => {
        const callId = callIdOf(run, item, version)
        return [
          callId,
          [
            callId,
            withoutNul(item.path),
            item.size,
            wholeMillis(item.modifiedMillis),
            item.content ?? null,
            item.line === undefined ? null : JSON.stringify(item.line),
            codeOf(item.problem === undefined ? "pending" : "failed"),
            item.problem?.tag ?? null,
            item.problem === undefined ? null : withoutNul(item.problem.message)
          ]
        ]
      })
    )
    const list = JSON.stringify([...rows.values()])
    return onDialect(
      sql`SELECT (i ->> 0)::uuid AS call_id, i ->> 1 AS path, (i ->> 2)::bigint AS size, (i ->> 3)::bigint AS modified,
          decode(i ->> 4, 'hex') AS content, i ->> 5 AS line, (i ->> 6)::smallint AS state, i ->> 7 AS error_tag, i ->> 8 AS error_message, place
          FROM json_array_elements(${list}::json) WITH ORDINALITY AS a (i, place)`,
      sql`SELECT unhex(value ->> 0) AS call_id, value ->> 1 AS path, value ->> 2 AS size, value ->> 3 AS modified,
          unhex(value ->> 4) AS content, value ->> 5 AS line, value ->> 6 AS state, value ->> 7 AS error_tag, value ->> 8 AS error_message, key AS place
          FROM json_each(${list})`
    )
  }

  return {
    states: (run, items) =>
      failing(
        Effect.gen(function* () {
          const row = yield* readRun(run)
          if (row === undefined) return items.map(() => undefined)
          const callIds = items.map((item) => callIdOf(run, item, idVersionOf(row)))
          const list = JSON.stringify(callIds)
          const listed = onDialect(
            sql`SELECT i::uuid FROM json_array_elements_text(${list}::json) AS a (i)`,
            sql`SELECT unhex(value) FROM json_each(${list})`
          )
          const rows = yield* sql<{ call_id: string; state: Int }>`
            SELECT ${identity}, state FROM archive_files WHERE call_id IN (${listed})`
          const known = new Map(rows.map(({ call_id, state }) => [call_id, stateOf(state)]))
          return callIds.map((callId) => known.get(callId))
        })
      ),

    beginListing: (run) =>
      failing(
        Effect.flatMap(
          sql<{ listing: Int }>`UPDATE archive_runs SET listing = listing + 1 WHERE id = ${run} RETURNING listing`,
          ([row]) => (row === undefined ? notFound(run) : Effect.succeed(Number(row.listing)))
        )
      ),

    addItems: (run, listing, items) =>
      failing(
        sql.withTransaction(
          Effect.gen(function* () {
            const row = yield* lockRun(run)
            if (row === undefined) return
            const number = Number(row.number)
            const listed = rowsOf(run, items, idVersionOf(row))
            yield* sql`
                UPDATE archive_files SET modified = i.modified, listed = ${listing}, state = ${shown}
                FROM (${listed}) AS i
                WHERE archive_files.call_id = i.call_id AND archive_files.listed <= ${listing}`
            yield* sql`
                INSERT INTO archive_files
                  (run, seq, state, listed, size, modified, call_id, content, path, line, error_tag, error_message)
                SELECT ${number},
                  (SELECT coalesce(max(seq), 0) FROM archive_files WHERE run = ${number}) + row_number() OVER (ORDER BY place),
                  i.state, ${listing}, i.size, i.modified, i.call_id, i.content, i.path, i.line,
                  i.error_tag, i.error_message
                FROM (${listed}) AS i
                WHERE NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.call_id = i.call_id)
                ORDER BY place`
          })
        )
      ),

    touch: (run) =>
      failing(Effect.asVoid(withNow((at) => sql`UPDATE archive_runs SET updated_at = ${at} WHERE id = ${run}`))),

    endListing: (run, listing) => {
      const unseen = sql`run = ${numberOf(run)} AND listed < ${listing}`
      return failing(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`DELETE FROM archive_files WHERE ${unseen} AND ${mayBe("unlisted")} AND attempts = 0 AND credits IS NULL`
            yield* sql`UPDATE archive_files SET ${hide} WHERE ${unseen} AND ${mayBe("unlisted")}`
            yield* sql`
              UPDATE archive_files SET ${hide}
              WHERE ${unseen} AND ${mayBe("replaced")} AND path IN (
                SELECT path FROM archive_files WHERE run = ${numberOf(run)} AND listed = ${listing})`
            yield* sql`UPDATE archive_runs SET listed = ${listing} WHERE id = ${run} AND listed < ${listing}`
          })
        )
      )
    }
  }
}
