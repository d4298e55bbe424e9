/** The upload of a large recording: how fast, at what cost, in how much memory. */
import { createCipheriv } from "node:crypto"
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { at, bar, median, megabytes, ratio, spread, table, title, whole } from "../../support/report.js"
import { race } from "./harness.js"

/** @type {ReadonlyArray<readonly [name: string, label: string]>} */
const clients = [
  ["raw", "`node:http`, `fs.createReadStream(path).pipe(request)`"],
  ["ours", "`AudioSource.fromPath`, `NodeTransport.layer`"],
  ["stream", "`AudioSource.fromStream` with `byteLength`, `NodeTransport.layer`"],
  ["stream-unknown", "`AudioSource.fromStream` of unknown length, `NodeTransport.layer`"],
  ["undici", "`AudioSource.fromPath`, `NodeHttpClient.layerUndici`"],
  ["node-http", "`AudioSource.fromPath`, `NodeHttpClient.layer`"],
  ["fetch", "`AudioSource.fromPath`, `FetchHttpClient.layer`"]
]

const mebibyte = 2 ** 20

/** 16-bit mono at 8 kHz. @param {number} byteLength of the whole file */
const wavHeader = (byteLength) => {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0)
  header.writeUInt32LE(byteLength - 8, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(16_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36)
  header.writeUInt32LE(byteLength - 44, 40)
  return header
}

/** A recording of noise: neither a file system nor a network can make it smaller. @param {string} path @param {number} byteLength */
const writeNoise = (path, byteLength) => {
  const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16, 1), Buffer.alloc(16))
  const silence = Buffer.alloc(mebibyte)
  const file = openSync(path, "w")
  writeSync(file, wavHeader(byteLength))
  for (let left = byteLength - 44; left > 0; left -= mebibyte) {
    writeSync(file, noise.update(silence.subarray(0, Math.min(left, mebibyte))))
  }
  // What is still to be written to the disk would be written while the first client is measured.
  fsyncSync(file)
  closeSync(file)
}

/** @param {import("./harness.js").Setting} setting */
export const measureUpload = async ({ folder, quick, url }) => {
  const { rounds, size } = quick ? { rounds: 2, size: 64 * mebibyte } : { rounds: 5, size: 500 * mebibyte }
  const path = join(folder, "recording.wav")
  const smallPath = join(folder, "small.wav")
  writeNoise(path, size)
  writeNoise(smallPath, mebibyte)

  const names = clients.map(([name]) => name)
  /** @type {(name: string) => ReadonlyArray<import("./uploader.js").Upload>} */
  const results = await race("uploader.js", names, rounds, [url, path, smallPath])

  /** @param {string} name */
  const speed = (name) => median(results(name).map(({ wallMillis }) => size / wallMillis / 1000))
  /** @param {string} name */
  const cpus = (name) => results(name).map(({ cpuMicros }) => cpuMicros / 1000)
  /** @param {string} name */
  const cpu = (name) => median(cpus(name))
  /** @param {string} name */
  const memories = (name) => results(name).map(({ idle, peak }) => Math.max(0, peak - idle))
  /** @param {string} name */
  const contentLength = (name) => [...new Set(results(name).map((result) => result.contentLength))].join(", ")

  title(`Upload of ${size / mebibyte} MiB`)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: one upload of 1 MiB to warm up, then one that ` +
      "counts. CPU is user and system, of the client's process alone. Memory is the most that was resident during the " +
      `upload (${at(results("raw"), 0).peakIsOfUpload ? "VmHWM, set back before it" : "of the whole process"}), above ` +
      "what was resident before it.\n"
  )
  table([
    [
      "client",
      "MB/s",
      "speed / raw",
      "CPU, ms",
      "of all rounds",
      "CPU / raw",
      "above idle",
      "at most",
      "Content-Length"
    ],
    ...clients.map(([name, label]) => [
      label,
      whole(speed(name)),
      ratio(speed(name), speed("raw")),
      whole(cpu(name)),
      spread(cpus(name), whole),
      ratio(cpu(name), cpu("raw")),
      megabytes(median(memories(name))),
      megabytes(Math.max(...memories(name))),
      contentLength(name)
    ])
  ])
  const memory = median(memories("ours"))
  bar("at least 0.95x the speed of raw", speed("ours") / speed("raw") >= 0.95, ratio(speed("ours"), speed("raw")))
  bar("at most 1.2x the CPU of raw", cpu("ours") / cpu("raw") <= 1.2, ratio(cpu("ours"), cpu("raw")))
  bar("at most 60 MB above idle", memory <= 60e6, megabytes(memory))
  bar("an exact Content-Length", contentLength("ours") === "exact", contentLength("ours"))
}
