/** An HTTP proxy on loopback, which opens tunnels by CONNECT and records the requests. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { selfSigned } from "./faultyServer.js"
import { loopback } from "./loopback.js"

export interface Connect {
  /** `host:port`. */
  readonly target: string | undefined
  readonly headers: IncomingHttpHeaders
}

export interface ConnectProxy {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** The CONNECT requests, in order. */
  readonly connects: ReadonlyArray<Connect>
  /** Number of other requests. */
  readonly others: () => number
  /** Number of open connections of clients. */
  readonly open: () => number
  /** Everything that clients sent through tunnels. */
  readonly sent: () => string
}

/** Listens until the scope closes. Each tunnel leads to `upstream`, whatever its target is; `answer` replaces the tunnel. */
export const connectProxy = (
  upstream: { readonly host: string },
  options: { readonly answer?: (socket: Socket) => unknown; readonly tls?: boolean } = {}
): Effect.Effect<ConnectProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const connects: Array<Connect> = []
    let others = 0
    let sent = ""
    const refuse: RequestListener = (_, response) => {
      others++
      response.writeHead(405).end()
    }
    const server = options.tls ? createTlsServer({ key: selfSigned, cert: selfSigned }, refuse) : createServer(refuse)
    server.on("connect", ({ headers, url }, socket: Socket) => {
      connects.push({ target: url, headers })
      // The HTTP server of Node keeps a socket half open.
      socket.once("end", () => socket.destroy())
      if (options.answer !== undefined) return options.answer(socket)
      const { hostname, port } = new URL(`http://${upstream.host}`)
      const tunnel = connect({ host: hostname, port: Number(port) }, () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
        socket.on("data", (bytes: Buffer) => (sent += bytes.toString("latin1")))
        socket.pipe(tunnel).pipe(socket)
      })
      socket.once("close", () => tunnel.destroy())
      tunnel.on("error", () => socket.destroy()).once("close", () => socket.destroy())
    })
    const { host, sockets } = yield* loopback(server)
    return { host, connects, others: () => others, open: () => sockets.size, sent: () => sent }
  })
