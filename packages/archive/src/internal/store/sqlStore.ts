/**
 * The store on SQL, of its rooms: the same statements on libSQL and PostgreSQL.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { ArchiveStoreFailed } from "../../ArchiveError.js"
import * as Answers from "./answers.js"
import * as Claims from "./claims.js"
import * as Listing from "./listing.js"
import * as Machines from "./machines.js"
import * as Outputs from "./outputs.js"
import * as Retries from "./retries.js"
import * as Runs from "./runs.js"
import type { StoreService } from "./Store.js"
import * as Settlements from "./settlements.js"
import * as Status from "./status.js"
import * as Tables from "./tables.js"
import * as TakeOver from "./takeOver.js"

/** The store on the tables of `migrate`. `toFailed` turns an error of the database into the store's. `folder`, `hasProcess`: of a file store. */
export const make = (
  toFailed: (error: SqlError) => ArchiveStoreFailed,
  folder?: string,
  hasProcess: () => boolean | undefined = () => undefined
): Effect.Effect<StoreService, never, SqlClient.SqlClient> =>
  Effect.map(Tables.make(toFailed, folder, hasProcess), (tables) => ({
    name: tables.name,
    now: tables.failing(tables.now),
    ...Runs.make(tables),
    ...Listing.make(tables),
    ...Claims.make(tables),
    ...Answers.make(tables),
    ...Settlements.make(tables),
    ...Retries.make(tables),
    ...TakeOver.make(tables),
    ...Machines.make(tables),
    ...Outputs.make(tables),
    ...Status.make(tables)
  }))
