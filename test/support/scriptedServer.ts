/** HTTP servers on loopback whose responses a test writes. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTcpServer } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { loopback } from "./loopback.js"

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ScriptedServer {
  readonly url: string
  /** The complete requests, in order. */
  readonly received: ReadonlyArray<Received>
  /** The number of open connections. */
  readonly connections: Effect.Effect<number>
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

/** Listens until the scope closes. `answer` gets each complete request and must end the response. */
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
    const { sockets, url } = yield* loopback(server)
    return { url, received, connections: Effect.sync(() => sockets.size) }
  })

/** Ends a response with a JSON body. */
export const respondJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {}
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

/** The URL of a server that accepts connections and reads nothing from them. */
export const stalledServer: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  Effect.suspend(() => loopback(createTcpServer({ pauseOnConnect: true }))),
  ({ url }) => url
)
