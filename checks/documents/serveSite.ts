/** Serves a built site on loopback, as a forge does: `/guides/testing` is the file `guides/testing.html`. */
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".jpg": "image/jpeg",
  ".woff2": "font/woff2"
}

export const serveSite = async (dist: string) => {
  const fileOf = (pathname: string) => {
    const path = join(dist, normalize(decodeURIComponent(pathname)))
    return [path, `${path}.html`, join(path, "index.html")].find((file) => existsSync(file) && statSync(file).isFile())
  }
  const server = createServer(async (request, response) => {
    const file = fileOf(new URL(request.url ?? "/", "http://localhost").pathname)
    const body = await readFile(file ?? join(dist, "404.html"))
    const type = types[extname(file ?? "404.html")] ?? "application/octet-stream"
    response.writeHead(file === undefined ? 404 : 200, { "Content-Type": type }).end(body)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await once(server.close(), "close")
    }
  }
}
