/** What an upload costs, in this process. */
import { statSync } from "node:fs"
import { peakMemory, resetPeakMemory } from "../../../test/support/memory.js"

import { uploaders } from "../clients/index.js"
import { choose } from "../harness.js"

/**
 * @typedef {object} Upload
 * @property {number} cpuMicros User and system, of this process.
 * @property {number} wallMillis
 * @property {number} idle Resident memory after the warm-up, in bytes.
 * @property {number} peak The most resident memory during the upload, in bytes.
 * @property {boolean} peakIsOfUpload False where the peak can only be had for the life of the process.
 * @property {"exact" | "none"} contentLength
 *
 * @typedef {{ readonly failed: string }} Failed
 */

/**
 * @param {string} name
 * @param {string} url
 * @param {string} path
 * @param {string} smallPath
 * @returns {Promise<Upload | Failed>}
 */
export const measure = async (name, url, path, smallPath) => {
  const upload = await choose(uploaders, name).start(url)
  await upload(smallPath)

  const peakIsOfUpload = resetPeakMemory()
  const idle = process.memoryUsage.rss()
  const cpu = process.cpuUsage()
  const start = performance.now()
  let transcript
  try {
    transcript = await upload(path)
  } catch (error) {
    return { failed: String(error) }
  }
  const wallMillis = performance.now() - start
  const { system, user } = process.cpuUsage(cpu)
  return {
    cpuMicros: user + system,
    wallMillis,
    idle,
    peak: peakMemory(),
    peakIsOfUpload,
    contentLength: arrivedWith(transcript, statSync(path).size)
  }
}

/** Fails if a part of a file has not arrived. @param {string} transcript @param {number} size */
const arrivedWith = (transcript, size) => {
  /** @type {import("../wire.js").Arrival} */
  const { declared, received } = JSON.parse(transcript)
  if (declared !== null && declared !== received) throw new Error(`${received} of ${declared} declared bytes arrived.`)
  // A multipart frame takes some hundred bytes.
  const frame = received - size
  if (frame < 0 || frame > 4096) throw new Error(`${received} bytes arrived of a file of ${size}.`)
  return declared === null ? "none" : "exact"
}
