import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Action, type Direction, makeProxy, type Plan, reset, type TcpProxy } from "../../checks/network/proxy.js"
import { faultyServer, silent, untilZero } from "../support/faultyServer.js"
import { scriptedServer } from "../support/scriptedServer.js"

const body = "0123456789".repeat(100)
const request = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`

interface Outcome {
  readonly text: string
  readonly pieces: number
  /** A reset after the first byte can look like a FIN. */
  readonly ended: "not" | "with a FIN" | "by a reset"
  readonly millis: number
}

/** Sends a request through a proxy. Ends with the response, with the connection, or with `stuck`. */
const send = (url: string, stuck: Promise<void> | undefined): Effect.Effect<Outcome> =>
  Effect.async((resume) => {
    const began = performance.now()
    let text = ""
    let pieces = 0
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(request))
    const finish = (ended: Outcome["ended"]) => {
      socket.removeAllListeners("end").destroy()
      resume(Effect.succeed({ text, pieces, ended, millis: performance.now() - began }))
    }
    void stuck?.then(() => finish("not"))
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece
      pieces++
      if (stuck === undefined && text.includes("\r\n\r\n") && text.split("\r\n\r\n")[1]?.length === body.length)
        finish("not")
    })
    socket.on("end", () => finish("with a FIN")).on("error", () => finish("by a reset"))
  })

/** Waits a little longer, to notice unexpected bytes. */
const untilBroken = async ({ happened }: TcpProxy): Promise<void> => {
  while (happened.length === 0) await sleep(5)
  await sleep(100)
}

/** Sends a request to an echo server through a proxy. */
const through = (plan: Plan, isStuck = false) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response, received) => {
      response.sendDate = false
      response.writeHead(200, { "content-length": received.body.length, connection: "close" }).end(received.body)
    })
    const proxy = yield* makeProxy(server.url, [plan], () => 1)
    const outcome = yield* send(proxy.url, isStuck ? untilBroken(proxy) : undefined)
    const head = outcome.text.split("\r\n\r\n")[0] ?? ""
    return { ...outcome, server, proxy, body: outcome.text.slice(head.length + 4) }
  })

type Edge = "start" | "headEnd" | "end"
const at = (direction: Direction, action: Action, edge: Edge, offset = 0, millis?: number): Plan => ({
  disturbances: [{ direction, point: { message: 0, edge, offset }, action, millis }]
})

describe.concurrent("a connection", () => {
  it.scopedLive.each<readonly [name: string, plan: Plan, leastPieces: number, leastMillis: number]>([
    ["without a disturbance", {}, 1, 0],
    ["in slices", { sliceBytes: 3 }, 6, 0],
    // Timers may be a millisecond early.
    ["that is slow", { bytesPerMilli: 10 }, 1, 55],
    ["that is accepted late", { lateMillis: 60 }, 1, 55],
    ["that pauses", at("down", "pause", "headEnd", 10, 60), 1, 55],
    ["that pauses on the way up", at("up", "pause", "end", -1, 60), 1, 55]
  ])("%s forwards everything", ([, plan, leastPieces, leastMillis]) =>
    Effect.gen(function* () {
      const outcome = yield* through(plan)
      expect(outcome.body).toBe(body)
      expect(outcome.server.received.map((each) => each.body.toString())).toEqual([body])
      expect(outcome.proxy.exchanges()).toMatchObject([
        { isRequestComplete: true, status: 200, unwritten: 0, isDelivered: true }
      ])
      expect(outcome.pieces).toBeGreaterThanOrEqual(leastPieces)
      expect(outcome.millis).toBeGreaterThan(leastMillis)
    })
  )

  /** How many bytes of the body arrive, how it ends, and the requests and connections that the service has then. */
  type Broken = readonly [plan: Plan, length: number, ended: Outcome["ended"], received: number, connections: number]
  it.scopedLive.each<Broken>([
    [at("down", "reset", "start"), 0, "by a reset", 0, 0],
    [at("up", "reset", "end", -1), 0, "by a reset", 0, 0],
    [at("down", "cut", "end", -1), 999, "with a FIN", 1, 0],
    [at("up", "cut", "start"), 0, "with a FIN", 0, 0],
    [at("down", "stall", "headEnd", 7), 7, "not", 1, 0],
    [at("up", "stall", "end", -1), 0, "not", 0, 1],
    [at("down", "resetService", "headEnd", 7), 7, "not", 1, 0],
    [at("up", "resetService", "headEnd"), 0, "not", 0, 0],
    [at("up", "resetClient", "headEnd"), 0, "by a reset", 0, 1],
    [at("up", "vanish", "headEnd"), 0, "not", 0, 1]
  ])("with %o has a body of %i bytes and ends %s", ([plan, length, ended, received, connections]) =>
    Effect.gen(function* () {
      const outcome = yield* through(plan, ended === "not")
      expect([outcome.body.length, outcome.ended]).toEqual([length, ended])
      expect(outcome.server.received.length).toBe(received)
      expect(outcome.proxy.happened).toEqual(plan.disturbances)
      if (connections === 0) expect(yield* untilZero(outcome.server.connections)).toBe(0)
      else expect(yield* outcome.server.connections).toBe(connections)
      outcome.proxy.drain()
      expect(yield* untilZero(Effect.sync(outcome.proxy.open))).toBe(0)
      expect(yield* untilZero(outcome.server.connections)).toBe(0)
    })
  )

  it.scopedLive("that its client resets counts the bytes that the service wrote but the client did not read", () =>
    Effect.gen(function* () {
      let goOn = (): void => undefined
      const server = yield* faultyServer((socket) => {
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"))
        goOn = () => socket.write(body.slice(1))
      })
      const proxy = yield* makeProxy(`http://${server.host}`, [at("down", "stall", "headEnd")], () => 1)
      const client = connect(Number(new URL(proxy.url).port), "127.0.0.1", () => client.write(request))
      yield* untilZero(Effect.sync(() => 1 - proxy.happened.length))
      goOn()
      client.resetAndDestroy()
      expect(yield* untilZero(Effect.sync(server.open))).toBe(0)
      expect(proxy.exchanges()).toMatchObject([{ status: 200, unwritten: 1, isDelivered: false }])
    })
  )
})

it.scopedLive("resetting a socket that is ending closes it", () =>
  Effect.gen(function* () {
    const server = yield* faultyServer(silent)
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
    const before = sockets()
    const socket = connect(Number(server.host.split(":")[1]), "127.0.0.1")
    yield* Effect.promise(() => once(socket, "connect"))
    socket.end()
    yield* Effect.promise(() => Promise.resolve())
    reset(socket)
    const left = Effect.sync(() => Math.max(0, sockets() - before))
    expect(yield* untilZero(left, 3000)).toBe(0)
  })
)
