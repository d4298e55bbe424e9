/**
 * What the clients need on Node, in one layer.
 */
import { Socket } from "node:net"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { WireId } from "./internal/exchange.js"
import { makeUndiciWire } from "./internal/undiciWire.js"

/** Undici leaves a socket that is still connecting to its time limit, also when it is destroyed itself. */
const dispatcher: Effect.Effect<Undici.Dispatcher, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const connecting = new Set<Socket>()
      const connect = Undici.buildConnector({})
      const agent = new Undici.Agent({
        connect: (options, callback) => {
          const socket: unknown = connect(options, (...result) => {
            if (socket instanceof Socket) connecting.delete(socket)
            callback(...result)
          })
          if (socket instanceof Socket) connecting.add(socket)
        }
      })
      return { agent, connecting }
    }),
    ({ agent, connecting }) =>
      Effect.promise(async () => {
        for (const socket of connecting) socket.destroy()
        await agent.destroy()
      })
  ),
  ({ agent }) => agent
)

/**
 * The recommended HttpClient, which is undici's, and the file system.
 *
 * Undici keeps an early answer to a large upload, sends an exact Content-Length and follows no redirect. The clients of
 * this project recognise this layer and use undici directly: a call then costs less, a file is sent from one block of
 * memory, and no limit but their deadlines ends a call. To anything else it is an HttpClient like any other.
 */
export const layer: Layer.Layer<HttpClient.HttpClient | FileSystem.FileSystem> = Layer.merge(
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.map(dispatcher, (undici) =>
      Object.assign(NodeHttpClient.makeUndici(undici), { [WireId]: makeUndiciWire(undici) })
    )
  ),
  NodeFileSystem.layer
)
