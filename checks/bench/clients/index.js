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
  undici: speak.client("`undici.request`", "undici"),
  fetch: speak.client("`fetch`", "fetch"),
  ...speak.peers(asCode)
}

const transcribe = clientsOf("transcribe")
/** @type {Record<string, Client<Operation<string>>>} */
export const transcribers = {
  ours: transcribe.client("`SpeechToText.transcribe`, `NodeTransport.layer`", "ours"),
  "ours-file": transcribe.client("the same of a file, `AudioSource.fromPath`", "ours", { file: true }),
  bare: transcribe.client("bare `HttpClient`, `NodeHttpClient.layerUndici`", "bare"),
  "bare-file": transcribe.client("the same of a file, read by `readFile`", "bare", { file: true }),
  undici: transcribe.client("`undici.request`, its `FormData`", "undici"),
  fetch: transcribe.client("`fetch`, `FormData`", "fetch"),
  ...transcribe.peers(asCode)
}

const upload = clientsOf("upload")
const fromStream = "`AudioSource.fromStream`"
/** @type {Record<string, Client<Upload>>} */
export const uploaders = {
  raw: upload.client("`node:http`, `fs.createReadStream(path).pipe(request)`", "nodeHttp"),
  ours: upload.client("`AudioSource.fromPath`, `NodeTransport.layer`", "ours", "path", "node"),
  "ours-memory": upload.client(
    `${fromStream} of 64 KiB chunks in memory, \`NodeTransport.layer\``,
    "ours",
    "memory",
    "node"
  ),
  "ours-memory-long": upload.client(
    `${fromStream} of 1 MiB chunks in memory, \`NodeTransport.layer\``,
    "ours",
    "memoryLong",
    "node"
  ),
  "ours-stream": upload.client(
    `${fromStream} of \`fs.stream\` with \`byteLength\`, \`NodeTransport.layer\``,
    "ours",
    "stream",
    "node"
  ),
  "ours-stream-long": upload.client(
    `${fromStream} of \`fs.stream\` with chunks of 1 MiB and \`byteLength\`, \`NodeTransport.layer\``,
    "ours",
    "streamLong",
    "node"
  ),
  "ours-unknown": upload.client(
    `${fromStream} of \`fs.stream\`, unknown length, \`NodeTransport.layer\``,
    "ours",
    "unknown",
    "node"
  ),
  "bare-stream": upload.client("bare `HttpClient`, `fs.stream`, `NodeHttpClient.layerUndici`", "bare"),
  "stream-alone": upload.client("`fs.stream` alone, read and not sent", "bare", { isSent: false }),
  "ours-undici": upload.client("`AudioSource.fromPath`, `NodeHttpClient.layerUndici`", "ours", "path", "undici"),
  "ours-node": upload.client("`AudioSource.fromPath`, `NodeHttpClient.layer`", "ours", "path", "nodeHttp"),
  "ours-fetch": upload.client("`AudioSource.fromPath`, `FetchHttpClient.layer`", "ours", "path", "fetch"),
  undici: upload.client("`undici.request` of an `fs.createReadStream`", "undici"),
  fetch: upload.client("`fetch` of a `FormData` with an `fs.openAsBlob`", "fetch"),
  ...upload.peers((given) => given)
}
