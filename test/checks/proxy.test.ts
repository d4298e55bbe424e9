import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Direction, makeProxy, type Plan, reset, type TcpProxy, type What } from "../../checks/network/proxy.js"
import { faultyServer, silent, untilNone } from "../support/faultyServer.js"
import { scriptedServer } from "../support/scriptedServer.js"

const body = "0123456789".repeat(100)
const request = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`

interface Heard {
  readonly text: string
  readonly pieces: number
  /** A reset after the first byte may be taken for an end in order. */
  readonly ended: "not" | "in order" | "by a reset"
  readonly millis: number
}

/** Asks through a proxy, until all of the answer has come or the connection ends, or until `stuck`. */
const ask = (url: string, stuck: Promise<void> | undefined): Effect.Effect<Heard> =>
  Effect.async((resume) => {
    const began = performance.now()
    let text = ""
    let pieces = 0
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(request))
    const tell = (ended: Heard["ended"]) => {
      socket.removeAllListeners("end").destroy()
      resume(Effect.succeed({ text, pieces, ended, millis: performance.now() - began }))
    }
    void stuck?.then(() => tell("not"))
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece
      pieces++
      if (stuck === undefined && text.includes("\r\n\r\n") && text.split("\r\n\r\n")[1]?.length === body.length)
        tell("not")
    })
    socket.on("end", () => tell("in order")).on("error", () => tell("by a reset"))
  })

/** And a little longer, for what may come against expectation. */
const untilBroken = async ({ happened }: TcpProxy): Promise<void> => {
  while (happened.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 100))
}

/** A server that echoes, asked through a proxy. */
const through = (plan: Plan, isStuck = false) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response, received) => {
      response.sendDate = false
      response.writeHead(200, { "content-length": received.body.length, connection: "close" }).end(received.body)
    })
    const proxy = yield* makeProxy(server.url, [plan], () => 1)
    const heard = yield* ask(proxy.url, isStuck ? untilBroken(proxy) : undefined)
    const head = heard.text.split("\r\n\r\n")[0] ?? ""
    return { ...heard, server, proxy, body: heard.text.slice(head.length + 4) }
  })

const at = (
  direction: Direction,
  what: What,
  edge: "start" | "headEnd" | "end",
  offset = 0,
  millis?: number
): Plan => ({
  breaks: [{ direction, point: { message: 0, edge, offset }, what, millis }]
})

describe.concurrent("a connection", () => {
  it.scopedLive.each<{ readonly name: string; readonly plan: Plan }>([
    { name: "to which nothing is done", plan: {} },
    { name: "in slices", plan: { sliceBytes: 3 } },
    { name: "that is slow", plan: { bytesPerMilli: 10 } },
    { name: "with latency", plan: { latencyMillis: 20, jitterMillis: 20 } },
    { name: "that is taken late", plan: { lateMillis: 60 } },
    { name: "that pauses", plan: at("down", "pause", "headEnd", 10, 60) },
    { name: "that pauses on the way up", plan: at("up", "pause", "end", -1, 60) }
  ])("$name carries all", ({ name, plan }) =>
    Effect.gen(function* () {
      const heard = yield* through(plan)
      expect(heard.body).toBe(body)
      expect(heard.server.received.map((each) => each.body.toString())).toEqual([body])
      expect(heard.proxy.exchanges()).toMatchObject([{ asked: true, status: 200, unwritten: 0, delivered: true }])
      if (plan.sliceBytes !== undefined) expect(heard.pieces).toBeGreaterThan(5)
      // Timers may be a millisecond early.
      if (!/nothing|slices/.test(name)) expect(heard.millis).toBeGreaterThan(55)
    })
  )

  it.scopedLive.each<{
    readonly plan: Plan
    /** How much of the body comes. */
    readonly length: number
    readonly ended: Heard["ended"]
    /** What the service has of it while the client is still there. */
    readonly received: number
    readonly connections: number
  }>([
    { plan: at("down", "reset", "start"), length: 0, ended: "by a reset", received: 0, connections: 0 },
    { plan: at("up", "reset", "end", 0), length: 0, ended: "by a reset", received: 0, connections: 0 },
    { plan: at("up", "reset", "end", -1), length: 0, ended: "by a reset", received: 0, connections: 0 },
    { plan: at("down", "cut", "end", -1), length: 999, ended: "in order", received: 1, connections: 0 },
    { plan: at("down", "cut", "headEnd", 10), length: 10, ended: "in order", received: 1, connections: 0 },
    { plan: at("up", "cut", "start"), length: 0, ended: "in order", received: 0, connections: 0 },
    { plan: at("down", "stall", "headEnd", 7), length: 7, ended: "not", received: 1, connections: 0 },
    { plan: at("up", "stall", "end", -1), length: 0, ended: "not", received: 0, connections: 1 },
    { plan: at("down", "clientUntold", "headEnd", 7), length: 7, ended: "not", received: 1, connections: 0 },
    { plan: at("up", "clientUntold", "headEnd"), length: 0, ended: "not", received: 0, connections: 0 },
    { plan: at("up", "serviceUntold", "headEnd"), length: 0, ended: "by a reset", received: 0, connections: 1 },
    { plan: at("up", "vanish", "headEnd"), length: 0, ended: "not", received: 0, connections: 1 }
  ])("with $plan.breaks.0 ends $ended after $length bytes", ({ connections, ended, length, plan, received }) =>
    Effect.gen(function* () {
      const heard = yield* through(plan, ended === "not")
      expect([heard.body.length, heard.ended]).toEqual([length, ended])
      expect(heard.server.received.length).toBe(received)
      expect(heard.proxy.happened).toEqual(plan.breaks)
      if (connections === 0) expect(yield* untilNone(heard.server.connections)).toBe(0)
      else expect(yield* heard.server.connections).toBe(connections)
      heard.proxy.drain()
      expect(yield* untilNone(Effect.sync(heard.proxy.open))).toBe(0)
      expect(yield* untilNone(heard.server.connections)).toBe(0)
    })
  )

  it.scopedLive("that its client resets is known to have brought what was written and not read", () =>
    Effect.gen(function* () {
      let goOn = (): void => undefined
      const server = yield* faultyServer((socket) => {
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"))
        goOn = () => socket.write(body.slice(1))
      })
      const proxy = yield* makeProxy(`http://${server.host}`, [at("down", "stall", "headEnd")], () => 1)
      const client = connect(Number(new URL(proxy.url).port), "127.0.0.1", () => client.write(request))
      yield* untilNone(Effect.sync(() => 1 - proxy.happened.length))
      goOn()
      client.resetAndDestroy()
      expect(yield* untilNone(Effect.sync(server.open))).toBe(0)
      expect(proxy.exchanges()).toMatchObject([{ status: 200, unwritten: 1, delivered: false }])
    })
  )

  it.scopedLive("with another byte is otherwise the same", () =>
    Effect.gen(function* () {
      const heard = yield* through(at("down", "flip", "headEnd", 500))
      expect(heard.body).toBe(`${body.slice(0, 500)}1${body.slice(501)}`)
    })
  )
})

it.scopedLive("a socket that is just ending is closed by its reset too", () =>
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
    // The server has an end of it too, which goes with it.
    expect(
      yield* untilNone(
        Effect.sync(() => Math.max(0, sockets() - before)),
        3000
      )
    ).toBe(0)
  })
)
