import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Tarball } from "./tarballs.js"

/**
 * A registry on loopback that has the tarballs and nothing else, so that they are installed by the commands of their
 * READMEs. A line in an `.npmrc` sends the scope there; everything else comes from where it always does.
 */
export const startRegistry = async (tarballs: ReadonlyArray<Tarball>) => {
  const named = new Map(tarballs.map((tarball) => [`/${tarball.manifest.name}`, tarball]))
  const server = createServer(({ url = "" }, response) => {
    const path = decodeURIComponent(url)
    const packed = named.get(path.replace(/\.tgz$/, ""))
    if (packed === undefined) return response.writeHead(404).end()
    const { bytes, manifest } = packed
    if (path.endsWith(".tgz")) return response.end(bytes)
    const dist = {
      tarball: `${address()}${manifest.name}.tgz`,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`
    }
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        name: manifest.name,
        "dist-tags": { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } }
      })
    )
  })
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  server.unref()
  return address()
}
