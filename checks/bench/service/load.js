// Plain JavaScript: no compiler slows the client down.
/** Many calls at a time, as a process of its own: `node load.js JOB`, with the job as JSON. Prints their times as JSON. */
import { Agent } from "node:http"
import { send } from "effect-speech-test-support/plainHttp"

/**
 * @typedef {object} Job
 * @property {string} url
 * @property {import("node:http").OutgoingHttpHeaders} headers
 * @property {string} body
 * @property {number} byteLength Length of each response. Another length is an error.
 * @property {number} concurrency
 * @property {number} warmup
 * @property {number} count
 *
 * @typedef {object} Load
 * @property {number} wallMillis
 * @property {ReadonlyArray<number>} latencies In milliseconds, the shortest first.
 */

/** @type {Job} */
const { body, byteLength, concurrency, count, headers, url, warmup } = JSON.parse(process.argv[2] ?? "{}")
const agent = new Agent({ keepAlive: true, maxSockets: concurrency })

/**
 * Sends the request, and sends it again if it met a connection that the server was closing: Node closes a connection after 5
 * seconds without a request. A server that is busy for longer has not yet read the request that has arrived.
 *
 * @returns {ReturnType<typeof send>}
 */
const sendUntilRead = () =>
  send(url, { agent, headers, body: [body] }).catch((error) => {
    if (error.code !== "ECONNRESET") throw error
    return sendUntilRead()
  })

/** @param {number} number @returns {Promise<Load>} */
const run = async (number) => {
  /** @type {Array<number>} */
  const latencies = []
  let left = number
  const worker = async () => {
    while (left-- > 0) {
      const start = performance.now()
      const response = await sendUntilRead()
      latencies.push(performance.now() - start)
      if (response.status !== 200 || response.bytes.length !== byteLength) {
        throw new Error(`${response.status}, ${response.bytes.length} bytes: ${response.bytes.subarray(0, 200)}`)
      }
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { wallMillis: performance.now() - start, latencies: latencies.toSorted((a, b) => a - b) }
}

await run(warmup)
process.stdout.write(JSON.stringify(await run(count)), () => process.exit())
