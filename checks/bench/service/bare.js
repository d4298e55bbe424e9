// Plain JavaScript: no compiler adds to the CPU time that is measured.
/**
 * The least that a server can do for the same response: it reads the body and writes a stored response. `node bare.js FILE`,
 * a file with the response as JSON. Sends its URL when it is ready, and its CPU time for each message.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { listen } from "effect-speech-test-support/plainHttp"
import { cpuMicros, serve } from "../../support/serve.js"

const { body, headers } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
const bytes = Buffer.from(body, "base64")
const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(200, headers).end(bytes))
})
serve(() => ({ cpuMicros: cpuMicros() }), { ready: await listen(server) })
