/**
 * The machines that work on a store, and when each was last heard of.
 */
import * as Effect from "effect/Effect"
import type { StoreService } from "./Store.js"
import type { Int, Tables } from "./tables.js"

/** A machine without a heartbeat for this time is dead. */
export const deadAfterMillis = 35_000

export const make = ({
  changes,
  failing,
  sql,
  withNow
}: Tables): Pick<StoreService, "join" | "heartbeat" | "machines" | "leave"> => ({
  join: (machine) =>
    failing(Effect.asVoid(withNow((at) => sql`INSERT INTO archive_machines (id, seen_at) VALUES (${machine}, ${at})`))),

  heartbeat: (machine) =>
    failing(
      Effect.map(
        withNow((at) => changes(sql`UPDATE archive_machines SET seen_at = ${at} WHERE id = ${machine}`)),
        (count) => count > 0
      )
    ),

  machines: failing(
    Effect.map(sql<{ id: string; seen_at: Int }>`SELECT id, seen_at FROM archive_machines`, (rows) =>
      rows.map(({ id, seen_at }) => ({ machine: id, at: Number(seen_at) }))
    )
  ),

  leave: (machine) => failing(Effect.asVoid(sql`DELETE FROM archive_machines WHERE id = ${machine}`))
})
