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
 * Makes the clients of an operation: of modules of this folder, and of the peers that have the operation.
 *
 * @param {"speak" | "transcribe" | "upload"} operation
 */
const clientsOf = (operation) => ({
  /** @type {(label: string, module: string, ...options: ReadonlyArray<unknown>) => Client<any>} */
  client: (label, module, ...options) => ({
    label,
    start: async (url) => (await import(new URL(`${module}.js`, import.meta.url).href))[operation](url, ...options)
  }),
  /** @param {(method: string) => string} show @returns {Record<string, Client<any>>} */
  peers: (show) =>
    Object.fromEntries(
      Object.entries(peers).flatMap(([name, { [operation]: method, package: packageName }]) =>
        method === undefined
          ? []
          : [[name, { label: `\`${packageName}\`, ${show(method)}`, start: (url) => startPeer(name, operation, url) }]]
      )
    )
})
const asCode = (/** @type {string} */ method) => `\`${method}\``

const speak = clientsOf("speak")
/** @type {Record<string, Client<Operation<Bytes>>>} */
export const speakers = {
  ours: speak.client("`TextToSpeech.synthesize`, `NodeTransport.layer`", "ours"),
  "ours-tracing": speak.client("the same, tracing on", "ours", { tracing: true }),
  bare: speak.client("bare `HttpClient`, `NodeHttpClient.layerUndici`", "bare"),
  "bare-scoped": speak.client("the same with `HttpClient.withScope`", "bare", { scoped: true }),
  "bare-tracing": speak.client("bare `HttpClient`, tracing on", "bare", { tracing: true }),
  undici: speak.client("`undici.request`", "plain", "undici"),
  fetch: speak.client("`fetch`", "plain", "fetch"),
  ...speak.peers(asCode)
}

const transcribe = clientsOf("transcribe")
/** @type {Record<string, Client<Operation<string>>>} */
export const transcribers = {
  ours: transcribe.client("`SpeechToText.transcribe`, `NodeTransport.layer`", "ours"),
  "ours-file": transcribe.client("the same of a file, `AudioSource.fromPath`", "ours", { file: true }),
  bare: transcribe.client("bare `HttpClient`, `NodeHttpClient.layerUndici`", "bare"),
  "bare-file": transcribe.client("the same of a file, read by `readFile`", "bare", { file: true }),
  undici: transcribe.client("`undici.request`, its `FormData`", "plain", "undici"),
  fetch: transcribe.client("`fetch`, `FormData`", "plain", "fetch"),
  ...transcribe.peers(asCode)
}

const upload = clientsOf("upload")
const fromPath = "`AudioSource.fromPath`"
const fromStream = "`AudioSource.fromStream`"
/** @param {string} what @param {string} source @param {string} [layer] */
const ours = (what, source, layer = "NodeTransport.layer") =>
  upload.client(`${what}, \`${layer}\``, "ours", source, layer)
/** @type {Record<string, Client<Upload>>} */
export const uploaders = {
  raw: upload.client("`node:http`, `fs.createReadStream(path).pipe(request)`", "plain", "http"),
  ours: ours(fromPath, "path"),
  "ours-memory": ours(`${fromStream} of 64 KiB chunks in memory`, "memory"),
  "ours-memory-long": ours(`${fromStream} of 1 MiB chunks in memory`, "memoryLong"),
  "ours-stream": ours(`${fromStream} of \`fs.stream\` with \`byteLength\``, "stream"),
  "ours-stream-long": ours(`${fromStream} of \`fs.stream\` with chunks of 1 MiB and \`byteLength\``, "streamLong"),
  "ours-unknown": ours(`${fromStream} of \`fs.stream\`, unknown length`, "unknown"),
  "bare-stream": upload.client("bare `HttpClient`, `fs.stream`, `NodeHttpClient.layerUndici`", "bare"),
  "stream-alone": upload.client("`fs.stream` alone, read and not sent", "bare", { isSent: false }),
  "ours-undici": ours(fromPath, "path", "NodeHttpClient.layerUndici"),
  "ours-node": ours(fromPath, "path", "NodeHttpClient.layer"),
  "ours-fetch": ours(fromPath, "path", "FetchHttpClient.layer"),
  undici: upload.client("`undici.request` of an `fs.createReadStream`", "plain", "undici"),
  fetch: upload.client("`fetch` of a `FormData` with an `fs.openAsBlob`", "plain", "fetch"),
  ...upload.peers((given) => given)
}
