// Plain JavaScript: no compiler slows the server down.
/** The simplest server that all clients can call, as a process of its own: `node server.js`. Sends its URL when it is ready. */
import { createServer } from "node:http"
import { listen } from "effect-speech-test-support/plainHttp"
import { audio, audioHeaders, isSpeechPath, recording, transcript, transcriptOf } from "./contract.js"

let responses = 0

/** @type {import("node:http").RequestListener} */
const speak = (request, response) => {
  request.resume().once("end", () => {
    response
      .writeHead(200, {
        ...audioHeaders,
        "Content-Length": audio.byteLength,
        "X-Request-Id": request.headers["x-request-id"] ?? `request-${++responses}`
      })
      .end(audio)
  })
}

/** @param {import("node:http").ServerResponse} response @param {unknown} value */
const respond = (response, value) => {
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
 * Passes on the transcript of a body, if it holds the whole small recording. Else the number of bytes that arrived, as JSON, so
 * that the client can compare it with what it sent.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {(text: string) => void} heard
 */
const readRecording = (request, heard) => {
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
    /** @type {import("./contract.js").Arrival} */
    const arrival = { declared: declared === undefined ? null : Number(declared), received }
    heard(JSON.stringify(arrival))
  })
}

/** The syntheses that wait for `/release`. @type {Array<() => void>} */
const held = []

/** @type {import("node:http").RequestListener} */
const route = (request, response) => {
  const path = request.url?.split("?")[0] ?? ""
  if (path === "/hold/tts/bytes") return void held.push(() => speak(request, response))
  if (path === "/held") return void response.end(String(held.length))
  if (path === "/release") {
    for (const answer of held.splice(0)) answer()
    return void request.resume().once("end", () => response.end())
  }
  const [, count] = /^\/segments\/(\d+)\//.exec(path) ?? []
  if (count !== undefined) {
    const segments_meta = Array.from({ length: Number(count) }, (_, number) => ({ confidence: number / Number(count) }))
    const answer = { status: "success", text: transcript, call_id: "call", aux_info: { segments_meta } }
    return void request.resume().once("end", () => respond(response, answer))
  }
  if (request.method === "POST" && isSpeechPath(path)) return speak(request, response)
  const shape = transcriptOf[path]
  if (shape === undefined) {
    request.resume()
    response.writeHead(404).end()
  } else {
    readRecording(request, (text) => respond(response, shape(text)))
  }
}

// No idle connection is closed: a client that waits for a processor could just send a request.
const server = createServer({ keepAliveTimeout: 0 }, route)

// Node reads a body up to its declared length. More bytes look like an invalid second request.
server.on("clientError", (/** @type {NodeJS.ErrnoException} */ error, socket) => {
  socket.destroy()
  if (error.code?.startsWith("HPE_") !== true) return
  console.error(`A client sent invalid HTTP: ${error.code}`)
  process.exitCode = 1
})

process.once("disconnect", () => process.exit())
process.send?.(await listen(server))
