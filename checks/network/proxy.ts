/**
 * A TCP proxy that disturbs each connection by a plan and records what it forwarded. Of HTTP it knows only where messages begin
 * and end, so that a plan can name such a point.
 */
import { subscribe } from "node:diagnostics_channel"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { loopback } from "effect-speech-test-support/loopback"
import { Framing, type Point } from "./framing.js"

/** `up` is to the service, `down` is to the client. */
export type Direction = "up" | "down"

/**
 * | action        | what happens from then on                                     |
 * | ------------- | ------------------------------------------------------------- |
 * | `pause`       | this direction forwards nothing for `millis`                  |
 * | `stall`       | this direction reads and forwards nothing any more            |
 * | `reset`       | both sides are reset                                          |
 * | `cut`         | this direction ends with a FIN; the other continues           |
 * | `resetService`| the service is reset; the client gets no signal               |
 * | `resetClient` | the client is reset; the service gets no signal               |
 * | `vanish`      | neither side gets a signal, and nothing is forwarded any more |
 */
export type Action = "pause" | "stall" | "reset" | "cut" | "resetService" | "resetClient" | "vanish"

export interface Disturbance {
  readonly direction: Direction
  /** The action happens when all bytes before this point were forwarded. */
  readonly point: Point
  readonly action: Action
  /** The length of a pause, or the delay of a reset, in milliseconds. Default: 0. */
  readonly millis?: number | undefined
}

export interface Plan {
  /** Delay before the client is read and the service is called, in milliseconds. Default: 0. */
  readonly lateMillis?: number | undefined
  /** Delay of each piece, in milliseconds. Default: 0. */
  readonly latencyMillis?: number | undefined
  /** Additional random delay of each piece, at most, in milliseconds. Default: 0. */
  readonly jitterMillis?: number | undefined
  /** Default: no limit. */
  readonly bytesPerMilli?: number | undefined
  /** Size of the first 50 pieces, in bytes. Default: as they arrive. */
  readonly sliceBytes?: number | undefined
  readonly disturbances?: ReadonlyArray<Disturbance> | undefined
}

/** A request as the client sent it, and its response as the service sent it. */
export interface Exchange {
  /** The first bytes of the request. */
  readonly request: string
  /** Whether the whole request arrived. */
  readonly isRequestComplete: boolean
  /** The status of the response, if all its headers were forwarded to the client. */
  readonly status: number | undefined
  /** Number of bytes of the response that the service has not written. `undefined` until all headers arrived. */
  readonly unwritten: number | undefined
  /** Whether the whole response was forwarded to the client. */
  readonly isDelivered: boolean
}

export interface TcpProxy {
  readonly url: string
  /** All exchanges, by connection, in order. */
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** Number of connections to the service. */
  readonly attached: () => number
  /** Number of connected clients. */
  readonly open: () => number
  /** Number of connected clients that wait for a response or for its rest. */
  readonly busy: () => number
  /** Highest number of exchanges at the same time, from the first byte of a request to the last byte of its response. */
  readonly mostAtOnce: () => number
  /** Time of the last byte from or to a client, by `performance.now`. */
  readonly progressAt: () => number
  /** The disturbances that happened. */
  readonly happened: ReadonlyArray<Disturbance>
  /** Discards all held bytes and forwards nothing any more, so that closed connections become visible. */
  readonly drain: () => void
}

/** Listens until the scope closes. The n-th connection gets the n-th plan; further ones are undisturbed. `random` gives the jitter. */
export const makeProxy = (
  service: string,
  plans: ReadonlyArray<Plan>,
  random: () => number
): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const connections: Array<Connection> = []
    let isDrained = false
    let mostAtOnce = 0
    const busy = () => connections.filter(({ isOpen, isIdle }) => isOpen && !isIdle).length
    const shared = {
      happened: [] as Array<Disturbance>,
      progressAt: 0,
      random,
      onRequest: () => {
        mostAtOnce = Math.max(mostAtOnce, busy())
      }
    }
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      const connection = new Connection(client, Number(new URL(service).port), plans[connections.length] ?? {}, shared)
      connections.push(connection)
      // Undici opens a new connection after a request was aborted, even if no request needs it.
      if (isDrained) connection.drain()
    })
    const { url } = yield* loopback(server)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const connection of connections) connection.destroy()
      })
    )
    return {
      url,
      exchanges: () => connections.flatMap((connection) => connection.exchanges()),
      open: () => connections.filter(({ isOpen }) => isOpen).length,
      attached: () => connections.filter(({ isAttached }) => isAttached).length,
      busy,
      mostAtOnce: () => mostAtOnce,
      progressAt: () => shared.progressAt,
      happened: shared.happened,
      drain: () => {
        isDrained = true
        for (const connection of connections) connection.drain()
      }
    }
  })

/** Number of bytes that the servers of this process wrote, by both ports of a connection: a client port can serve several servers. */
const written = new Map<string, Pick<Socket, "bytesWritten">>()
const portsOf = (server: number | undefined, client: number | undefined): string => `${server} ${client}`
subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Socket }
  const name = portsOf(socket.localPort, socket.remotePort)
  written.set(name, socket)
  socket.once("close", () => written.set(name, { bytesWritten: socket.bytesWritten }))
})

interface Shared {
  readonly happened: Array<Disturbance>
  progressAt: number
  readonly random: () => number
  /** Runs when bytes of a request have arrived. */
  readonly onRequest: () => void
}

/** Number of slices per direction. Each costs a wait, so they are few. */
const slices = 50

class Connection {
  readonly #client: Socket
  readonly #service: Socket
  /** Key of the connection to the service in `written`. After a reset only the service knows what it wrote. */
  #ports = ""
  readonly #plan: Plan
  readonly #shared: Shared
  /** Messages read so far. */
  readonly #read = { up: new Framing(), down: new Framing() }
  /** Number of bytes forwarded. */
  readonly #forwarded = { up: 0, down: 0 }
  /** Whether bytes are forwarded, and whether the end is. */
  readonly #forwards = { up: true, down: true }
  readonly #forwardsEnd = { up: true, down: true }
  readonly #pending: Set<Disturbance>
  readonly #drained = new AbortController()
  readonly #pieces = { up: 0, down: 0 }
  readonly #pieceAt = { up: performance.now(), down: performance.now() }

  constructor(client: Socket, port: number, plan: Plan, shared: Shared) {
    this.#client = client.setNoDelay()
    this.#service = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })
    this.#plan = plan
    this.#pending = new Set(plan.disturbances)
    this.#shared = shared
    // Reading and writing report errors themselves.
    for (const socket of [this.#client, this.#service]) socket.on("error", () => undefined)
    this.#service.once("connect", () => {
      this.#ports = portsOf(port, this.#service.localPort)
    })
    shared.progressAt = performance.now()
    void this.#wait(plan.lateMillis ?? 0).then(() => {
      void this.#pump("up", this.#client, this.#service)
      void this.#pump("down", this.#service, this.#client)
    })
  }

  get isAttached(): boolean {
    return !this.#service.destroyed
  }

  get isOpen(): boolean {
    return !this.#client.destroyed && !this.#client.readableEnded
  }

  get isIdle(): boolean {
    return this.exchanges().every(({ isDelivered }) => isDelivered)
  }

  exchanges(): ReadonlyArray<Exchange> {
    const { down, up } = this.#read
    const isForwarded = (end: number | undefined) => end !== undefined && end <= this.#forwarded.down
    return up.messages.map((request, index) => {
      const answer = down.messages[index]
      return {
        request: request.beginning,
        isRequestComplete: request.end !== undefined && request.end <= up.total,
        status: isForwarded(answer?.headEnd) ? Number(answer?.beginning.slice(9, 12)) : undefined,
        unwritten:
          answer?.end === undefined
            ? undefined
            : Math.max(0, answer.end - (written.get(this.#ports)?.bytesWritten ?? 0)),
        isDelivered: isForwarded(answer?.end)
      }
    })
  }

  drain(): void {
    Object.assign(this.#forwards, { up: false, down: false })
    this.#drained.abort()
    if (!this.isOpen) this.#service.end()
  }

  destroy(): void {
    this.drain()
    this.#client.destroy()
    this.#service.destroy()
  }

  /** Waits. Ends early after `drain`. */
  async #wait(millis: number): Promise<void> {
    const { signal } = this.#drained
    if (millis > 0) await sleep(millis, undefined, { signal }).catch(() => undefined)
  }

  async #pump(direction: Direction, from: Socket, to: Socket): Promise<void> {
    try {
      await this.#disturb(direction)
      for await (const chunk of from.iterator({ destroyOnReturn: false })) {
        if (direction === "up") this.#shared.progressAt = performance.now()
        this.#read[direction].push(chunk)
        if (direction === "up") this.#shared.onRequest()
        await this.#pass(direction, to, chunk)
      }
      if (this.#forwardsEnd[direction]) to.end()
    } catch {
      if (this.#forwardsEnd[direction]) reset(to)
    }
    if (!this.#drained.signal.aborted) return
    // Read the rest of the response, to know its length.
    if (direction === "up") to.end()
    else to.destroy()
  }

  async #pass(direction: Direction, to: Socket, chunk: Buffer): Promise<void> {
    const { bytesPerMilli, jitterMillis = 0, latencyMillis = 0 } = this.#plan
    await this.#wait(latencyMillis + this.#shared.random() * jitterMillis)
    this.#pieceAt[direction] = performance.now()
    let rest = chunk
    await this.#disturb(direction)
    while (rest.length > 0 && this.#forwards[direction]) {
      const piece = rest.subarray(0, Math.min(this.#pieceSize(direction), this.#untilDisturbance(direction)))
      // Before the wait: the client may read the piece before this direction goes on.
      this.#forwarded[direction] += piece.length
      await this.#write(to, piece)
      if (direction === "down") this.#shared.progressAt = performance.now()
      rest = rest.subarray(piece.length)
      if (bytesPerMilli !== undefined) await this.#wait(Math.min(5, piece.length / bytesPerMilli))
      else if (rest.length > 0) await turn()
      await this.#disturb(direction)
    }
  }

  async #write(to: Socket, piece: Buffer): Promise<void> {
    if (to.destroyed || to.write(piece)) return
    await new Promise<void>((resolve) => {
      const { signal } = this.#drained
      const goOn = () => {
        to.off("drain", goOn).off("close", goOn)
        signal.removeEventListener("abort", goOn)
        resolve()
      }
      to.on("drain", goOn).on("close", goOn)
      signal.addEventListener("abort", goOn)
    })
  }

  #pieceSize(direction: Direction): number {
    const { bytesPerMilli, sliceBytes } = this.#plan
    if (bytesPerMilli !== undefined) {
      // As many bytes as the bandwidth allows since the last piece.
      const now = performance.now()
      const millis = Math.max(5, now - this.#pieceAt[direction])
      this.#pieceAt[direction] = now
      return Math.ceil(millis * bytesPerMilli)
    }
    return sliceBytes !== undefined && this.#pieces[direction]++ < slices ? sliceBytes : Number.POSITIVE_INFINITY
  }

  /** Number of bytes to forward before the next disturbance. */
  #untilDisturbance(direction: Direction): number {
    return Math.min(...[...this.#pending].map((each) => this.#distance(direction, each)))
  }

  #distance(direction: Direction, { direction: where, point }: Disturbance): number {
    const offset = where === direction ? this.#read[direction].offsetOf(point) : undefined
    return offset === undefined ? Number.POSITIVE_INFINITY : offset - this.#forwarded[direction]
  }

  /** Carries out the disturbances that are due before the next byte. */
  async #disturb(direction: Direction): Promise<void> {
    for (const due of [...this.#pending]) {
      if (this.#drained.signal.aborted || this.#distance(direction, due) > 0) continue
      this.#pending.delete(due)
      this.#shared.happened.push(due)
      await this.#carryOut(due)
    }
  }

  async #carryOut({ direction, millis = 0, action }: Disturbance): Promise<void> {
    const forwardNothing = () => {
      Object.assign(this.#forwards, { up: false, down: false })
      Object.assign(this.#forwardsEnd, { up: false, down: false })
    }
    switch (action) {
      case "pause":
        return this.#wait(millis)
      case "stall":
        return this.#wait(forever)
      case "reset":
        await this.#wait(millis)
        forwardNothing()
        reset(this.#client)
        reset(this.#service)
        return
      case "cut":
        this.#forwards[direction] = false
        this.#forwardsEnd[direction] = false
        void (direction === "up" ? this.#service : this.#client).end()
        return
      case "resetService":
      case "resetClient":
        forwardNothing()
        return reset(action === "resetService" ? this.#service : this.#client)
      case "vanish":
        return forwardNothing()
    }
  }
}

/**
 * Resets a socket without a FIN before the RST, which `resetAndDestroy` of Node sends. A socket that is ending is destroyed: Node would
 * leave it open for good after a reset.
 */
const reset = (socket: Socket): void => {
  const isEnding = socket.writableEnded && !socket.writableFinished
  Object.assign(socket, { resetAndClosing: !isEnding }).destroy()
}

/** One day, in milliseconds. */
const forever = 86_400_000
