import * as Http from "node:http"
import type { Socket } from "node:net"
import type * as Undici from "@effect/platform-node/Undici"
import { systemCode } from "@effect-speech/common/SystemCode"
import { ProxyError } from "./classifyConnectionError.js"
import { type HttpProxy, portOf } from "./environmentProxy.js"

/** How long the proxy may take to respond: as long as undici waits for a connection. */
const timeoutMillis = 10_000

/**
 * Connects through a proxy, by `CONNECT`. `connect` makes the connection to the proxy, and the secure connection in the
 * tunnel. `hold` registers the socket that waits for the response of the proxy, and returns a function that unregisters it.
 *
 * Undici's own `ProxyAgent` has no way to stop a tunnel that is being made, waits for the proxy for five minutes, and
 * connects again without end if the proxy hangs up.
 */
export const connectThrough = (
  { address, authorization }: HttpProxy,
  connect: Undici.buildConnector.connector,
  hold: (socket: Socket) => () => void,
  options: Undici.buildConnector.Options,
  callback: Undici.buildConnector.Callback
): void => {
  const fail = (code: string | undefined) => callback(new ProxyError(code), null)
  if (typeof address === "string") {
    fail(address)
    return
  }
  const target = new URL(`${options.protocol}//${options.host}`)
  const path = `${target.hostname}:${portOf(target)}`
  connect(
    {
      protocol: address.protocol,
      host: address.host,
      hostname: address.hostname.replace(/^\[|\]$/g, ""),
      port: address.port
    },
    (error, socket) => {
      if (error !== null) return fail(systemCode(error))
      const release = hold(socket)
      Http.request({
        createConnection: () => socket,
        method: "CONNECT",
        path,
        headers: {
          host: path,
          connection: "keep-alive",
          ...(authorization === undefined ? {} : { "proxy-authorization": authorization })
        }
      })
        .setTimeout(timeoutMillis, () => socket.destroy(new ProxyError("ETIMEDOUT")))
        .once("connect", ({ statusCode = 0 }, _, first) => {
          release()
          if (statusCode < 200 || statusCode > 299) {
            socket.destroy()
            return fail(String(statusCode))
          }
          socket.setTimeout(0)
          socket.unshift(first)
          if (target.protocol === "https:") connect({ ...options, httpSocket: socket }, callback)
          else callback(null, socket)
        })
        .once("error", (failure) => {
          release()
          fail(systemCode(failure))
        })
        .end()
    }
  )
}
