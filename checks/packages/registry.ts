import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { startLoopback } from "effect-speech-test-support/loopback"
import type { Tarball } from "./tarballs.js"

/**
 * Starts a registry on loopback with the tarballs, so that the commands of their READMEs install them. A line in an `.npmrc`
 * sends only their scope there. Returns its URL.
 */
export const startRegistry = async (tarballs: ReadonlyArray<Tarball>) => {
  const named = new Map(tarballs.map((tarball) => [`/${tarball.manifest.name}`, tarball]))
  let address = ""
  const server = createServer(({ url = "" }, response) => {
    const path = decodeURIComponent(url)
    const packed = named.get(path.replace(/\.tgz$/, ""))
    if (packed === undefined) return response.writeHead(404).end()
    const { bytes, manifest } = packed
    if (path.endsWith(".tgz")) return response.end(bytes)
    const dist = {
      tarball: `${address}${manifest.name}.tgz`,
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
  address = `${(await startLoopback(server)).url}/`
  server.unref()
  return address
}
