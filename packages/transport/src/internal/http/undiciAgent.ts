import { Socket } from "node:net"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Undici's agent, with control over connections that are still being made. */
export interface Agent {
  readonly dispatcher: Undici.Dispatcher
  /** Drops all connections that are still being made. Undici alone would wait ten seconds for each. */
  readonly stopConnecting: () => void
}

export const makeAgent: Effect.Effect<Agent, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const connecting = new Set<Socket>()
    const connect = Undici.buildConnector({})
    return {
      dispatcher: new Undici.Agent({
        connect: (options, callback) => {
          const socket: unknown = connect(options, (...result) => {
            if (socket instanceof Socket) connecting.delete(socket)
            callback(...result)
          })
          if (socket instanceof Socket) connecting.add(socket)
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
