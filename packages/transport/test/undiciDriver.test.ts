import { setImmediate } from "node:timers/promises"
import * as Undici from "@effect/platform-node/Undici"
import { describe, expect, it } from "@effect/vitest"
import type { Operation } from "@effect-speech/transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  faultyServer,
  head,
  onRequest,
  respond,
  type Script,
  silent,
  untilZero,
  write
} from "../../../test/support/faultyServer.js"
import { refusedAddress } from "../../../test/support/refusedAddress.js"
import { type Agent, makeAgent } from "../src/internal/http/undiciAgent.js"
import { makeUndiciDriver } from "../src/internal/http/undiciDriver.js"
import { CallTimer } from "../src/internal/timer/callTimer.js"
import { deadlines } from "./scriptedTransport.js"

const newTimer = () => new CallTimer(Clock.make(), { ...deadlines, total: 60_000 })

const hello = new TextEncoder().encode("hello")

const to = (url: string, body: Operation.Request["body"] = hello): Operation.Request => ({
  url: new URL(url),
  headers: { "Content-Type": "text/plain" },
  body,
  context: undefined
})

/** A driver that counts how often it drops connections that are being made. */
const driverOf = (agent: Agent) => {
  let stopped = 0
  const driver = makeUndiciDriver({
    dispatcher: agent.dispatcher,
    stopConnecting: () => {
      stopped++
      agent.stopConnecting()
    }
  })
  return {
    open: (outgoing: Operation.Request, timer = newTimer()) => driver.exchange(outgoing, timer, undefined),
    stopped: () => stopped
  }
}

const until = (condition: () => boolean) =>
  untilZero(
    Effect.sync(() => (condition() ? 0 : 1)),
    3000
  )

/** Holds responses back until the test calls them. */
const held = () => {
  const requests: Array<() => void> = []
  const script = (answer: Script): Script =>
    onRequest((socket, elsewhere) => requests.push(() => answer(socket, elsewhere)))
  return { requests, script }
}

describe("a connection that is being made", () => {
  it.scopedLive("is dropped with the last call that waits for it, and not before", () =>
    Effect.gen(function* () {
      const server = yield* faultyServer(silent)
      const { open, stopped } = driverOf(yield* makeAgent)
      // A server that is silent never ends the handshake.
      const [one, other] = [open(to(`https://${server.host}`)), open(to(`https://${server.host}`))]
      const waiting = [yield* Effect.fork(one.response), yield* Effect.fork(other.response)] as const
      yield* until(() => server.open() === 2)
      yield* Fiber.interrupt(waiting[0])
      expect([stopped(), server.open()]).toEqual([0, 2])
      yield* Fiber.interrupt(waiting[1])
      expect(stopped()).toBe(1)
      expect(yield* untilZero(Effect.sync(server.open), 3000)).toBe(0)
    })
  )

  it.scopedLive("that fails no longer counts as waiting", () =>
    Effect.gen(function* () {
      const server = yield* faultyServer(silent)
      const { open, stopped } = driverOf(yield* makeAgent)
      const refused = open(to(yield* refusedAddress))
      expect(yield* Effect.flip(refused.response)).toEqual({
        _tag: "ConnectionFailed",
        reason: "refused",
        code: "ECONNREFUSED"
      })
      yield* refused.close()
      expect(stopped()).toBe(0)
      const waiting = yield* Effect.fork(open(to(`https://${server.host}`)).response)
      yield* until(() => server.open() === 1)
      yield* Fiber.interrupt(waiting)
      expect(stopped()).toBe(1)
    })
  )

  it.scopedLive("is dropped while requests on other connections go on", () =>
    Effect.gen(function* () {
      const { requests, script } = held()
      const server = yield* faultyServer(script(respond(200)))
      const silentServer = yield* faultyServer(silent)
      const { open, stopped } = driverOf(yield* makeAgent)
      const answer = yield* Effect.fork(open(to(`http://${server.host}`)).response)
      yield* until(() => requests.length === 1)
      const waiting = yield* Effect.fork(open(to(`https://${silentServer.host}`)).response)
      yield* until(() => silentServer.open() === 1)
      yield* Fiber.interrupt(waiting)
      expect(stopped()).toBe(1)
      requests[0]?.()
      expect((yield* Fiber.join(answer)).status).toBe(200)
    })
  )
})

describe("a request", () => {
  it.scopedLive("that ended before its turn is not sent", () =>
    Effect.gen(function* () {
      const { requests, script } = held()
      const server = yield* faultyServer(script(respond(200)))
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(() => new Undici.Agent({ connections: 1 })),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const { open } = driverOf({ dispatcher, stopConnecting: () => undefined })
      const first = yield* Effect.fork(open(to(`http://${server.host}`)).response)
      yield* until(() => requests.length === 1)
      const timer = newTimer()
      const second = yield* Effect.fork(open(to(`http://${server.host}`), timer).response)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(second)
      const third = yield* Effect.fork(open(to(`http://${server.host}/third`)).response)
      requests[0]?.()
      yield* Fiber.join(first)
      yield* until(() => requests.length === 2)
      requests[1]?.()
      yield* Fiber.join(third)
      expect(requests.length).toBe(2)
      expect(timer.sent).toBe("nothing")
    })
  )
})

describe("a response", () => {
  it.scopedLive("is the one after early hints, with the values of repeated headers joined", () =>
    Effect.gen(function* () {
      const hint = "HTTP/1.1 103 Early Hints\r\nx-a: 0\r\n\r\n"
      const server = yield* faultyServer(onRequest(write(hint, respond(200, { "x-a": ["1", "2"], "x-b": "3" }))))
      const { open } = driverOf(yield* makeAgent)
      const { header, status } = yield* open(to(`http://${server.host}`)).response
      expect([status, header("x-a"), header("x-b"), header("x-c")]).toEqual([200, "1, 2", "3", undefined])
    })
  )

  it.scopedLive("frees its connection if it was read to its end, and closes it otherwise", () =>
    Effect.gen(function* () {
      const server = yield* faultyServer(onRequest(respond(200, {}, "hello")))
      const endless = yield* faultyServer(onRequest(write(`${head(200)}hello`)))
      const { open } = driverOf(yield* makeAgent)
      for (let turn = 0; turn < 2; turn++) {
        const { close, response } = open(to(`http://${server.host}`))
        const { pull } = yield* response
        expect([yield* pull, yield* pull]).toEqual([Buffer.from("hello"), undefined])
        yield* close()
        // Undici waits for the next turn of the event loop before it uses a connection again.
        yield* Effect.promise(() => setImmediate())
      }
      expect([server.accepted(), server.open()]).toEqual([1, 1])

      const { close, response } = open(to(`http://${endless.host}`))
      yield* (yield* response).pull
      expect(endless.open()).toBe(1)
      yield* close()
      expect(yield* untilZero(Effect.sync(endless.open), 3000)).toBe(0)
    })
  )
})
