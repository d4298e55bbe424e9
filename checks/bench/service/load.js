/**
 * Many calls, some at a time, as a process of its own: `node load.js JOB`, with the job as JSON. Prints what they took.
 *
 * `node:http` and one agent, for the service and for the bare server alike, so that what differs is the other side.
 */
import { Agent } from "node:http"
import { send } from "../../../test/support/serviceProcess.js"

/**
 * @typedef {object} Job
 * @property {string} url
 * @property {import("node:http").OutgoingHttpHeaders} headers
 * @property {string} body In Base64.
 * @property {number} byteLength Of every answer; one of another length is an error.
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
const bytes = Buffer.from(body, "base64")
const agent = new Agent({ keepAlive: true, maxSockets: concurrency })

/** @param {number} number @returns {Promise<Load>} */
const run = async (number) => {
  /** @type {Array<number>} */
  const latencies = []
  let left = number
  const worker = async () => {
    while (left-- > 0) {
      const start = performance.now()
      const answer = await send(url, { agent, headers, body: [bytes] })
      latencies.push(performance.now() - start)
      // A side that is quick because it refuses has not won.
      if (answer.status !== 200 || answer.bytes.length !== byteLength) {
        throw new Error(`${answer.status}, ${answer.bytes.length} bytes: ${answer.bytes.subarray(0, 200)}`)
      }
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { wallMillis: performance.now() - start, latencies: latencies.toSorted((a, b) => a - b) }
}

await run(warmup)
process.stdout.write(JSON.stringify(await run(count)), () => process.exit())
