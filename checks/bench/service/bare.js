/**
 * The least that a server does which gives the same answer: it drains the body and writes what it was given, with the
 * same headers. `node bare.js FILE`, the file with the answer as JSON; says its address to the process that started it.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"

/** @typedef {{ readonly headers: Record<string, string>, readonly body: string }} BareAnswer The body in Base64. */

/** @type {BareAnswer} */
const { body, headers } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
const bytes = Buffer.from(body, "base64")

const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(200, headers).end(bytes))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.send?.(`http://127.0.0.1:${address.port}`)
})
process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system })
})
process.once("disconnect", () => process.exit())
