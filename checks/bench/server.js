/**
 * The other side, as bare as it can be, so that what is measured is the client: `node server.js`. Prints its address on
 * a line, and ends when its standard input does, so that it can't outlive the benchmark.
 */
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { audio, audioHeaders, idOf, isSpeechPath, recording, textOf, transcript, transcriptOf } from "./wire.js"

let answered = 0

/** @type {import("node:http").RequestListener} */
const speak = (request, response) => {
  request.resume().once("end", () => {
    response
      .writeHead(200, {
        ...audioHeaders,
        "Content-Length": audio.byteLength,
        "X-Request-Id": request.headers["x-request-id"] ?? `request-${++answered}`
      })
      .end(audio)
  })
}

/** @param {import("node:http").ServerResponse} response @param {unknown} value */
const answer = (response, value) => {
  const body = JSON.stringify(value)
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body)
}

const beginning = recording.subarray(0, 64)

/** @param {ReadonlyArray<Buffer>} parts */
const holdsRecording = (parts) => {
  const body = Buffer.concat(parts)
  const start = body.indexOf(beginning)
  return start >= 0 && recording.equals(body.subarray(start, start + recording.length))
}

/**
 * What is heard in a body: the transcript, where the small recording has come whole. Of anything else, what has arrived,
 * so that the client's own process can hold it against what it sent.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {(text: string) => void} heard
 */
const listen = (request, heard) => {
  const declared = request.headers["content-length"]
  let received = 0
  /** @type {Array<Buffer>} */
  const parts = []
  request.on("data", (chunk) => {
    received += chunk.byteLength
    if (received < 2 * recording.byteLength) parts.push(chunk)
  })
  request.once("end", () => {
    if (received < 2 * recording.byteLength && holdsRecording(parts)) return heard(transcript)
    /** @type {import("./wire.js").Arrival} */
    const arrival = { declared: declared === undefined ? null : Number(declared), received }
    heard(JSON.stringify(arrival))
  })
}

/** @type {import("node:http").RequestListener} */
const route = (request, response) => {
  const path = request.url?.split("?")[0] ?? ""
  if (request.method === "POST" && isSpeechPath(path)) return speak(request, response)
  if (request.method === "POST" && path === "/v2/upload") {
    return listen(request, (text) =>
      answer(response, { upload_url: `http://${request.headers.host}/uploaded/${idOf(text)}` })
    )
  }
  const shape = transcriptOf[path.replace(/^\/v2\/transcript\/.*/, "/v2/transcript")]
  if (shape === undefined) {
    request.resume()
    response.writeHead(404).end()
  } else if (request.method === "GET") {
    answer(response, shape(textOf(path.split("/").at(-1) ?? "")))
  } else if (path === "/v2/transcript") {
    json(request).then(
      (body) =>
        answer(
          response,
          shape(
            textOf(
              String(/** @type {any} */ (body).audio_url)
                .split("/")
                .at(-1) ?? ""
            )
          )
        ),
      () => response.writeHead(400).end()
    )
  } else {
    listen(request, (text) => answer(response, shape(text)))
  }
}

// A connection is never closed for being idle, which a client that is kept waiting for a processor would stumble over.
const server = createServer({ keepAliveTimeout: 0 }, route)

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
