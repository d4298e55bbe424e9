import { connect } from "node:net"
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
const ask = (url: string, stuck: Promise<void> | undefined): Effect.Effect<Outcome> =>
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
  while (happened.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Sends a request to an echo server through a proxy. */
const through = (plan: Plan, isStuck = false) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response, received) => {
      response.sendDate = false
      response.writeHead(200, { "content-length": received.body.length, connection: "close" }).end(received.body)
    })
    const proxy = yield* makeProxy(server.url, [plan], () => 1)
    const outcome = yield* ask(proxy.url, isStuck ? untilBroken(proxy) : undefined)
    const head = outcome.text.split("\r\n\r\n")[0] ?? ""
    return { ...outcome, server, proxy, body: outcome.text.slice(head.length + 4) }
  })

const at = (
  direction: Direction,
  action: Action,
  edge: "start" | "headEnd" | "end",
  offset = 0,
  millis?: number
): Plan => ({
  disturbances: [{ direction, point: { message: 0, edge, offset }, action, millis }]
})

describe.concurrent("a connection", () => {
  it.scopedLive.each<{ readonly name: string; readonly plan: Plan }>([
    { name: "without a disturbance", plan: {} },
    { name: "in slices", plan: { sliceBytes: 3 } },
    { name: "that is slow", plan: { bytesPerMilli: 10 } },
    { name: "with latency", plan: { latencyMillis: 20, jitterMillis: 20 } },
    { name: "that is accepted late", plan: { lateMillis: 60 } },
    { name: "that pauses", plan: at("down", "pause", "headEnd", 10, 60) },
    { name: "that pauses on the way up", plan: at("up", "pause", "end", -1, 60) }
  ])("$name forwards everything", ({ name, plan }) =>
    Effect.gen(function* () {
      const outcome = yield* through(plan)
      expect(outcome.body).toBe(body)
      expect(outcome.server.received.map((each) => each.body.toString())).toEqual([body])
      expect(outcome.proxy.exchanges()).toMatchObject([
        { isRequestComplete: true, status: 200, unwritten: 0, isDelivered: true }
      ])
      if (plan.sliceBytes !== undefined) expect(outcome.pieces).toBeGreaterThan(5)
      // Timers may be a millisecond early.
      if (!/without|slices/.test(name)) expect(outcome.millis).toBeGreaterThan(55)
    })
  )

  it.scopedLive.each<{
    readonly plan: Plan
    /** Number of bytes of the body that arrive. */
    readonly length: number
    readonly ended: Outcome["ended"]
    /** Number of requests at the service while the client is connected. */
    readonly received: number
    readonly connections: number
  }>([
    { plan: at("down", "reset", "start"), length: 0, ended: "by a reset", received: 0, connections: 0 },
    { plan: at("up", "reset", "end", 0), length: 0, ended: "by a reset", received: 0, connections: 0 },
    { plan: at("up", "reset", "end", -1), length: 0, ended: "by a reset", received: 0, connections: 0 },
    { plan: at("down", "cut", "end", -1), length: 999, ended: "with a FIN", received: 1, connections: 0 },
    { plan: at("down", "cut", "headEnd", 10), length: 10, ended: "with a FIN", received: 1, connections: 0 },
    { plan: at("up", "cut", "start"), length: 0, ended: "with a FIN", received: 0, connections: 0 },
    { plan: at("down", "stall", "headEnd", 7), length: 7, ended: "not", received: 1, connections: 0 },
    { plan: at("up", "stall", "end", -1), length: 0, ended: "not", received: 0, connections: 1 },
    { plan: at("down", "resetService", "headEnd", 7), length: 7, ended: "not", received: 1, connections: 0 },
    { plan: at("up", "resetService", "headEnd"), length: 0, ended: "not", received: 0, connections: 0 },
    { plan: at("up", "resetClient", "headEnd"), length: 0, ended: "by a reset", received: 0, connections: 1 },
    { plan: at("up", "vanish", "headEnd"), length: 0, ended: "not", received: 0, connections: 1 }
  ])("with $plan.disturbances.0 ends $ended after $length bytes", ({ connections, ended, length, plan, received }) =>
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

  it.scopedLive("that its client resets counts the bytes that the service wrote but nobody read", () =>
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

  it.scopedLive("with a changed byte is otherwise the same", () =>
    Effect.gen(function* () {
      const outcome = yield* through(at("down", "flip", "headEnd", 500))
      expect(outcome.body).toBe(`${body.slice(0, 500)}1${body.slice(501)}`)
    })
  )
})

it.scopedLive("resetting a socket that is ending closes it", () =>
  Effect.gen(function* () {
    const server = yield* faultyServer(silent)
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
    const before = sockets()
    const [host, port] = server.host.split(":")
    const socket = connect(Number(port), host)
    yield* Effect.async<void>((resume) => {
      socket.once("connect", () => resume(Effect.void))
    })
    socket.end()
    yield* Effect.promise(() => Promise.resolve())
    reset(socket)
    expect(
      yield* untilZero(
        Effect.sync(() => Math.max(0, sockets() - before)),
        3000
      )
    ).toBe(0)
  })
)
