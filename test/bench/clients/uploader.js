/**
 * One client that uploads a recording, as a process of its own: `node uploader.js NAME URL FILE SMALLFILE`. Uploads the
 * small file to warm up, then the file, and prints what that took.
 */
import { createReadStream, statSync, writeFileSync } from "node:fs"
import { at, peakMemory } from "../../support/report.js"
import { choose } from "./harness.js"
import { key } from "./wire.js"

/**
 * @typedef {(path: string) => Promise<string>} Uploader Uploads a file, and gives the transcript.
 *
 * @typedef {object} Upload
 * @property {number} cpuMicros User and system, of this process.
 * @property {number} wallMillis
 * @property {number} idle Resident memory after the warm-up, in bytes.
 * @property {number} peak The most resident memory during the upload, in bytes.
 * @property {boolean} peakIsOfUpload False where the peak can only be had for the life of the process.
 * @property {"exact" | "none"} contentLength
 */

/** @param {string} url @returns {Promise<Uploader>} */
const raw = async (url) => {
  const [{ request }, { json }] = await Promise.all([import("node:http"), import("node:stream/consumers")])
  return (path) =>
    new Promise((resolve, reject) => {
      const headers = {
        "Content-Length": statSync(path).size,
        "Content-Type": "application/octet-stream",
        "X-Api-Key": key
      }
      const upload = request(`${url}/api/transcribe`, { method: "POST", headers }, (response) => {
        json(response).then((body) => resolve(/** @type {{ text: string }} */ (body).text), reject)
      })
      createReadStream(path).once("error", reject).pipe(upload.once("error", reject))
    })
}

/** What a client is given to upload. */
const sources = {
  /** @param {string} path */
  path: async (path) => (await import("@effect-speech/stt/AudioSource")).fromPath(path),
  /** @param {string} path */
  stream: async (path) => stream(path, statSync(path).size),
  /** @param {string} path */
  unknownLength: async (path) => stream(path, undefined)
}

/** @param {string} path @param {number | undefined} byteLength */
const stream = async (path, byteLength) => {
  const [{ fromStream }, { FileSystem }, NodeFileSystem, Effect] = await Promise.all([
    import("@effect-speech/stt/AudioSource"),
    import("@effect/platform/FileSystem"),
    import("@effect/platform-node/NodeFileSystem"),
    import("effect/Effect")
  ])
  const fs = await Effect.runPromise(Effect.provide(FileSystem, NodeFileSystem.layer))
  return fromStream(() => fs.stream(path), { byteLength })
}

/** Each with the file system, as its own modules alone. */
const layers = {
  node: async () => (await import("@effect-speech/transport/node")).layer,
  undici: async () => withFiles((await import("@effect/platform-node/NodeHttpClient")).layerUndici),
  nodeHttp: async () => withFiles((await import("@effect/platform-node/NodeHttpClient")).layer),
  fetch: async () => withFiles((await import("@effect/platform/FetchHttpClient")).layer)
}

/** @param {import("effect/Layer").Layer<import("@effect/platform/HttpClient").HttpClient>} client */
const withFiles = async (client) => {
  const [Layer, NodeFileSystem] = await Promise.all([
    import("effect/Layer"),
    import("@effect/platform-node/NodeFileSystem")
  ])
  return Layer.merge(client, NodeFileSystem.layer)
}

/**
 * @param {keyof typeof sources} source
 * @param {keyof typeof layers} layer
 * @returns {(url: string) => Promise<Uploader>}
 */
const ours = (source, layer) => async (url) => {
  const [{ SpeechToText }, Effect, Layer, ManagedRuntime, Redacted, requirements] = await Promise.all([
    import("@effect-speech/stt/SpeechToText"),
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/ManagedRuntime"),
    import("effect/Redacted"),
    layers[layer]()
  ])
  const service = SpeechToText.layer({ apiKey: Redacted.make(key), baseUrl: url })
  const runtime = ManagedRuntime.make(Layer.provide(service, requirements))
  return async (path) => {
    const audio = await sources[source](path)
    const transcription = Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "hi-general-v2-8khz" }))
    return (await runtime.runPromise(transcription)).text
  }
}

/** @type {Record<string, (url: string) => Promise<Uploader>>} */
const uploaders = {
  raw,
  ours: ours("path", "node"),
  stream: ours("stream", "node"),
  "stream-unknown": ours("unknownLength", "node"),
  undici: ours("path", "undici"),
  "node-http": ours("path", "nodeHttp"),
  fetch: ours("path", "fetch")
}

/** Sets the most memory that this process ever had to what it has now, where that can be done: on Linux. */
const forgetPeak = () => {
  try {
    writeFileSync("/proc/self/clear_refs", "5")
    return true
  } catch {
    return false
  }
}

const path = at(process.argv, 4)
const upload = await choose(uploaders, at(process.argv, 2))(at(process.argv, 3))
await upload(at(process.argv, 5))

const peakIsOfUpload = forgetPeak()
const idle = process.memoryUsage.rss()
const cpu = process.cpuUsage()
const start = performance.now()
const transcript = await upload(path)
const wallMillis = performance.now() - start
const { system, user } = process.cpuUsage(cpu)
const peak = peakMemory()

/** @type {import("./wire.js").Arrival} */
const { declared, received } = JSON.parse(transcript)
if (declared !== null && declared !== received) throw new Error(`${received} of ${declared} declared bytes arrived.`)
// A multipart frame takes some hundred bytes.
const frame = received - statSync(path).size
if (frame < 0 || frame > 4096) throw new Error(`${received} bytes arrived of a file of ${statSync(path).size}.`)

/** @type {Upload} */
const result = {
  cpuMicros: user + system,
  wallMillis,
  idle,
  peak,
  peakIsOfUpload,
  contentLength: declared === null ? "none" : "exact"
}
process.stdout.write(JSON.stringify(result), () => process.exit())
