/** The upload of a large recording: how fast, at what cost, in how much memory. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../../../test/support/processes.js"
import { writeNoise } from "../../../test/support/recordings.js"
import { bar, median, megabytes, ratio, spread, table, title, whole } from "../../../test/support/report.js"
import { uploaders } from "../clients/index.js"
import { race, runScript, startServer } from "../harness.js"

/**
 * @typedef {import("./measure.js").Upload | import("./measure.js").Failed} Result
 *
 * @typedef {object} Plan
 * @property {number} rounds
 * @property {number} size
 * @property {(name: string) => boolean} [takesPart]
 * @property {(name: string, url: string, path: string, smallPath: string) => Promise<Result>} measure
 */

export const mebibyte = 2 ** 20

/** @param {import("../harness.js").Setting} setting */
export const run = async ({ quick }) => {
  const server = await startServer()
  await compare(server.url, {
    rounds: quick ? 1 : 3,
    size: (quick ? 64 : 500) * mebibyte,
    // A client that ends its process has failed, and no more.
    measure: (...which) =>
      /** @type {Promise<Result>} */ (runScript(new URL("uploader.js", import.meta.url), which)).catch((error) => ({
        failed: String(error)
      }))
  })
  await server.stop()
}

/** @param {string} url @param {Plan} plan */
export const compare = async (url, { measure, rounds, size, takesPart = () => true }) => {
  const folder = temporaryFolder("bench-upload-")
  const path = join(folder, "recording.wav")
  const smallPath = join(folder, "small.wav")
  writeNoise(path, size)
  writeNoise(smallPath, mebibyte)

  const clients = Object.entries(uploaders).filter(([name]) => takesPart(name))
  const names = clients.map(([name]) => name)
  const results = await race(names, rounds, (name) => measure(name, url, path, smallPath))
  rmSync(folder, { recursive: true })

  /** @param {string} name */
  const failure = (name) => results(name).flatMap((result) => ("failed" in result ? [result.failed] : []))[0]
  /** @param {string} name */
  const uploads = (name) => results(name).flatMap((result) => ("failed" in result ? [] : [result]))
  for (const name of ["raw", "ours"]) {
    const failed = failure(name)
    if (failed !== undefined) throw new Error(`${name} failed: ${failed}`)
  }

  /** @param {string} name */
  const speed = (name) => median(uploads(name).map(({ wallMillis }) => size / wallMillis / 1000))
  /** @param {string} name */
  const cpus = (name) => uploads(name).map(({ cpuMicros }) => cpuMicros / 1000)
  /** @param {string} name */
  const cpu = (name) => median(cpus(name))
  /** @param {string} name */
  const memories = (name) => uploads(name).map(({ idle, peak }) => Math.max(0, peak - idle))
  /** @param {string} name */
  const contentLength = (name) => [...new Set(uploads(name).map((upload) => upload.contentLength))].join(", ")

  title(`Upload of ${size / mebibyte} MiB`)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: one upload of 1 MiB to warm up, then one that ` +
      "counts. CPU is user and system, of the client's process alone. Memory is the most that was resident during the " +
      `upload (${uploads("raw")[0]?.peakIsOfUpload ? "VmHWM, set back before it" : "of the whole process"}), above ` +
      "what was resident before it. An SDK is given a file as its documents recommend.\n"
  )
  table([
    [
      "client",
      "MB/s",
      "speed / raw",
      "CPU, ms",
      "of all rounds",
      "CPU / raw",
      "memory above idle",
      "of all rounds",
      "Content-Length"
    ],
    ...clients.map(([name, { label }]) => {
      const failed = failure(name)
      if (failed !== undefined)
        return [label, `failed: ${failed.slice(0, 120).replaceAll(/[\s|]+/g, " ")}`, ...Array(7).fill("")]
      return [
        label,
        whole(speed(name)),
        ratio(speed(name), speed("raw")),
        whole(cpu(name)),
        spread(cpus(name), whole),
        ratio(cpu(name), cpu("raw")),
        megabytes(median(memories(name))),
        spread(memories(name), megabytes),
        contentLength(name)
      ]
    })
  ])
  const memory = median(memories("ours"))
  bar("at least 0.95x the speed of raw", speed("ours") / speed("raw") >= 0.95, ratio(speed("ours"), speed("raw")))
  bar("at most 1.2x the CPU of raw", cpu("ours") / cpu("raw") <= 1.2, ratio(cpu("ours"), cpu("raw")))
  bar("at most 60 MB above idle", memory <= 60e6, megabytes(memory))
  bar("an exact Content-Length", contentLength("ours") === "exact", contentLength("ours"))
}
