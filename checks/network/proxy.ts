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
import { Framing } from "./framing.js"
import type { Action, Direction, Disturbance, Plan } from "./schedule.js"

/** A request as the client sent it, and its response as the service sent it. */
export interface Exchange {
  /** The first bytes of the request. */
  readonly request: string
  /** Whether the whole request arrived. */
  readonly isRequestComplete: boolean
  /** The status of the response, if all its headers were forwarded to the client. */
  readonly status: number | undefined
  /** Number of bytes of the response that the service has not written. `undefined` until its end is known. */
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
  /** Time of the last byte from or to a client, by `performance.now`. */
  readonly progressAt: () => number
  /** The actions that happened. */
  readonly happened: ReadonlyArray<Action>
  /** Discards all held bytes and forwards nothing any more, so that closed connections become visible. */
  readonly drain: () => void
}

/** Listens until the scope closes. The n-th connection gets the n-th plan; further ones are undisturbed. */
export const makeProxy = (service: string, plans: ReadonlyArray<Plan>): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const connections: Array<Connection> = []
    const happened: Array<Action> = []
    let isDrained = false
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      const connection = new Connection(client, Number(new URL(service).port), plans[connections.length], happened)
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
    const count = (is: (connection: Connection) => boolean) => connections.filter(is).length
    return {
      url,
      exchanges: () => connections.flatMap((connection) => connection.exchanges()),
      attached: () => count(({ isAttached }) => isAttached),
      open: () => count(({ isOpen }) => isOpen),
      busy: () => count(({ isOpen, isIdle }) => isOpen && !isIdle),
      progressAt: () => Math.max(0, ...connections.map((connection) => connection.progressAt)),
      happened,
      drain: () => {
        isDrained = true
        for (const connection of connections) connection.drain()
      }
    }
  })

const undisturbed: Plan = { lateMillis: 0, latencyMillis: 0, sliceBytes: undefined, disturbances: [] }

/** The sockets of the servers of this process, by both ports: a port of a client can serve several servers. */
const written = new Map<string, Pick<Socket, "bytesWritten">>()
const portsOf = (server: number | undefined, client: number | undefined): string => `${server} ${client}`
subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Socket }
  const name = portsOf(socket.localPort, socket.remotePort)
  written.set(name, socket)
  socket.once("close", () => written.set(name, { bytesWritten: socket.bytesWritten }))
})

/** Number of slices per direction. Each costs a wait, so they are few. */
const slices = 50

/** What one direction of a connection has done. */
const makeSide = (from: Socket, to: Socket) => ({
  from,
  to,
  /** Messages read so far. */
  read: new Framing(),
  /** Number of bytes forwarded. */
  forwarded: 0,
  /** Number of pieces forwarded. */
  pieces: 0,
  /** Whether bytes are forwarded, and whether the end is. */
  forwards: true,
  forwardsEnd: true
})
type Side = ReturnType<typeof makeSide>

class Connection {
  readonly #client: Socket
  readonly #service: Socket
  /** Key of the connection to the service in `written`. After a reset only the service knows what it wrote. */
  #ports = ""
  /** Time of the last byte from or to the client. */
  progressAt = performance.now()
  readonly #plan: Plan
  readonly #happened: Array<Action>
  readonly #sides: Readonly<Record<Direction, Side>>
  readonly #pending: Set<Disturbance>
  readonly #drained = new AbortController()

  constructor(client: Socket, port: number, plan: Plan | undefined, happened: Array<Action>) {
    this.#client = client.setNoDelay()
    this.#service = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })
    this.#plan = plan ?? undisturbed
    this.#pending = new Set(this.#plan.disturbances)
    this.#happened = happened
    this.#sides = { up: makeSide(this.#client, this.#service), down: makeSide(this.#service, this.#client) }
    // Reading and writing report errors themselves.
    for (const socket of [this.#client, this.#service]) socket.on("error", () => undefined)
    this.#service.once("connect", () => {
      this.#ports = portsOf(port, this.#service.localPort)
    })
    void this.#wait(this.#plan.lateMillis).then(() => {
      void this.#pump("up")
      void this.#pump("down")
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
    const { down, up } = this.#sides
    const isForwarded = (end: number | undefined) => end !== undefined && end <= down.forwarded
    return up.read.messages.map((request, index) => {
      const answer = down.read.messages[index]
      return {
        request: request.beginning,
        isRequestComplete: request.end !== undefined && request.end <= up.read.total,
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
    for (const side of Object.values(this.#sides)) side.forwards = false
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
    if (millis > 0) await sleep(millis, undefined, { signal: this.#drained.signal }).catch(() => undefined)
  }

  async #pump(direction: Direction): Promise<void> {
    const side = this.#sides[direction]
    try {
      await this.#disturb(direction)
      for await (const chunk of side.from.iterator({ destroyOnReturn: false })) {
        if (direction === "up") this.progressAt = performance.now()
        side.read.push(chunk)
        await this.#pass(direction, chunk)
      }
      if (side.forwardsEnd) side.to.end()
    } catch {
      if (side.forwardsEnd) reset(side.to)
    }
    if (!this.#drained.signal.aborted) return
    // Read the rest of the response, to know its length.
    if (direction === "up") side.to.end()
    else side.to.destroy()
  }

  async #pass(direction: Direction, chunk: Buffer): Promise<void> {
    const side = this.#sides[direction]
    const { latencyMillis, sliceBytes } = this.#plan
    await this.#wait(latencyMillis)
    let rest = chunk
    await this.#disturb(direction)
    while (rest.length > 0 && side.forwards) {
      const size = sliceBytes !== undefined && side.pieces++ < slices ? sliceBytes : rest.length
      const distances = [...this.#pending].map((each) => this.#distance(direction, each))
      const piece = rest.subarray(0, Math.min(size, ...distances))
      // Before the wait: the client may read the piece before this direction goes on.
      side.forwarded += piece.length
      await this.#write(side.to, piece)
      if (direction === "down") this.progressAt = performance.now()
      rest = rest.subarray(piece.length)
      if (rest.length > 0) await turn()
      await this.#disturb(direction)
    }
  }

  async #write(to: Socket, piece: Buffer): Promise<void> {
    if (to.destroyed || to.write(piece)) return
    await new Promise<void>((resolve) => {
      to.once("drain", resolve).once("close", resolve)
      this.#drained.signal.addEventListener("abort", () => resolve(), { once: true })
    })
  }

  /** Number of bytes to forward in a direction before this disturbance. */
  #distance(direction: Direction, { direction: where, point }: Disturbance): number {
    const { forwarded, read } = this.#sides[direction]
    const offset = where === direction ? read.offsetOf(point) : undefined
    return offset === undefined ? Number.POSITIVE_INFINITY : offset - forwarded
  }

  /** Carries out the disturbances that are due before the next byte. */
  async #disturb(direction: Direction): Promise<void> {
    for (const due of [...this.#pending]) {
      if (this.#drained.signal.aborted || this.#distance(direction, due) > 0) continue
      this.#pending.delete(due)
      this.#happened.push(due.action)
      await this.#carryOut(due)
    }
  }

  async #carryOut({ action, direction, millis }: Disturbance): Promise<void> {
    if (action === "pause") return this.#wait(millis)
    if (action === "stall") return this.#wait(forever)
    const side = this.#sides[direction]
    const ended = action === "cut" ? [side] : Object.values(this.#sides)
    for (const each of ended) Object.assign(each, { forwards: false, forwardsEnd: false })
    if (action === "cut") side.to.end()
    if (action === "reset" || action === "resetClient") reset(this.#client)
    if (action === "reset" || action === "resetService") reset(this.#service)
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
