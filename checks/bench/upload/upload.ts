/** The upload of a large recording: speed, CPU and memory. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { writeNoise } from "effect-speech-test-support/recordings"
import {
  bar,
  measuredBar,
  median,
  megabytes,
  ratio,
  spread,
  table,
  title,
  whole
} from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../../support/interleave.js"
import { uploaders } from "../clients/index.js"
import { measureInProcess, type Setting, startServer } from "../harness.js"
import type { Failed, Upload } from "./measure.js"

type Result = Upload | Failed

const mebibyte = 2 ** 20

/** The clients that send a `Stream`. */
const streams = ["ours-memory", "ours-memory-long"]

/** The HttpClient layers, by the ends of the names of their clients. */
const layers = ["undici", "node", "fetch"]

export const run = async ({ quick }: Setting) => {
  const rounds = quick ? 1 : 3
  const size = (quick ? 64 : 500) * mebibyte
  const folder = temporaryFolder("bench-upload-")
  const path = join(folder, "recording.wav")
  const smallPath = join(folder, "small.wav")
  writeNoise(path, size)
  writeNoise(smallPath, mebibyte)

  const server = await startServer()
  const clients = Object.entries(uploaders)
  const sides = clients.map(([name]) => ({
    name,
    run: () =>
      measureInProcess<Result>("upload", name, server.url, path, smallPath)
        // A client that ends its process has only failed.
        .catch((error): Result => ({ failed: String(error) }))
  }))
  const all = await interleave(sides, { rounds })
  await server.stop()
  rmSync(folder, { recursive: true })

  const failure = (name: string) => resultsOf(all, name).flatMap((each) => ("failed" in each ? [each.failed] : []))[0]
  const uploads = (name: string) => resultsOf(all, name).flatMap((each) => ("failed" in each ? [] : [each]))
  const ofLayers = layers.flatMap((layer) => [`ours-${layer}`, `body-${layer}`])
  for (const name of ["raw", "ours", ...streams, ...ofLayers]) {
    const failed = failure(name)
    if (failed !== undefined) throw new Error(`${name} failed: ${failed}`)
  }

  const speed = (name: string) => median(uploads(name).map(({ wallMillis }) => size / wallMillis / 1000))
  const cpus = (name: string) => uploads(name).map(({ cpuMicros }) => cpuMicros / 1000)
  const cpu = (name: string) => median(cpus(name))
  const memories = (name: string) => uploads(name).map(({ idle, peak }) => Math.max(0, peak - idle))
  const contentLength = (name: string) => [...new Set(uploads(name).map((upload) => upload.contentLength))].join(", ")

  title(`Upload of ${size / mebibyte} MiB`)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: one upload of 1 MiB to warm up, then one that ` +
      "counts. CPU is user and system, of the client's process alone. Memory is the peak of resident memory during the " +
      `upload (${uploads("raw")[0]?.peakIsOfUpload ? "VmHWM, reset before it" : "of the whole process"}), above ` +
      "the resident memory before it. An SDK gets a file as its documents recommend.\n"
  )
  table([
    [
      ...["client", "MB/s", "speed / raw", "CPU, ms", "of all rounds", "CPU / raw"],
      ...["memory above idle", "of all rounds", "Content-Length"]
    ],
    ...clients.map(([name, { label }]) => {
      const failed = failure(name)
      if (failed !== undefined) {
        return [label, `failed: ${failed.slice(0, 120).replaceAll(/[\s|]+/g, " ")}`, ...Array(7).fill("")]
      }
      return [
        ...[label, whole(speed(name)), ratio(speed(name), speed("raw"))],
        ...[whole(cpu(name)), spread(cpus(name), whole), ratio(cpu(name), cpu("raw"))],
        ...[megabytes(median(memories(name))), spread(memories(name), megabytes), contentLength(name)]
      ]
    })
  ])
  const memory = median(memories("ours"))
  measuredBar(
    "at least 0.95x the speed of raw",
    speed("ours") / speed("raw") >= 0.95,
    ratio(speed("ours"), speed("raw"))
  )
  measuredBar("at most 1.2x the CPU of raw", cpu("ours") / cpu("raw") <= 1.2, ratio(cpu("ours"), cpu("raw")))
  measuredBar("at most 60 MB above idle", memory <= 60e6, megabytes(memory))
  bar("an exact Content-Length", contentLength("ours") === "exact", contentLength("ours"))
  for (const name of streams) {
    const label = uploaders[name]?.label ?? name
    measuredBar(
      `${label}: at least the speed of raw`,
      speed(name) / speed("raw") >= 1,
      ratio(speed(name), speed("raw"))
    )
    measuredBar(`${label}: at most 1.3x the CPU of raw`, cpu(name) / cpu("raw") <= 1.3, ratio(cpu(name), cpu("raw")))
  }
  for (const layer of layers) {
    const factor = speed(`ours-${layer}`) / speed(`body-${layer}`)
    const label = uploaders[`body-${layer}`]?.label ?? layer
    measuredBar(`a file over any layer: at least 0.9x the speed of ${label}`, factor >= 0.9, ratio(factor, 1))
  }
}
