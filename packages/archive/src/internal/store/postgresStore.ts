/**
 * The store in a PostgreSQL database, for any number of machines.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ArchiveStoreFailed, type ArchiveStoreTooNew } from "../../ArchiveError.js"
import { migrate } from "./migrations.js"
import { Store } from "./Store.js"
import { make } from "./sqlStore.js"
import { storeFailed } from "./storeFailed.js"
import { withTypedEnds } from "./transactions.js"

export const layerPostgres = (options: {
  /** `postgresql://user:password@host:port/database`. Neither the user nor the password appears in an error. */
  readonly url: Redacted.Redacted
  /** Default: 10. */
  readonly maxConnections?: number | undefined
  /** How long a connection, or a statement for which none is free, may wait. Default: 15,000. */
  readonly connectTimeoutMillis?: number | undefined
}): Layer.Layer<Store | SqlClient.SqlClient, ArchiveStoreTooNew | ArchiveStoreFailed> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { address, url } = yield* parse(options.url)
      const failing = Effect.mapError(storeFailed(address))
      const { connectTimeoutMillis = 15_000, maxConnections = 10 } = options
      const client = yield* failing(
        Layer.build(
          PgClient.layer({
            url,
            maxConnections,
            connectTimeout: connectTimeoutMillis,
            applicationName: "effect-speech archive"
          })
        )
      )
      withTypedEnds(Context.get(client, SqlClient.SqlClient))
      return yield* Effect.provide(
        Effect.gen(function* () {
          yield* Effect.catchTag(migrate(address), "SqlError", (error) => storeFailed(address)(error))
          return Context.add(client, Store, yield* make(storeFailed(address)))
        }),
        client
      )
    })
  )

/**
 * What a session may keep from others, and for how long:
 * - A machine that has lost its power leaves its session, with the rows that its transaction has locked, to the server. The server
 *   ends it after 25 seconds without an answer, and not after the two hours of the system's default.
 * - A machine that is frozen still answers on the network: its transaction is ended after a minute without a statement.
 * - A statement that waits longer than ten minutes, such as for a lock that another program holds on a table, fails, and is sent
 *   again as after a lost connection. The longest ones take about a minute: the status and the listing of a million files.
 */
const limits = {
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  idle_in_transaction_session_timeout: "60000",
  statement_timeout: "600000"
}

/** Longer than the server's: it ends a statement whose server has gone without a word. In milliseconds. */
const queryTimeout = "660000"

const parse = (redacted: Redacted.Redacted) =>
  Effect.try({
    try: () => {
      const text = Redacted.value(redacted).trim()
      if (!wellFormed.test(text)) throw new Error("another form")
      const url = new URL(text)
      const names = [url.hostname.replace(/^\[.*\]$/, ""), url.pathname].map(decodeURIComponent)
      if (names.some((name) => /[@:?#;&=]/.test(name))) throw new Error("an encoded separator")
      // The name of the user is an attribute of the spans of statements, if the URL names no database.
      if (decodeURIComponent(url.username).includes(":")) throw new Error("a password in the name of the user")
      decodeURIComponent(url.password)
      const options = Object.entries(limits).map(([name, value]) => `-c ${name}=${value}`)
      // The last setting of a name wins. Empty options mean none: a pooler may refuse any.
      const given = url.searchParams.get("options")
      if (given !== "") url.searchParams.set("options", [...options, given ?? ""].join(" ").trim())
      if (!url.searchParams.has("query_timeout")) url.searchParams.set("query_timeout", queryTimeout)
      return { address: `postgresql://${url.host}${url.pathname}`, url: Redacted.make(url.href) }
    },
    catch: () =>
      new ArchiveStoreFailed({
        store: "PostgreSQL",
        message:
          "The URL of the store can't be read; write it as postgresql://user:password@host:port/database, and percent-encode special characters: %2F for /, %23 for #, %3F for ?, %25 for %."
      })
  })

/** A password with one of `/?#` that is not encoded would end in another part of the URL, some of which are printed. */
const wellFormed = /^postgres(ql)?:\/\/([^/?#]*@)?[^@/?#]*(\/[^@/?#]*)?(\?[^@#]*)?$/i
