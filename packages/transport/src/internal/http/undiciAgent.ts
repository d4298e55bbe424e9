import { Socket } from "node:net"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Undici's agent, and a hold on what it has not connected yet. */
export interface Agent {
  readonly dispatcher: Undici.Dispatcher
  /** Gives up all connections that are still being made; undici would wait ten seconds for each. */
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
        for (const socket of connecting) socket.destroy(new Error("Nobody waits for this connection any more."))
      }
    }
  }),
  ({ dispatcher, stopConnecting }) =>
    Effect.promise(() => {
      stopConnecting()
      return dispatcher.destroy()
    })
)
