// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The clients that are compared. Each is loaded only in the process that uses it. */
import { peers } from "../peers/index.js"

/**
 * @typedef {ArrayBuffer | Uint8Array} Bytes
 * @typedef {(path: string) => Promise<string>} Upload Returns the transcript of a file.
 */

/**
 * @template A
 * @typedef {import("./operation.js").Operation<A>} Operation
 */

/**
 * @template T
 * @typedef {object} Client
 * @property {string} label In Markdown.
 * @property {(url: string) => T | Promise<T>} start
 */

/**
 * The peers with a method for an operation.
 *
 * @param {"speak" | "transcribe" | "upload"} operation
 * @param {(name: string) => string | undefined} labelOf
 * @returns {Record<string, Client<any>>}
 */
const peersThat = (operation, labelOf) =>
  Object.fromEntries(
    Object.keys(peers).flatMap((name) => {
      const label = labelOf(name)
      if (label === undefined) return []
      const start = async (/** @type {string} */ url) =>
        (await import("../peers/operations.js"))[operation](await import(`../peers/${name}.js`), url)
      return [[name, { label, start }]]
    })
  )

/** @type {Record<string, Client<Operation<Bytes>>>} */
export const speakers = {
  ours: {
    label: "`TextToSpeech.synthesize`, `NodeTransport.layer`",
    start: async (url) => (await import("./ours.js")).speak(url)
  },
  "ours-tracing": {
    label: "the same, tracing on",
    start: async (url) => (await import("./ours.js")).speak(url, { tracing: true })
  },
  bare: {
    label: "bare `HttpClient`, `NodeHttpClient.layerUndici`",
    start: async (url) => (await import("./bare.js")).speak(url)
  },
  "bare-scoped": {
    label: "the same with `HttpClient.withScope`",
    start: async (url) => (await import("./bare.js")).speak(url, { scoped: true })
  },
  "bare-tracing": {
    label: "bare `HttpClient`, tracing on",
    start: async (url) => (await import("./bare.js")).speak(url, { tracing: true })
  },
  undici: { label: "`undici.request`", start: async (url) => (await import("./undici.js")).speak(url) },
  fetch: { label: "`fetch`", start: async (url) => (await import("./fetch.js")).speak(url) },
  ...peersThat("speak", (name) => peers[name]?.speak && `\`${peers[name].package}\`, \`${peers[name].speak}\``)
}

/** @type {Record<string, Client<Operation<string>>>} */
export const transcribers = {
  ours: {
    label: "`SpeechToText.transcribe`, `NodeTransport.layer`",
    start: async (url) => (await import("./ours.js")).transcribe(url)
  },
  bare: {
    label: "bare `HttpClient`, `NodeHttpClient.layerUndici`",
    start: async (url) => (await import("./bare.js")).transcribe(url)
  },
  undici: {
    label: "`undici.request`, its `FormData`",
    start: async (url) => (await import("./undici.js")).transcribe(url)
  },
  fetch: { label: "`fetch`, `FormData`", start: async (url) => (await import("./fetch.js")).transcribe(url) },
  ...peersThat("transcribe", (name) => `\`${peers[name]?.package}\`, \`${peers[name]?.transcribe}\``)
}

/** @type {(label: string, ...how: [source: "path" | "stream" | "unknownLength", layer: "node" | "undici" | "nodeHttp" | "fetch"]) => Client<Upload>} */
const ours = (label, ...how) => ({ label, start: async (url) => (await import("./ours.js")).upload(url, ...how) })

/** @type {Record<string, Client<Upload>>} */
export const uploaders = {
  raw: {
    label: "`node:http`, `fs.createReadStream(path).pipe(request)`",
    start: async (url) => (await import("./nodeHttp.js")).upload(url)
  },
  ours: ours("`AudioSource.fromPath`, `NodeTransport.layer`", "path", "node"),
  "ours-stream": ours("`AudioSource.fromStream` with `byteLength`, `NodeTransport.layer`", "stream", "node"),
  "ours-unknown": ours("`AudioSource.fromStream` of unknown length, `NodeTransport.layer`", "unknownLength", "node"),
  "ours-undici": ours("`AudioSource.fromPath`, `NodeHttpClient.layerUndici`", "path", "undici"),
  "ours-node": ours("`AudioSource.fromPath`, `NodeHttpClient.layer`", "path", "nodeHttp"),
  "ours-fetch": ours("`AudioSource.fromPath`, `FetchHttpClient.layer`", "path", "fetch"),
  undici: {
    label: "`undici.request` of an `fs.createReadStream`",
    start: async (url) => (await import("./undici.js")).upload(url)
  },
  fetch: {
    label: "`fetch` of a `FormData` with an `fs.openAsBlob`",
    start: async (url) => (await import("./fetch.js")).upload(url)
  },
  ...peersThat("upload", (name) => `\`${peers[name]?.package}\`, ${peers[name]?.upload}`)
}
