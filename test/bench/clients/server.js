/**
 * The other side, as bare as it can be, so that what is measured is the client: `node server.js`. Prints its address on
 * a line, and ends when its standard input does, so that it can't outlive the benchmark.
 */
import { createServer } from "node:http"
import { audio, milliseconds, sampleRate } from "./wire.js"

let answered = 0

/** @type {import("node:http").RequestListener} */
const speak = (request, response) => {
  request.resume().once("end", () => {
    response
      .writeHead(200, {
        "Content-Type": "application/octet-stream",
        "Content-Length": audio.byteLength,
        "X-Sample-Rate": sampleRate,
        "X-Encoding": "pcm16",
        "X-Audio-Duration-Ms": milliseconds,
        "X-Request-Id": request.headers["x-request-id"] ?? `request-${++answered}`
      })
      .end(audio)
  })
}

/**
 * The transcript is what arrived, so that the client's own process can hold it against what it sent.
 *
 * @type {import("node:http").RequestListener}
 */
const transcribe = (request, response) => {
  const declared = request.headers["content-length"]
  let received = 0
  request.on("data", (chunk) => {
    received += chunk.byteLength
  })
  request.once("end", () => {
    /** @type {import("./wire.js").Arrival} */
    const arrival = { declared: declared === undefined ? null : Number(declared), received }
    const body = JSON.stringify({ status: "success", text: JSON.stringify(arrival), call_id: `call-${++answered}` })
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body)
  })
}

/** The service's own paths, and those that the SDKs call. @type {Record<string, import("node:http").RequestListener>} */
const routes = {
  "/tts/bytes": speak,
  "/v1/audio/speech": speak,
  "/v1/speak": speak,
  "/api/transcribe": transcribe
}

const server = createServer((request, response) => {
  const route = request.method === "POST" ? routes[request.url?.split("?")[0] ?? ""] : undefined
  if (route !== undefined) return route(request, response)
  request.resume()
  response.writeHead(404).end()
})

// Node reads no more of a body than was declared; bytes beyond it look like a second request that makes no sense.
server.on("clientError", (/** @type {NodeJS.ErrnoException} */ error, socket) => {
  socket.destroy()
  if (error.code?.startsWith("HPE_") !== true) return
  console.error(`A client sent what HTTP does not allow: ${error.code}`)
  process.exitCode = 1
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`)
})
process.stdin.resume().once("end", () => process.exit())
