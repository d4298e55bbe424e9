import { Agent, createServer } from "node:http"
import type { Socket } from "node:net"
import { type Duplex, duplexPair } from "node:stream"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"

/**
 * An HttpClient whose requests reach `app` through a socket in memory. The console calls both operations with it.
 *
 * - Not a direct call of `app`: faults reset the connection, cut a body off, stall it or break a header, and a call is billed when the
 *   client reads the last byte. All of this happens at the socket. Without one, each would need a second implementation, and the
 *   console would show other failures than a program gets.
 * - Not a port: these calls need no key, and any program of the machine could reach a port.
 */
export const inProcessClient = <R>(app: HttpApp.Default<never, R>) =>
  Effect.gen(function* () {
    const handler = yield* NodeHttpServer.makeHandler(Effect.interruptible(app))
    const server = createServer({ requestTimeout: 0 }, handler)
    const connect = () => {
      const [client, service] = connection()
      server.emit("connection", service)
      return client
    }
    // Without `keepAlive` the service would close the connection after an early response, while the request is still being sent.
    const http = Object.assign(new Agent({ keepAlive: true }), { createConnection: connect })
    const client: HttpClient.HttpClient = yield* Effect.provideService(NodeHttpClient.make, NodeHttpClient.HttpAgent, {
      [NodeHttpClient.HttpAgentTypeId]: NodeHttpClient.HttpAgentTypeId,
      http,
      https: http as never
    })
    return client
  })

/** The two ends of a connection in memory, with the methods of a socket that Node's HTTP calls. */
const connection = (): readonly [client: Socket, service: Socket] => {
  const [client, service] = duplexPair()
  // The service stops its work at once if the client leaves.
  client.once("close", () => service.destroy(reset()))
  // The client reads the bytes that were written before, and then the end.
  service.once("close", () => {
    if (!service.writableEnded && !client.destroyed) client.push(null)
  })
  return [asSocket(client, service), asSocket(service, client)]
}

const reset = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })

const asSocket = (end: Duplex, other: Duplex): Socket => {
  // In memory these have nothing to do.
  const nothing = () => end
  const methods = { setTimeout: nothing, setKeepAlive: nothing, setNoDelay: nothing, ref: nothing, unref: nothing }
  const resetAndDestroy = () => {
    other.destroy(reset())
    return end.destroy()
  }
  return Object.assign(end, { ...methods, resetAndDestroy }) as unknown as Socket
}
