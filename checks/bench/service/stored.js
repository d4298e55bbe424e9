// Plain JavaScript: no compiler adds to the CPU time that is measured.
import { readFileSync } from "node:fs"
import { listen } from "effect-speech-test-support/plainHttp"
import { cpuMicros, serve } from "../../support/serve.js"

/** @typedef {{ readonly headers: Record<string, string>, readonly bytes: Buffer }} Stored */

/**
 * Starts a server of the response in the file that the process was started with. It sends its URL, and its CPU time for each message.
 *
 * @param {(stored: Stored) => import("node:http").Server | Promise<import("node:http").Server>} make
 */
export const serveStored = async (make) => {
  const { body, headers } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
  const server = await make({ headers, bytes: Buffer.from(body, "base64") })
  serve(() => ({ cpuMicros: cpuMicros() }), { ready: await listen(server) })
}
