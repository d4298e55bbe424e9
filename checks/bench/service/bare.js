// Plain JavaScript: no compiler adds to the CPU time that is measured.
/**
 * The least that a server can do for the same response: it reads the body and writes a stored response. `node bare.js FILE`,
 * a file with the response as JSON. Sends its URL when it is ready, and its CPU time for each message.
 */
import { createServer } from "node:http"
import { serveStored } from "./stored.js"

await serveStored(({ bytes, headers }) =>
  createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(200, headers).end(bytes))
  })
)
