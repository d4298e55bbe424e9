// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
import { statSync } from "node:fs"
import { peakMemory, resetPeakMemory } from "effect-speech-test-support/memory"
import { uploaders } from "../clients/index.js"

/**
 * @typedef {object} Upload
 * @property {number} cpuMicros User and system time of this process.
 * @property {number} wallMillis
 * @property {number} idle Resident memory after the warm-up, in bytes.
 * @property {number} peak Peak of resident memory during the upload, in bytes.
 * @property {boolean} peakIsOfUpload `false` if the system knows only the peak of the whole process.
 * @property {"exact" | "none"} contentLength
 *
 * @typedef {{ readonly failed: string }} Failed
 */

/**
 * Uploads the small file to warm up, then measures the upload of the file.
 *
 * @param {string} name
 * @param {string} url
 * @param {string} path
 * @param {string} smallPath
 * @returns {Promise<Upload | Failed>}
 */
export const measure = async (name, url, path, smallPath) =>
  measureUpload(
    await /** @type {import("../clients/index.js").Client<any>} */ (uploaders[name]).start(url),
    path,
    smallPath
  )

/**
 * @param {import("../clients/index.js").Upload} upload
 * @param {string} path
 * @param {string} smallPath
 * @returns {Promise<Upload | Failed>}
 */
export const measureUpload = async (upload, path, smallPath) => {
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
  const contentLength = checkArrival(transcript, statSync(path).size)
  return { cpuMicros: user + system, wallMillis, idle, peak: peakMemory(), peakIsOfUpload, contentLength }
}

/** Throws if a part of the file did not arrive. @param {string} transcript @param {number} size */
const checkArrival = (transcript, size) => {
  /** @type {import("../contract.js").Arrival} */
  const { declared, received } = JSON.parse(transcript)
  if (declared !== null && declared !== received) throw new Error(`${received} of ${declared} declared bytes arrived.`)
  // A multipart form adds some hundred bytes.
  const added = received - size
  if (added < 0 || added > 4096) throw new Error(`${received} bytes arrived of a file of ${size}.`)
  return declared === null ? "none" : "exact"
}
