// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The clients that are compared. Each is loaded only in the process that uses it. */
import { peers, startPeer } from "../peers/index.js"

/**
 * @typedef {ArrayBuffer | Uint8Array} Bytes
 * @typedef {(path: string) => Promise<string>} Upload Returns the transcript of a file.
 */

/** @template A @typedef {import("./operation.js").Operation<A>} Operation */

/** @template T @typedef {{ readonly label: string, readonly start: (url: string) => T | Promise<T> }} Client The label in Markdown. */

/**
 * The clients of an operation, each in a module of this folder, and then the peers.
 *
 * @param {"speak" | "transcribe" | "upload"} operation
 * @param {Record<string, readonly [label: string, module: string, ...options: ReadonlyArray<unknown>]>} clients
 * @param {(peer: (typeof peers)[string]) => string} labelOf The label of a peer, after its name.
 * @returns {Record<string, Client<any>>}
 */
const clientsOf = (operation, clients, labelOf) => ({
  ...Object.fromEntries(
    Object.entries(clients).map(([name, [label, module, ...options]]) => {
      const url = new URL(`${module}.js`, import.meta.url).href
      return [
        name,
        { label, start: async (/** @type {string} */ to) => (await import(url))[operation](to, ...options) }
      ]
    })
  ),
  ...Object.fromEntries(
    Object.entries(peers).map(([name, peer]) => [
      name,
      {
        label: `\`${peer.package}\`, ${labelOf(peer)}`,
        start: (/** @type {string} */ to) => startPeer(name, operation, to)
      }
    ])
  )
})

/** A client over a layer of HttpClient. @param {string} what @param {"ours" | "bare" | "bodies"} module @param {string} layer */
const over = (what, module, layer) => /** @type {const} */ ([`${what}, \`${layer}\``, module, layer])

/** The clients over the layers that a program may already have. `bare` is over that of undici. @param {string} what */
const overLayers = (what) => ({
  "ours-undici": over(what, "ours", "NodeHttpClient.layerUndici"),
  "ours-node": over(what, "ours", "NodeHttpClient.layer"),
  "bare-node": over(bareClient, "bare", "NodeHttpClient.layer"),
  "ours-fetch": over(what, "ours", "FetchHttpClient.layer"),
  "bare-fetch": over(bareClient, "bare", "FetchHttpClient.layer")
})

const bareClient = "bare `HttpClient`"
const synthesize = "`TextToSpeech.synthesize`"
const transcribe = "`SpeechToText.transcribe`"

/** @type {Record<string, Client<Operation<Bytes>>>} */
export const speakers = clientsOf(
  "speak",
  {
    ours: over(synthesize, "ours", "NodeTransport.layer"),
    promise: ["`@effect-speech/promise`, `speak`", "promise"],
    bare: over(bareClient, "bare", "NodeHttpClient.layerUndici"),
    undici: ["`undici.request`", "plain", "undici"],
    fetch: ["`fetch`", "plain", "fetch"],
    ...overLayers(synthesize)
  },
  ({ speak }) => `\`${speak}\``
)

/** @type {Record<string, Client<Operation<string>>>} */
export const transcribers = clientsOf(
  "transcribe",
  {
    ours: over(transcribe, "ours", "NodeTransport.layer"),
    promise: ["`@effect-speech/promise`, `transcribe`", "promise"],
    "ours-file": ["the same of a file, `AudioSource.fromPath`", "ours", "NodeTransport.layer", { file: true }],
    bare: over(bareClient, "bare", "NodeHttpClient.layerUndici"),
    "bare-file": ["the same of a file, read by `readFile`", "bare", "NodeHttpClient.layerUndici", { file: true }],
    undici: ["`undici.request`, its `FormData`", "plain", "undici"],
    fetch: ["`fetch`, `FormData`", "plain", "fetch"],
    ...overLayers(transcribe)
  },
  ({ transcribe }) => `\`${transcribe}\``
)

const fromPath = "`AudioSource.fromPath`"
const fromStream = "`AudioSource.fromStream`"
/** @param {string} what @param {string} source @param {string} [layer] */
const ours = (what, source, layer = "NodeTransport.layer") =>
  /** @type {const} */ ([`${what}, \`${layer}\``, "ours", source, layer])

/** @type {Record<string, Client<Upload>>} */
export const uploaders = clientsOf(
  "upload",
  {
    raw: ["`node:http`, `fs.createReadStream(path).pipe(request)`", "plain", "http"],
    ours: ours(fromPath, "path"),
    "ours-memory": ours(`${fromStream} of 64 KiB chunks in memory`, "memory"),
    "ours-memory-long": ours(`${fromStream} of 1 MiB chunks in memory`, "memoryLong"),
    "ours-stream": ours(`${fromStream} of \`fs.stream\` with \`byteLength\``, "stream"),
    "ours-stream-long": ours(`${fromStream} of \`fs.stream\` with chunks of 1 MiB and \`byteLength\``, "streamLong"),
    "stream-alone": ["`fs.stream` alone, read and not sent", "bare"],
    "ours-undici": ours(fromPath, "path", "NodeHttpClient.layerUndici"),
    "body-undici": over("`HttpBody.raw` of an `fs.createReadStream`", "bodies", "NodeHttpClient.layerUndici"),
    "ours-node": ours(fromPath, "path", "NodeHttpClient.layer"),
    "body-node": over("`HttpBody.stream` of an `fs.createReadStream`", "bodies", "NodeHttpClient.layer"),
    "ours-fetch": ours(fromPath, "path", "FetchHttpClient.layer"),
    "body-fetch": over("`HttpBody.raw` of an `fs.openAsBlob`", "bodies", "FetchHttpClient.layer"),
    undici: ["`undici.request` of an `fs.createReadStream`", "plain", "undici"],
    fetch: ["`fetch` of a `FormData` with an `fs.openAsBlob`", "plain", "fetch"]
  },
  () => "an `fs.createReadStream`"
)
