import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { connect, type Speech } from "@effect-speech/promise"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { errorOf, until } from "./service.js"

/** Of pcm16 at 8 kHz, in bytes: 100 minutes. */
const longSpeech = 96_000_000
const block = new Uint8Array(64_000)

/** A service that speaks as fast as it is read, and counts. */
const counts = { connections: 0, sentBytes: 0 }
let server: Server
let url = ""

beforeAll(async () => {
  server = createServer((request, response) => {
    response.writeHead(200, { "x-sample-rate": "8000", "x-encoding": "pcm16", "x-request-id": "id" })
    const send = () => {
      let hasRoom = true
      while (hasRoom && !response.destroyed && counts.sentBytes < longSpeech) {
        hasRoom = response.write(block)
        counts.sentBytes += block.byteLength
      }
    }
    request.resume().on("end", () => setTimeout(send, 2))
    response.on("drain", send)
  })
  server.on("connection", (socket) => {
    counts.connections++
    socket.on("close", () => counts.connections--)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe("a call that is ended at any moment", () => {
  const uses: ReadonlyArray<(speech: Speech) => Promise<unknown>> = [
    async (speech) => speech,
    async (speech) => {
      for await (const _ of speech) await new Promise(setImmediate)
    },
    async (speech) => (await speech.response()).arrayBuffer(),
    async (speech) => speech.wav().pipeTo(new WritableStream()),
    async (speech) => {
      await speech.start()
      await new Promise((resolve) => setTimeout(resolve, 5))
      await speech
    }
  ]

  it("is rejected with the reason of its signal, and leaves no connection and no unhandled rejection", async () => {
    const unhandled: Array<unknown> = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on("unhandledRejection", note)
    const speech = connect({ apiKey: "a.b", ttsBaseUrl: url })
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        counts.sentBytes = 0
        const abort = new AbortController()
        const reason = new Error(`call ${index}`)
        setTimeout(() => abort.abort(reason), (index * 7) % 23)
        const speaking = speech.speak("नम", { signal: abort.signal })
        await expect(uses[index % uses.length]?.(speaking)).rejects.toBe(reason)
      })
    )
    await until(() => counts.connections === 0)
    await speech.close()
    await new Promise(setImmediate)
    process.off("unhandledRejection", note)
    expect(unhandled).toEqual([])
  })
})

it("a speech that nobody reads ends at its total deadline", async () => {
  await using speech = connect({ apiKey: "a.b", ttsBaseUrl: url, deadlines: { total: 40 } })
  const speaking = speech.speak("नम")
  // A busy machine may need longer to begin.
  await speaking.start().catch(() => undefined)
  await until(() => counts.connections === 0)
  const error = await errorOf(speaking)
  expect(error).toMatchObject({ tag: "TtsDeadlineExceeded", facts: { phase: "total", limitMillis: 40 } })
  expect(await speaking.report()).toMatchObject({ sentId: error.call.sentId, billing: "unknown" })
})

describe("a slow reader", () => {
  it("slows the service down, so that memory does not grow", async () => {
    await using speech = connect({ apiKey: "a.b", ttsBaseUrl: url })
    for (const read of [(speaking: Speech) => speaking.stream(), (speaking: Speech) => speaking.wav()]) {
      counts.sentBytes = 0
      const reader = read(speech.speak("नम")).getReader()
      await reader.read()
      let before = -1
      while (before < counts.sentBytes) {
        before = counts.sentBytes
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      // The rest is in the buffers of the sockets.
      expect(counts.sentBytes).toBeLessThan(longSpeech / 4)
      await reader.cancel()
    }
  })
})
