/** A service with a set speed. It returns the same transcript for the same bytes. */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { startLoopback } from "effect-speech-test-support/loopback"

export interface ScriptedService {
  readonly url: string
  /** The transaction ids of all uploads that arrived whole, in order. */
  readonly uploads: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** The bytes of a second of telephony. */
const bytesPerSecond = 16_000

/** @param speed How many seconds of audio it takes in a second. */
export const startScriptedService = async (speed: number): Promise<ScriptedService> => {
  const uploads: Array<string> = []
  const answer = async (request: IncomingMessage): Promise<string> => {
    const hash = createHash("sha256")
    let head = ""
    let length = 0
    for await (const chunk of request) {
      if (head.length < 4096) head += Buffer.from(chunk).toString("latin1")
      length += chunk.length
      // The ids differ between runs, and the audio does not.
      hash.update(length === chunk.length ? chunk.subarray(chunk.indexOf("RIFF")) : chunk)
    }
    uploads.push(/name="transaction_id"\r\n\r\n([0-9a-f-]{36})/.exec(head)?.[1] ?? "")
    const seconds = length / bytesPerSecond
    await sleep((seconds / speed) * 1000)
    const text = `piece ${length}`
    return JSON.stringify({
      status: "success",
      text,
      call_id: "check",
      aux_info: { confidence: 0.9, segments_meta: [{ start: 0, end: seconds - 1, text, confidence: 0.9 }] }
    })
  }
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.writeHead(200, { "Content-Type": "application/json" }).end(body),
      // The client was killed.
      () => response.destroy()
    )
  })
  const { close, url } = await startLoopback(server)
  return { url, uploads, close }
}
