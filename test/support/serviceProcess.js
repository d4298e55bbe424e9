/** The local service as a process of its own, for commands that measure or end it, and plain HTTP to speak to it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * @typedef {Omit<import("@effect-speech/local-service/LocalService").MakeOptions, "fixedTime"> & {
 *   readonly cannedSeconds?: number | undefined
 *   readonly cannedByText?: boolean | undefined
 *   readonly knownSeconds?: number | undefined
 * }} ServiceOptions With `cannedSeconds` every text becomes the same speech of that length, at once; with `cannedByText`
 *   that of `noiseOf`. Its recogniser remembers the latest `knownSeconds`, or as many as it does by default.
 *
 * @typedef {object} Ready
 * @property {string} sttBaseUrl
 * @property {string} ttsBaseUrl
 * @property {string} platformUrl
 * @property {string} adminToken
 * @property {string | null} apiKey Where one was made.
 *
 * @typedef {import("./footprint.js").Footprint & { readonly cpuMicros: number }} Sample With user and system time since
 *   the start.
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {Buffer} bytes
 */

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set()
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL")
})

/** A folder that goes with this process, however it ends. @param {string} prefix */
export const temporaryFolder = (prefix) => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL")
    // One that was killed a moment ago may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}
/** At Ctrl-C, for a command that has nothing to do before. */
export const endAtOnce = () => process.exit(130)
process.once("SIGINT", endAtOnce)
process.once("SIGTERM", () => process.exit(143))

/**
 * A script of plain Node as a process that can be spoken to, and what it first says.
 *
 * @template T
 * @param {string} script A path.
 * @param {ReadonlyArray<string>} parameters
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<{ readonly child: import("node:child_process").ChildProcess, readonly exited: Promise<unknown>, readonly first: T }>}
 */
export const startProcess = async (script, parameters, environment = {}) => {
  const child = spawn(process.execPath, [script, ...parameters], {
    env: { ...process.env, ...environment },
    // What it logs is not part of what a command prints.
    stdio: ["ignore", process.stderr, process.stderr, "ipc"]
  })
  children.add(child)
  const exited = once(child, "exit").finally(() => children.delete(child))
  const [first] = await Promise.race([
    once(child, "message"),
    exited.then(([status]) => Promise.reject(new Error(`${script} ended with ${status} before it said anything.`)))
  ])
  return { child, exited, first }
}

/**
 * What a process answers to what it is asked. It is asked one thing after another.
 *
 * @template T
 * @param {import("node:child_process").ChildProcess} child
 * @param {string | object} [question]
 * @returns {Promise<T>}
 */
export const ask = async (child, question = "") => {
  const ended = new AbortController()
  const gone = once(child, "exit", { signal: ended.signal }).then(([status]) => {
    throw new Error(`A process ended with ${status} before it answered.`)
  })
  try {
    child.send(question)
    const [answer] = await Promise.race([once(child, "message", { signal: ended.signal }), gone])
    return answer
  } finally {
    gone.catch(() => undefined)
    ended.abort()
  }
}

/** @param {Pick<Awaited<ReturnType<typeof startProcess>>, "child" | "exited">} started */
export const letGo = async ({ child, exited }) => {
  child.disconnect()
  await exited
}

/**
 * @param {ServiceOptions} options
 * @param {{ readonly temporary: string }} setting The folder in which it makes its own.
 */
export const startService = async (options, { temporary }) => {
  const began = performance.now()
  const script = fileURLToPath(new URL("serviceChild.js", import.meta.url))
  const { child, exited, first } = await startProcess(script, [JSON.stringify(options)], { TMPDIR: temporary })
  const ready = /** @type {Ready} */ (first)
  const platform = admin(ready)
  return {
    ...ready,
    /** From the start of the process to its first word, in milliseconds. */
    startMillis: performance.now() - began,
    /** A request of the platform. */
    platform,
    /** @returns {Promise<Sample>} */
    sample: () => ask(child),
    /** The same, once what nobody holds is collected. @returns {Promise<Sample>} */
    sampleCollected: () => ask(child, "collect"),
    /** From now on `peak` is of what follows, where the system can do that. @returns {Promise<Sample>} */
    forgetPeak: () => ask(child, "forget the peak"),
    /** As a service ends that is told to. */
    stop: () => letGo({ child, exited }),
    /** As nothing can prepare for. */
    kill: async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
}

/** @param {Ready} service */
const admin =
  ({ adminToken, platformUrl }) =>
  /** @param {string} method @param {string} path @param {unknown} [body] */
  async (method, path, body) => {
    const answer = await send(`${platformUrl}/platform/api/${path}`, {
      method,
      headers: { "x-admin-token": adminToken, "content-type": "application/json" },
      body: body === undefined ? [] : [JSON.stringify(body)]
    })
    return { status: answer.status, body: JSON.parse(answer.bytes.toString() || "null") }
  }

const keepAlive = new Agent({ keepAlive: true })

/**
 * HTTP with nothing around it, and the whole of the answer. It fails where the connection does, where an answer is cut
 * off, or where `signal` says so.
 *
 * @param {string} url
 * @param {object} init
 * @param {string} [init.method]
 * @param {import("node:http").OutgoingHttpHeaders} [init.headers]
 * @param {ReadonlyArray<string | Uint8Array>} [init.body] Its parts, of which the length is announced.
 * @param {number} [init.announced] The length, where more is announced than is sent: the request is then given up.
 * @param {boolean} [init.leave] Goes away once the answer has begun.
 * @param {Agent | false} [init.agent] Of plain http; with `false` each request has a connection of its own.
 * @param {AbortSignal} [init.signal]
 * @returns {Promise<Answer>}
 */
export const send = (
  url,
  { agent = keepAlive, announced, body = [], headers, leave = false, method = "POST", signal }
) =>
  new Promise((resolve, reject) => {
    const length = body.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
    const options = {
      method,
      headers: { ...headers, "content-length": announced ?? length },
      ...(signal && { signal })
    }
    const request = url.startsWith("https:")
      ? httpsRequest(url, { ...options, ...(agent === false && { agent }) })
      : httpRequest(url, { ...options, agent })
    request.on("error", reject)
    request.once("response", (response) => {
      /** @type {Array<Buffer>} */
      const parts = []
      if (leave) request.destroy(new Error("given up"))
      response.on("data", (part) => parts.push(part))
      response.on("error", reject)
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) })
      )
    })
    for (const part of body) request.write(part)
    if (announced === undefined) request.end()
    else request.write("", () => request.destroy(new Error("given up")))
  })

/** The form of a transcription. @param {Uint8Array} wav @param {{ readonly model?: string }} [fields] */
export const transcriptionForm = (wav, { model = "hi-general-v2-8khz" } = {}) => {
  const boundary = "a-boundary-that-no-audio-holds"
  /** @param {string} name @param {string} value */
  const field = (name, value) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    // The file first, so that whatever is wrong with a field is known only when the file is there.
    body: [
      `--${boundary}\r\nContent-Disposition: form-data; name="audio_file"; filename="call.wav"\r\n\r\n`,
      wav,
      `\r\n${field("model", model)}${field("transaction_id", "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f")}--${boundary}--`
    ]
  }
}
