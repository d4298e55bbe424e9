import { createServer, type IncomingMessage, STATUS_CODES } from "node:http"
import { isIP, type Socket } from "node:net"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { Settings } from "../options.js"
import type { Problem, ProblemToResponse } from "./problems.js"

export interface ListenOptions extends Pick<Settings, "host" | "port" | "hostNames"> {
  /** Makes the response to a request that does not reach the app. */
  readonly problemToResponse: ProblemToResponse
}

/** Serves an app until the scope closes. Returns its base URL. */
export const listen = <R>(app: HttpApp.Default<never, R>, options: ListenOptions) =>
  Effect.gen(function* () {
    const { problemToResponse, host, port } = options
    // The readers of bodies have an idle timeout of their own. `checkHead` refuses a request without a Host header.
    const node = createServer({ requestTimeout: 3_600_000, requireHostHeader: false })
    const server = yield* NodeHttpServer.make(() => node, { host, port })
    // Effect's own tracer keeps spans nowhere.
    const isCollected = (yield* Effect.tracer) !== Context.get(DefaultServices.liveServices, Tracer.Tracer)
    // Interruptible, so that the work stops if the client disconnects.
    yield* server
      .serve(Effect.interruptible(checkHead(app, options)))
      .pipe(Effect.locally(HttpMiddleware.currentTracerDisabledWhen, () => !isCollected))
    // With a listener for upgrades, a request that offers one would lose its body.
    node.removeAllListeners("upgrade")
    node.on("clientError", (error: NodeJS.ErrnoException, socket: ServerSocket) =>
      respondAndClose(socket, problemToResponse(parserProblem(error), socket._httpMessage?.req.headers ?? {}))
    )
    node.on("checkExpectation", ({ headers, socket }: IncomingMessage) => {
      const message = "the only supported expectation is 100-continue"
      respondAndClose(socket, problemToResponse({ status: 417, message }, headers))
    })
    node.on("connect", ({ headers }: IncomingMessage, socket: Socket) =>
      respondAndClose(
        socket,
        problemToResponse({ status: 404, message: "nothing is here; this service is not a proxy" }, headers)
      )
    )
    // Runs before the server's own close, which would wait for open connections.
    yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
    if (server.address._tag === "UnixAddress") return server.address.path
    const name = isIP(host) === 6 ? `[${host}]` : host
    return `http://${unspecified.includes(host) ? "127.0.0.1" : name}:${server.address.port}`
  })

const unspecified = ["0.0.0.0", "::"]

/** Whether a request target is in absolute form (RFC 9112, 3.2.2), as a proxy receives it, and can't be parsed. */
const isMalformedUrl = (target: string): boolean => /^[a-z][a-z\d+.-]*:\/\/./i.test(target) && !URL.canParse(target)

/**
 * Refuses a malformed request target, and a `Host` header with an unknown name (DNS rebinding): another site can point a name of its own at this machine,
 * and have a browser send requests here. It can't do so with an IP address or `localhost`.
 */
const checkHead = <R>(app: HttpApp.Default<never, R>, { problemToResponse, host, hostNames }: ListenOptions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers, headersDistinct, url = "" } = NodeHttpServerRequest.toIncomingMessage(request)
    if (headers.host === undefined || headersDistinct.host?.length !== 1) {
      return problemToResponse({ status: 400, message: "the Host header is missing or repeated" }, headers)
    }
    const name = headers.host.replace(/:\d*$/, "").toLowerCase()
    if (isMalformedUrl(url)) {
      return problemToResponse({ status: 400, message: "the request target is not a URL" }, headers)
    }
    const known =
      isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0 ||
      name === "localhost" ||
      [host, ...hostNames].some((each) => each.toLowerCase() === name)
    if (known) return yield* app
    const message = "the Host header does not name this service; add the name to the option hostNames"
    return problemToResponse({ status: 421, message }, headers)
  })

const parserProblem = (error: NodeJS.ErrnoException): Problem => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: "the headers are larger than 16 KiB" }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "the headers did not arrive in time" }
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, message: "the chunk extensions are too large" }
    default:
      return { status: 400, message: "this is not a valid HTTP/1.1 request, or its body ended early" }
  }
}

/** A socket with the response that Node is sending on it, if any. */
type ServerSocket = Socket & {
  readonly _httpMessage?: { readonly headersSent: boolean; readonly req: IncomingMessage } | null
}

/** Sends a response on a connection that Node no longer handles, and closes it. */
const respondAndClose = (
  socket: ServerSocket,
  { body, headers, status }: HttpServerResponse.HttpServerResponse
): void => {
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
