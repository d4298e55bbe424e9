import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * An address that refuses connections until it is released. Its port is the near end of a connection, so that nobody listens
 * there and nobody is given it: a port that was merely closed is another process's a moment later.
 */
export const openRefusedAddress = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const connection = connect((server.address() as AddressInfo).port, "127.0.0.1")
  await once(connection, "connect")
  return {
    url: `http://127.0.0.1:${connection.localPort}`,
    release: () => {
      connection.destroy()
      server.close()
    }
  }
}

/** The same until the scope closes. */
export const refusedAddress: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(openRefusedAddress),
  ({ release }) => Effect.sync(release)
).pipe(Effect.map(({ url }) => url))
