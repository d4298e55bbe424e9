import { Socket } from "node:net"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connectThrough } from "./connectThrough.js"
import { proxiesIn } from "./environmentProxy.js"
import { skipInformational } from "./skipInformational.js"

/** Undici's agent, with the proxies of the environment and with control over connections that are still being made. */
export interface Agent {
  readonly dispatcher: Undici.Dispatcher
  /** Drops all connections that are still being made. Undici alone would wait ten seconds for each. */
  readonly stopConnecting: () => void
}

export const makeAgent: Effect.Effect<Agent, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const proxyOf = proxiesIn(process.env)
    const connecting = new Set<Socket>()
    const hold = (socket: Socket) => {
      connecting.add(socket)
      return () => connecting.delete(socket)
    }
    const untracked = Undici.buildConnector({})
    const connect: Undici.buildConnector.connector = (options, callback) => {
      let release = (): unknown => undefined
      const socket: unknown = untracked(options, (...result) => {
        release()
        callback(...result)
      })
      if (socket instanceof Socket) release = hold(socket)
    }
    return {
      dispatcher: new Undici.Agent({
        // Undici 8 offers HTTP/2 by default, whose connections do not begin as `skipInformational` expects.
        allowH2: false,
        connect: (options, callback) => {
          const connected: Undici.buildConnector.Callback = (...result) => {
            if (result[0] === null) skipInformational(result[1])
            callback(...result)
          }
          const proxy = proxyOf(new URL(`${options.protocol}//${options.host}`))
          if (proxy === undefined) connect(options, connected)
          else connectThrough(proxy, connect, hold, options, connected)
        }
      }),
      stopConnecting: () => {
        for (const socket of connecting) socket.destroy(new Error("No call needs this connection any more."))
      }
    }
  }),
  ({ dispatcher, stopConnecting }) =>
    Effect.promise(() => {
      stopConnecting()
      return dispatcher.destroy()
    })
)
