/**
 * A server without Effect that speaks to browsers: `http://127.0.0.1:8080/say?text=hello&lang=en`. The key stays on the server.
 *
 * `PORT=8080 pnpm example examples/promiseServer.ts`, with the variables that `pnpm speech serve` prints.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream/promises"
import { connect, isSpeakError } from "@effect-speech/promise"

const speech = connect()

/** The audio, as it arrives. A failure before the audio is a status; a later one cuts the response short. */
const say = async (request: IncomingMessage, response: ServerResponse) => {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost")
  const left = new AbortController()
  response.once("close", () => left.abort())
  try {
    const options = { lang: searchParams.get("lang") ?? "en", signal: left.signal }
    const { body, headers } = await speech.speak(searchParams.get("text") ?? "", options).response()
    response.setHeaders(headers)
    await pipeline(body, response)
  } catch (error) {
    if (left.signal.aborted || response.headersSent) return
    const status = isSpeakError(error) && error.category === "request" ? 400 : 503
    response.writeHead(status).end(status === 400 ? "Ask for /say?text=…&lang=…" : "There is no speech now.")
  }
}

const server = createServer(say).listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once("SIGTERM", () => {
  server.close()
  void speech.close()
})
