/** A loopback server that misbehaves byte by byte, as a script says, and counts the sockets that are still in use. */
import { readFileSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { loopback } from "./loopback.js"

/** The behaviour of the server on a connection. `elsewhere` is the address of another server. */
export type Script = (socket: Socket, elsewhere: string) => void

export interface FaultyServer {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** Number of accepted connections. */
  readonly accepted: () => number
  /** Number of connections that sent a byte. */
  readonly used: () => number
  /** Number of open connections. */
  readonly open: () => number
  /** Number of open connections without a complete response. A pooled connection does not count. */
  readonly busy: () => number
}

const settled = new WeakSet<Socket>()

/** A key and its self-signed certificate, in one file. */
export const selfSigned = readFileSync(new URL("selfSigned.pem", import.meta.url))

/** Listens until the scope closes. */
export const faultyServer = (
  script: Script,
  options: { readonly elsewhere?: string; readonly tls?: boolean | undefined } = {}
): Effect.Effect<FaultyServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    let accepted = 0
    let used = 0
    const run = (socket: Socket) =>
      script(
        socket.on("error", () => undefined),
        options.elsewhere ?? ""
      )
    const server: Server = options.tls ? createTlsServer({ key: selfSigned, cert: selfSigned }, run) : createServer(run)
    // Below TLS, a failed handshake counts as a connection too.
    server.on("connection", (socket: Socket) => {
      accepted++
      socket.once("close", () => {
        if (socket.bytesRead > 0) used++
      })
    })
    const { host, sockets } = yield* loopback(server)
    return {
      host,
      accepted: () => accepted,
      used: () => used + [...sockets].filter(({ bytesRead }) => bytesRead > 0).length,
      open: () => sockets.size,
      busy: () =>
        [...sockets].filter((socket) => {
          // A paused socket does not notice that the other side closed.
          socket.resume()
          return !settled.has(socket)
        }).length
    }
  })

/** Waits until `count` is 0, at most `timeoutMillis`, and returns the last count. Default: ten seconds. */
export const untilZero = (count: Effect.Effect<number>, timeoutMillis = 10_000): Effect.Effect<number> =>
  count.pipe(
    Effect.repeat({ until: (left) => left === 0, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutTo({
      duration: timeoutMillis,
      onSuccess: () => Effect.succeed(0),
      onTimeout: () => count
    }),
    Effect.flatten
  )

/** Reads requests. Calls `whole` with the head of each complete request. */
export const eachRequest = (socket: Socket, whole: (head: string) => void): void => {
  let head = ""
  let left: number | "chunked" | undefined
  let end = Buffer.alloc(0)
  socket.on("data", (bytes: Buffer) => {
    settled.delete(socket)
    let body = bytes
    if (left === undefined) {
      head += bytes.toString("latin1")
      const length = head.indexOf("\r\n\r\n") + 4
      if (length < 4) return
      body = Buffer.from(head.slice(length), "latin1")
      left = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Number.NaN)
      if (Number.isNaN(left)) left = /^transfer-encoding:/im.test(head) ? "chunked" : 0
    }
    end = Buffer.concat([end, body.subarray(-7)]).subarray(-7)
    if (left !== "chunked") left -= body.byteLength
    if (left === 0 || (left === "chunked" && end.toString("latin1") === "\r\n0\r\n\r\n")) {
      const requestHead = head
      head = ""
      left = undefined
      whole(requestHead)
    }
  })
}

/** Answers each complete request. */
export const onRequest =
  (answer: Script): Script =>
  (socket, elsewhere) =>
    eachRequest(socket, () => answer(socket, elsewhere))

/** Answers after the first bytes of a request. Then it reads the rest, or nothing more. */
export const onFirstBytes =
  (answer: Script, then: "readsOn" | "readsNoMore" = "readsOn"): Script =>
  (socket, elsewhere) => {
    socket.once("data", () => {
      if (then === "readsOn") socket.resume()
      else socket.pause()
      answer(socket, elsewhere)
    })
  }

/** Reads everything and sends nothing. */
export const silent: Script = (socket) => {
  socket.resume()
}

/** Reads and sends nothing. */
export const readsNothing: Script = (socket) => {
  socket.pause()
}

export const reset: Script = (socket) => {
  socket.resetAndDestroy()
}

/** Ends the connection with a FIN. */
export const hangUp: Script = (socket) => {
  socket.end()
}

/** Runs `next` after a delay. */
export const after =
  (millis: number, next: Script): Script =>
  (socket, elsewhere) => {
    const timer = setTimeout(() => next(socket, elsewhere), millis)
    socket.once("close", () => clearTimeout(timer))
  }

/** Writes these bytes. Runs `next` when they had time to arrive. */
export const write =
  (bytes: Uint8Array | string, next?: Script): Script =>
  (socket, elsewhere) => {
    socket.write(bytes)
    if (next !== undefined) after(50, next)(socket, elsewhere)
  }

/** Writes text in single bytes, each in a turn of its own. Then it runs `next`. */
export const slowly =
  (text: string, next: Script): Script =>
  (socket, elsewhere) => {
    socket.setNoDelay(true)
    const writeFrom = (at: number): void => {
      if (at === text.length) next(socket, elsewhere)
      else socket.write(text.charAt(at), () => setImmediate(writeFrom, at + 1))
    }
    writeFrom(0)
  }

/** Writes the end of a response and keeps the connection open. */
export const settle =
  (bytes: Uint8Array | string): Script =>
  (socket) => {
    socket.write(bytes, () => settled.add(socket))
  }

/** Writes a piece every 20 ms, without an end. */
export const trickle =
  (head: string, piece: Uint8Array | string): Script =>
  (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(piece), 20)
    socket.once("close", () => clearInterval(timer))
  }

/** Writes the same piece `times` times, as fast as the client reads. */
export const flood =
  (head: string, piece: Uint8Array | string, times = Number.POSITIVE_INFINITY): Script =>
  (socket) => {
    let left = times
    const more = () => {
      while (left > 0 && !socket.destroyed) {
        left--
        if (!socket.write(piece)) return
      }
    }
    socket.on("drain", more).write(head)
    more()
  }

type HeaderLines = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The head of a response, without a length. */
export const head = (status: number, headers: HeaderLines = {}): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((one) => `${name}: ${one}\r\n`)
  )
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n`
}

/** Sends a complete response with its length and keeps the connection open. */
export const respond =
  (status: number, headers: HeaderLines = {}, body: Uint8Array | string = ""): Script =>
  (socket, elsewhere) => {
    const bytes = Buffer.from(body as string)
    const location = headers.location === undefined ? {} : { location: elsewhere }
    const length = status === 204 || status === 304 ? {} : { "content-length": String(bytes.byteLength) }
    socket.write(head(status, { ...headers, ...location, ...length }))
    settle(bytes)(socket, elsewhere)
  }

/** One chunk of a chunked body. */
export const chunk = (bytes: Uint8Array | string): Buffer => {
  const data = Buffer.from(bytes as string)
  return Buffer.concat([Buffer.from(`${data.byteLength.toString(16)}\r\n`), data, Buffer.from("\r\n")])
}
