import { createServer, type IncomingMessage, STATUS_CODES } from "node:http"
import { isIP, type Socket } from "node:net"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type { AnswerProblem, Problem } from "./requests.js"

export interface ListenOptions {
  readonly host: string
  /** 0 for any. */
  readonly port: number
  /** Names by which the service is reached, besides `localhost` and addresses. */
  readonly hostNames: ReadonlyArray<string>
  /** What is wrong with a request that never came to the app, in the words of this listener. */
  readonly answerProblem: AnswerProblem
}

/** Serves an app until the scope closes, and gives its base URL. */
export const listen = <R>(app: HttpApp.Default<never, R>, options: ListenOptions) =>
  Effect.gen(function* () {
    const { answerProblem, host, port } = options
    // Who reads a body counts how long nothing comes of it; a request without a Host is answered by `guarded`.
    const node = createServer({ requestTimeout: 3_600_000, requireHostHeader: false })
    const server = yield* NodeHttpServer.make(() => node, { host, port })
    // A client that goes away ends the work for it, which is not so of itself.
    yield* server.serve(Effect.interruptible(guarded(app, options)))
    // Nothing is spoken here but HTTP/1.1; with a listener for it, an offer to upgrade would lose the body.
    node.removeAllListeners("upgrade")
    node.on("clientError", (error: NodeJS.ErrnoException, socket: Answering) =>
      refuse(socket, answerProblem(problemOf(error), socket._httpMessage?.req.headers ?? {}))
    )
    node.on("checkExpectation", ({ headers, socket }: IncomingMessage) => {
      const message = "the only expectation that is met is 100-continue"
      refuse(socket, answerProblem({ status: 417, message }, headers))
    })
    node.on("connect", ({ headers }: IncomingMessage, socket: Socket) =>
      refuse(socket, answerProblem({ status: 404, message: "nothing is here; this is no proxy" }, headers))
    )
    // Runs before the server's own close, which would wait for connections that nobody ends.
    yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
    if (server.address._tag === "UnixAddress") return server.address.path
    const name = isIP(host) === 6 ? `[${host}]` : host
    return `http://${unspecified.includes(host) ? "127.0.0.1" : name}:${server.address.port}`
  })

const unspecified = ["0.0.0.0", "::"]

/**
 * A page of another site can have a browser send requests here under a name of its own that leads to this machine; under
 * a bare address or `localhost` it can't.
 */
const guarded = <R>(app: HttpApp.Default<never, R>, { answerProblem, host, hostNames }: ListenOptions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers, headersDistinct } = NodeHttpServerRequest.toIncomingMessage(request)
    if (headers.host === undefined || headersDistinct.host?.length !== 1) {
      return answerProblem({ status: 400, message: "the Host header is missing, or given twice" }, headers)
    }
    const name = headers.host.replace(/:\d*$/, "").toLowerCase()
    const known =
      isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0 ||
      name === "localhost" ||
      [host, ...hostNames].some((each) => each.toLowerCase() === name)
    if (known) return yield* app
    const message = "the Host header does not name this service; give its name with the option hostNames"
    return answerProblem({ status: 421, message }, headers)
  })

const problemOf = (error: NodeJS.ErrnoException): Problem => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: "the headers are larger than 16 KiB" }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "the headers did not come in time" }
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, message: "the extensions of the chunks are too large" }
    default:
      return { status: 400, message: "this is not a request of HTTP/1.1, or its body ended early" }
  }
}

/** What Node is answering on a connection, if anything. */
type Answering = Socket & {
  readonly _httpMessage?: { readonly headersSent: boolean; readonly req: IncomingMessage } | null
}

/** Answers where Node has given up on a connection, and ends it. */
const refuse = (socket: Answering, { body, headers, status }: HttpServerResponse.HttpServerResponse): void => {
  if (!socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy()
    return
  }
  const bytes = body._tag === "Uint8Array" ? body.body : new Uint8Array(0)
  const lines = Object.entries({ ...headers, "content-length": bytes.length, connection: "close" })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`)
  socket.end(bytes)
}
