import { once } from "node:events"
import { connect, createServer } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { startLoopback } from "./loopback.js"

/**
 * Opens an address that refuses connections until it is released. Its port is the local end of a connection, so the system gives
 * it to no other process; it could give away a port that was only closed.
 */
export const openRefusedAddress = async () => {
  const { close, url } = await startLoopback(createServer())
  const connection = connect(Number(new URL(url).port), "127.0.0.1")
  await once(connection, "connect")
  return {
    url: `http://127.0.0.1:${connection.localPort}`,
    release: () => {
      connection.destroy()
      void close()
    }
  }
}

/** An address that refuses connections until the scope closes. */
export const refusedAddress: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(openRefusedAddress),
  ({ release }) => Effect.sync(release)
).pipe(Effect.map(({ url }) => url))
