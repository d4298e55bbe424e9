import { setImmediate } from "node:timers/promises"
import * as Undici from "@effect/platform-node/Undici"
import { describe, expect, it } from "@effect/vitest"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as Upload from "@effect-speech/transport/unstable/Upload"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import {
  faultyServer,
  head,
  onRequest,
  respond,
  type Script,
  silent,
  untilZero,
  write
} from "effect-speech-test-support/faultyServer"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
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

/** Closes an exchange that is interrupted, as the end of its attempt does. */
const driverOf = (agent: Agent) => {
  const driver = makeUndiciDriver(agent)
  return (outgoing: Operation.Request, timer = newTimer()) => {
    const { close, response } = driver.exchange(outgoing, timer, undefined)
    return { close, response: Effect.onInterrupt(response, close) }
  }
}

const until = (condition: () => boolean) =>
  untilZero(
    Effect.sync(() => (condition() ? 0 : 1)),
    3000
  )

/** So many turns of the event loop that a dropped connection would have reached its server. */
const someTurns = Effect.promise(async () => {
  for (let turn = 0; turn < 100; turn++) await setImmediate()
})

/** Holds responses back until the test calls them. */
const held = () => {
  const requests: Array<() => void> = []
  const script = (answer: Script): Script =>
    onRequest((socket, elsewhere) => requests.push(() => answer(socket, elsewhere)))
  return { requests, script }
}

describe("a connection that is being made", () => {
  // A server that is silent never ends the handshake.
  const silentServer = faultyServer(silent)
  const untilDropped = (server: { readonly open: () => number }) =>
    Effect.map(untilZero(Effect.sync(server.open), 3000), (left) => expect(left).toBe(0))

  it.scopedLive("is dropped with the last call that waits for it, and not before", () =>
    Effect.gen(function* () {
      const server = yield* silentServer
      const open = driverOf(yield* makeAgent)
      const [one, other] = [open(to(`https://${server.host}`)), open(to(`https://${server.host}`))]
      const waiting = [yield* Effect.fork(one.response), yield* Effect.fork(other.response)] as const
      yield* until(() => server.open() === 2)
      yield* Fiber.interrupt(waiting[0])
      yield* someTurns
      expect(server.open()).toBe(2)
      yield* Fiber.interrupt(waiting[1])
      yield* untilDropped(server)
    })
  )

  it.scopedLive("that fails no longer counts as waiting", () =>
    Effect.gen(function* () {
      const server = yield* silentServer
      const open = driverOf(yield* makeAgent)
      const refused = open(to(yield* refusedAddress))
      expect(yield* Effect.flip(refused.response)).toEqual({
        _tag: "ConnectionFailed",
        reason: "refused",
        code: "ECONNREFUSED"
      })
      const waiting = yield* Effect.fork(open(to(`https://${server.host}`)).response)
      yield* until(() => server.open() === 1)
      yield* Fiber.interrupt(waiting)
      yield* untilDropped(server)
    })
  )

  it.scopedLive("is dropped only when no request is without a response, since undici may send it again", () =>
    Effect.gen(function* () {
      const { requests, script } = held()
      const server = yield* faultyServer(script(respond(200)))
      const silent = yield* silentServer
      const open = driverOf(yield* makeAgent)
      const answer = yield* Effect.fork(open(to(`http://${server.host}`)).response)
      yield* until(() => requests.length === 1)
      const waiting = yield* Effect.fork(open(to(`https://${silent.host}`)).response)
      yield* until(() => silent.open() === 1)
      yield* Fiber.interrupt(waiting)
      yield* someTurns
      expect(silent.open()).toBe(1)
      requests[0]?.()
      expect((yield* Fiber.join(answer)).status).toBe(200)
      yield* untilDropped(silent)
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
      const open = driverOf({ dispatcher, stopConnecting: () => undefined })
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
  it.scopedLive("keeps a body that looks like a 100 Continue, also on a connection that was used before", () =>
    Effect.gen(function* () {
      const body = "HTTP/1.1 100 Continue\r\n\r\n"
      const withHead = (next: Script) => write(head(200, { "content-length": String(body.length) }), next)
      const server = yield* faultyServer(onRequest(write(body, withHead(write(body)))))
      const open = driverOf(yield* makeAgent)
      for (let turn = 0; turn < 2; turn++) {
        const { close, response } = open(to(`http://${server.host}`, Upload.fromStream(Stream.make(hello), undefined)))
        const { pull, status } = yield* response
        expect([status, String(yield* pull), yield* pull]).toEqual([200, body, undefined])
        yield* close()
        yield* Effect.promise(() => setImmediate())
      }
      expect(server.accepted()).toBe(1)
    })
  )
})
