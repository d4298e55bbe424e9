/**
 * A service on loopback that takes its time in each phase of a call, and knows which of its responses and sockets are open.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { startLoopback } from "effect-speech-test-support/loopback"
import { noise } from "effect-speech-test-support/random"

export interface SlowServiceOptions {
  /** Before the head of a response, in milliseconds. */
  readonly waitMillis: number
  /** Between two chunks of audio, in milliseconds. */
  readonly pauseMillis: number
  /** Of a speech, in bytes of `8000:pcm16`. */
  readonly audioBytes: number
}

/** Noise: silence would not be sent. */
const chunk = noise(8192, 1)

export const startSlowService = async ({ audioBytes, pauseMillis, waitMillis }: SlowServiceOptions) => {
  /** Requests whose response has not ended, nor has their connection. */
  const open = new Set<ServerResponse>()
  let requests = 0

  const readSlowly = async (request: IncomingMessage) => {
    for await (const _ of request) if (pauseMillis > 0) await sleep(1)
  }
  const speak = async (response: ServerResponse) => {
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": audioBytes,
      "x-sample-rate": "8000",
      "x-encoding": "pcm16",
      "x-audio-duration-ms": String(audioBytes / 16)
    })
    const closed = new Promise((resolve) => response.once("close", resolve))
    for (let sent = 0; sent < audioBytes && !response.destroyed; sent += chunk.byteLength) {
      const isFull = !response.write(chunk.subarray(0, Math.min(chunk.byteLength, audioBytes - sent)))
      if (isFull) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed])
      if (pauseMillis > 0) await sleep(pauseMillis)
    }
    response.end()
  }
  const server = createServer(async (request, response) => {
    requests++
    open.add(response)
    response.once("close", () => open.delete(response)).on("error", () => undefined)
    try {
      await readSlowly(request)
      await sleep(waitMillis)
      if (request.url === "/tts/bytes") await speak(response)
      else {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ status: "success", text: "text", call_id: `call-${requests}` }))
      }
    } catch {
      // The client has left.
    }
  })
  const { close, sockets, url } = await startLoopback(server)
  return { url, open, sockets, close, requests: () => requests }
}

export type SlowService = Awaited<ReturnType<typeof startSlowService>>
