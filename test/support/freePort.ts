/** A port on loopback at which nothing listens. */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/**
 * The port is outside the ranges from which systems give ports to connections and to servers that ask for any (Linux: from 32768).
 * One from there may be given away again before the caller uses it, or while its server is down.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const server = createServer().listen(port, "127.0.0.1")
    try {
      await once(server, "listening")
      server.close()
      await once(server, "close")
      return port
    } catch {
      // It is taken.
    }
  }
}
