/**
 * A real HTTP server on loopback that answers as a test tells it to, and keeps what it was asked.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ScriptedServer {
  readonly url: string
  /** The requests that arrived whole, in order. */
  readonly received: ReadonlyArray<Received>
  /** How many connections are open. */
  readonly connections: Effect.Effect<number>
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

/** Listens until the scope closes. `answer` is called once the request is read, and must end the response. */
export const scriptedServer = (
  answer: (response: ServerResponse, request: Received) => void
): Effect.Effect<ScriptedServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      readBody(request).then(
        (body) => {
          const whole = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body }
          received.push(whole)
          answer(response, whole)
        },
        () => response.destroy()
      )
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      received,
      connections: Effect.async<number>((resume) => {
        server.getConnections((_, count) => resume(Effect.succeed(count)))
      })
    }
  })

/** Ends a response with a JSON body. */
export const answerJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {}
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

/** The URL of a server that takes connections and reads nothing from them. */
export const stalledServer: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  const server = createTcpServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket.on("error", () => undefined))
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.async<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
