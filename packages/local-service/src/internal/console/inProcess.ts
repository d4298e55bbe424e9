import { Agent, createServer } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
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
      server.emit("connection", service as unknown as Socket)
      return client as unknown as Socket
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

/** The two ends of a connection in memory, with the parts of a socket that Node's HTTP uses. */
const connection = (): readonly [client: End, service: End] => {
  const client = new End()
  const service = new End()
  client.other = service
  service.other = client
  // The service stops its work at once if the client leaves.
  client.once("close", () => service.destroy(reset()))
  return [client, service]
}

const reset = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })

class End extends Duplex {
  other: End | undefined
  #isEnded = false
  /** Runs when this end can read on. */
  #resumeOther: (() => void) | undefined

  override _read(): void {
    const resume = this.#resumeOther
    this.#resumeOther = undefined
    resume?.()
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    const { other } = this
    if (chunk.length === 0 || other === undefined || other.destroyed || other.#isEnded) {
      process.nextTick(done)
      return
    }
    other.#resumeOther = done
    other.push(chunk)
  }

  override _final(done: () => void): void {
    this.other?.endReading()
    process.nextTick(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // The other end reads the bytes that were written before, and then the end.
    this.other?.endReading()
    this._read()
    done(error)
  }

  endReading(): void {
    if (!this.#isEnded && !this.destroyed) this.push(null)
    this.#isEnded = true
  }

  resetAndDestroy(): this {
    this.other?.destroy(reset())
    return this.destroy()
  }

  // A socket has these, and Node calls them. In memory they have nothing to do.
  setTimeout = (): this => this
  setKeepAlive = (): this => this
  setNoDelay = (): this => this
  ref = (): this => this
  unref = (): this => this
}
