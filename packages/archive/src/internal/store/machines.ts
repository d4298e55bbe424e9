/**
 * The machines that work on a store, and since when each was not heard of.
 */

import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { StoreService } from "./Store.js"
import type { Tables } from "./tables.js"

/** A machine without a heartbeat for this time is dead. */
export const deadAfterMillis = 35_000

/** The ids of the machines that are alive. */
export const alive = (sql: Tables["sql"], now: Fragment) =>
  sql`SELECT id FROM archive_machines WHERE seen_at > ${now} - ${sql.literal(String(deadAfterMillis))}`

export const make = ({ failing, sql, withNow }: Tables): Pick<StoreService, "join" | "heartbeat" | "leave"> => {
  return {
    join: (machine) =>
      failing(
        Effect.asVoid(withNow((at) => sql`INSERT INTO archive_machines (id, seen_at) VALUES (${machine}, ${at})`))
      ),

    heartbeat: (machine) =>
      failing(Effect.asVoid(withNow((at) => sql`UPDATE archive_machines SET seen_at = ${at} WHERE id = ${machine}`))),

    leave: (machine) => failing(Effect.asVoid(sql`DELETE FROM archive_machines WHERE id = ${machine}`))
  }
}
