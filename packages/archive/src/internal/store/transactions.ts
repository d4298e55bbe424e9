/**
 * Transactions whose end may fail.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Makes a COMMIT or a ROLLBACK that fails an error of the client: `@effect/sql` makes it a defect. */
export const withTypedEnds = <Client extends SqlClient.SqlClient>(client: Client): Client => {
  const { withTransaction } = client
  return Object.assign(client, {
    withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>) =>
      Effect.catchSomeDefect(withTransaction(effect), (defect) =>
        defect instanceof SqlError ? Option.some(Effect.fail(defect)) : Option.none()
      )
  })
}
