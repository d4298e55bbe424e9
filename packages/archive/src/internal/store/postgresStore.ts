/**
 * The store in a PostgreSQL database, for any number of machines.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { StoreFailed, type StoreTooNew } from "../../ArchiveError.js"
import { migrate } from "./migrations.js"
import { Store } from "./Store.js"
import { make } from "./sqlStore.js"
import { codeOf, storeFailed } from "./storeFailed.js"

export const layerPostgres = (options: {
  /** `postgresql://user:password@host:port/database`. The password appears in no error. */
  readonly url: Redacted.Redacted
  /** Default: 10. */
  readonly maxConnections?: number | undefined
}): Layer.Layer<Store | SqlClient.SqlClient, StoreTooNew | StoreFailed> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { address, url } = yield* parse(options.url)
      const failing = Effect.mapError(storeFailed(address))
      const { maxConnections = 10 } = options
      const client = yield* failing(
        Layer.build(PgClient.layer({ url, maxConnections, applicationName: "effect-speech archive" }))
      )
      return yield* Effect.provide(
        Effect.gen(function* () {
          yield* migrate(address).pipe(
            Effect.retry({ while: isRace, schedule: Schedule.spaced(100), times: 20 }),
            Effect.catchTag("SqlError", (error) => Effect.fail(storeFailed(address)(error)))
          )
          return Context.add(client, Store, yield* make(storeFailed(address)))
        }),
        client
      )
    })
  )

/** Two machines create the same table at once: a name that is taken, in one of PostgreSQL's words for it. */
const isRace = (error: SqlError | StoreTooNew) =>
  error._tag === "SqlError" && /^(23505|42P07|42710|XX000)$/.test(codeOf(error.cause) ?? "")

/**
 * The server ends the session of a machine that has lost its power after 25 seconds, and not after two hours: the locks of the
 * cluster are held by sessions.
 */
const keepalives = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"

const parse = (redacted: Redacted.Redacted) =>
  Effect.try({
    try: () => {
      const url = new URL(Redacted.value(redacted))
      if (!/^postgres(ql)?:$/.test(url.protocol)) throw new Error("another protocol")
      const address = `postgresql://${url.username === "" ? "" : `${url.username}@`}${url.host}${url.pathname}`
      if (!url.searchParams.has("options")) url.searchParams.set("options", keepalives)
      return { address, url: Redacted.make(url.href) }
    },
    catch: () =>
      new StoreFailed({
        store: "PostgreSQL",
        message: "The URL of the store can't be read; write it as postgresql://user:password@host:port/database."
      })
  })
