/**
 * A TCP proxy that does to each of its connections what it is told, and keeps what went through it. What it reads of HTTP is
 * only where messages begin and end, so that it can be told to break off there.
 */
import { subscribe } from "node:diagnostics_channel"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Framing, type Point } from "./framing.js"

/** To the service, or from it. */
export type Direction = "up" | "down"

/**
 * | what            | from then on |
 * | --------------- | ------------ |
 * | `pause`         | nothing goes this way for `millis` |
 * | `stall`         | nothing goes this way, and nothing is read, for ever |
 * | `reset`         | both sides are reset |
 * | `cut`           | this way ends in order, and the other goes on |
 * | `clientUntold`  | the service is reset, the client told nothing |
 * | `serviceUntold` | the client is reset, the service told nothing |
 * | `vanish`        | neither is told, and nothing goes either way |
 * | `flip`          | a byte is another one; then all goes on |
 */
export type What = "pause" | "stall" | "reset" | "cut" | "clientUntold" | "serviceUntold" | "vanish" | "flip"

export interface Break {
  readonly direction: Direction
  /** It happens once all bytes before this one have been passed on. */
  readonly point: Point
  readonly what: What
  /** Of a pause; of a reset, how much later it comes. Default: 0. */
  readonly millis?: number | undefined
}

export interface Plan {
  /** Nothing is read from the client, nor the service called, for so long. Default: 0. */
  readonly lateMillis?: number | undefined
  /** Each piece comes so much later, and up to `jitterMillis` more. Default: 0. */
  readonly latencyMillis?: number | undefined
  readonly jitterMillis?: number | undefined
  /** Default: as fast as it goes. */
  readonly bytesPerMilli?: number | undefined
  /** The first of them, 50 times as many, go in pieces of so many. Default: as they came. */
  readonly sliceBytes?: number | undefined
  readonly breaks?: ReadonlyArray<Break> | undefined
}

/** A request as it came from a client, and its answer as it came from the service. */
export interface Exchange {
  readonly request: string
  /** Whether all of the request came. */
  readonly asked: boolean
  /** The status of the answer, where the client was sent as much as its head. */
  readonly status: number | undefined
  /** How many bytes of the answer the service has not written; `undefined` before the end of its head has come. */
  readonly unwritten: number | undefined
  /** Whether the client was sent all of it. */
  readonly delivered: boolean
}

export interface TcpProxy {
  readonly url: string
  /** By connection, in their order. */
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** How many connections there are to the service. */
  readonly attached: () => number
  /** How many clients are connected. */
  readonly open: () => number
  /** How many of them wait for an answer, or for the rest of one. */
  readonly busy: () => number
  /** When a byte last came from a client or went to one, as `performance.now` has it. */
  readonly progressAt: () => number
  /** What has broken. */
  readonly happened: ReadonlyArray<Break>
  /** What is held up is let go of and passed on no more, so that it is seen who has gone. */
  readonly drain: () => void
}

/** Listens until the scope closes. Connections have their plans in turn, and then none. `chance` is for jitter. */
export const makeProxy = (
  service: string,
  plans: ReadonlyArray<Plan>,
  chance: () => number
): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const connections: Array<Connection> = []
    let isDrained = false
    const shared = { happened: [] as Array<Break>, progressAt: 0, chance }
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      const connection = new Connection(client, Number(new URL(service).port), plans[connections.length] ?? {}, shared)
      connections.push(connection)
      // Undici connects anew once a request is given up, though nobody is to use it.
      if (isDrained) connection.drain()
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          for (const connection of connections) connection.destroy()
          server.close(() => resume(Effect.void))
        })
    )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      exchanges: () => connections.flatMap((connection) => connection.exchanges()),
      open: () => connections.filter(({ isOpen }) => isOpen).length,
      attached: () => connections.filter(({ isAttached }) => isAttached).length,
      busy: () => connections.filter(({ isOpen, isIdle }) => isOpen && !isIdle).length,
      progressAt: () => shared.progressAt,
      happened: shared.happened,
      drain: () => {
        isDrained = true
        for (const connection of connections) connection.drain()
      }
    }
  })

/** How many bytes the servers of this process have written, by the ports of a connection: one port may go to several servers. */
const written = new Map<string, Pick<Socket, "bytesWritten">>()
const nameOf = (server: number | undefined, client: number | undefined): string => `${server} ${client}`
subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Socket }
  const name = nameOf(socket.localPort, socket.remotePort)
  written.set(name, socket)
  socket.once("close", () => written.set(name, { bytesWritten: socket.bytesWritten }))
})

interface Shared {
  readonly happened: Array<Break>
  progressAt: number
  readonly chance: () => number
}

/** How many pieces of each direction are slices: to wait for each is work for a process that is busy. */
const slices = 50

class Connection {
  readonly #client: Socket
  readonly #service: Socket
  /** Of the connection to the service. What was not read of it before it was reset, the service alone knows. */
  #name = ""
  readonly #plan: Plan
  readonly #shared: Shared
  /** What was read. */
  readonly #read = { up: new Framing(), down: new Framing() }
  /** How many bytes were passed on. */
  readonly #passed = { up: 0, down: 0 }
  /** Whether what is read is passed on, and its end told. */
  readonly #passes = { up: true, down: true }
  readonly #tells = { up: true, down: true }
  readonly #left: Set<Break>
  readonly #drained = new AbortController()
  readonly #pieces = { up: 0, down: 0 }
  readonly #pieceAt = { up: performance.now(), down: performance.now() }

  constructor(client: Socket, port: number, plan: Plan, shared: Shared) {
    this.#client = client.setNoDelay()
    this.#service = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })
    this.#plan = plan
    this.#left = new Set(plan.breaks)
    this.#shared = shared
    // Whoever reads or writes is told.
    for (const socket of [this.#client, this.#service]) socket.on("error", () => undefined)
    this.#service.once("connect", () => {
      this.#name = nameOf(port, this.#service.localPort)
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
    return this.exchanges().every(({ delivered }) => delivered)
  }

  exchanges(): ReadonlyArray<Exchange> {
    const { down, up } = this.#read
    const isPassed = (end: number | undefined) => end !== undefined && end <= this.#passed.down
    return up.messages.map((request, index) => {
      const answer = down.messages[index]
      return {
        request: request.beginning,
        asked: request.end !== undefined && request.end <= up.total,
        status: isPassed(answer?.headEnd) ? Number(answer?.beginning.slice(9, 12)) : undefined,
        unwritten:
          answer?.end === undefined
            ? undefined
            : Math.max(0, answer.end - (written.get(this.#name)?.bytesWritten ?? 0)),
        delivered: isPassed(answer?.end)
      }
    })
  }

  drain(): void {
    this.#passes.up = false
    this.#passes.down = false
    this.#drained.abort()
    if (!this.isOpen) this.#service.end()
  }

  destroy(): void {
    this.drain()
    this.#client.destroy()
    this.#service.destroy()
  }

  /** Ends early where nothing is passed on any more. */
  async #wait(millis: number): Promise<void> {
    const { signal } = this.#drained
    if (millis > 0) await sleep(millis, undefined, { signal }).catch(() => undefined)
  }

  async #pump(direction: Direction, from: Socket, to: Socket): Promise<void> {
    try {
      await this.#breakHere(direction)
      for await (const chunk of from.iterator({ destroyOnReturn: false })) {
        if (direction === "up") this.#shared.progressAt = performance.now()
        this.#read[direction].push(chunk)
        await this.#pass(direction, to, chunk)
      }
      if (this.#tells[direction]) to.end()
    } catch {
      if (this.#tells[direction]) reset(to)
    }
    if (!this.#drained.signal.aborted) return
    // What the service had already sent is still read, to know how much that was.
    if (direction === "up") to.end()
    else to.destroy()
  }

  async #pass(direction: Direction, to: Socket, chunk: Buffer): Promise<void> {
    const { bytesPerMilli, jitterMillis = 0, latencyMillis = 0 } = this.#plan
    await this.#wait(latencyMillis + this.#shared.chance() * jitterMillis)
    this.#pieceAt[direction] = performance.now()
    let rest = chunk
    let isFlipped = await this.#breakHere(direction)
    while (rest.length > 0 && this.#passes[direction]) {
      const piece = Buffer.from(rest.subarray(0, Math.min(this.#pieceSize(direction), this.#untilBreak(direction))))
      if (isFlipped) piece[0] = (piece[0] ?? 0) ^ 1
      await this.#write(to, piece)
      if (direction === "down") this.#shared.progressAt = performance.now()
      this.#passed[direction] += piece.length
      rest = rest.subarray(piece.length)
      if (bytesPerMilli !== undefined) await this.#wait(Math.min(5, piece.length / bytesPerMilli))
      else if (rest.length > 0) await turn()
      isFlipped = await this.#breakHere(direction)
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
      // As many as had time to come since the last, which may be long ago.
      const now = performance.now()
      const millis = Math.max(5, now - this.#pieceAt[direction])
      this.#pieceAt[direction] = now
      return Math.ceil(millis * bytesPerMilli)
    }
    return sliceBytes !== undefined && this.#pieces[direction]++ < slices ? sliceBytes : Number.POSITIVE_INFINITY
  }

  /** How many bytes go this way before it breaks, as far as that is known. */
  #untilBreak(direction: Direction): number {
    return Math.min(...[...this.#left].map((each) => this.#distance(direction, each)))
  }

  #distance(direction: Direction, { direction: where, point }: Break): number {
    const offset = where === direction ? this.#read[direction].where(point) : undefined
    return offset === undefined ? Number.POSITIVE_INFINITY : offset - this.#passed[direction]
  }

  /** Breaks where that is due before the next byte, and tells whether that one is to be another. */
  async #breakHere(direction: Direction): Promise<boolean> {
    let isFlipped = false
    for (const due of [...this.#left]) {
      if (this.#drained.signal.aborted || this.#distance(direction, due) > 0) continue
      this.#left.delete(due)
      this.#shared.happened.push(due)
      isFlipped ||= due.what === "flip"
      await this.#break(due)
    }
    return isFlipped
  }

  async #break({ direction, millis = 0, what }: Break): Promise<void> {
    const nothingPasses = () => {
      this.#passes.up = false
      this.#passes.down = false
      this.#tells.up = false
      this.#tells.down = false
    }
    switch (what) {
      case "pause":
        return this.#wait(millis)
      case "stall":
        return this.#wait(forever)
      case "reset":
        await this.#wait(millis)
        nothingPasses()
        reset(this.#client)
        reset(this.#service)
        return
      case "cut":
        this.#passes[direction] = false
        this.#tells[direction] = false
        if (direction === "up") this.#service.end()
        else this.#client.end()
        return
      case "clientUntold":
        nothingPasses()
        reset(this.#service)
        return
      case "serviceUntold":
        nothingPasses()
        reset(this.#client)
        return
      case "vanish":
        return nothingPasses()
      case "flip":
        return
    }
  }
}

/**
 * Node's own way ends a socket in order before it resets it, and who hears that takes it for an end. One that is just ending
 * can't be reset: Node would leave it open for ever.
 */
export const reset = (socket: Socket): void => {
  const isEnding = socket.writableEnded && !socket.writableFinished
  Object.assign(socket, { resetAndClosing: !isEnding }).destroy()
}

/** A day. */
const forever = 86_400_000
