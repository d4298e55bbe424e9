/** Servers on loopback, for tests and checks: one way to listen on a free port and to close every connection again. */
import { once } from "node:events"
import type { AddressInfo, Server, Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Loopback {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** `http://127.0.0.1:port`. */
  readonly url: string
  /** The open connections; below TLS, for a TLS server. */
  readonly sockets: ReadonlySet<Socket>
  /** Stops listening and ends every connection. */
  readonly close: () => Promise<void>
}

/** Starts a server of `node:http`, `node:net` or `node:tls` on a free port. */
export const startLoopback = async (server: Server): Promise<Loopback> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined).once("close", () => sockets.delete(socket)))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { host, url: `http://${host}`, sockets, close }
}

/** Starts a server, and closes it with the scope. */
export const loopback = (server: Server): Effect.Effect<Loopback, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startLoopback(server)),
    ({ close }) => Effect.promise(close)
  )
