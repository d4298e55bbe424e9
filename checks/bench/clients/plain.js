// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** Clients without Effect, with a check of the status. */
import { randomUUID } from "node:crypto"
import { createReadStream, openAsBlob, statSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { json } from "node:stream/consumers"
import { checkAudio, checkTranscript, key, lang, model, outputFormat, recording, text } from "../contract.js"
import { ofPromise } from "./operation.js"

/** @typedef {{ readonly headers: Record<string, string>, readonly body: any }} Init */

/** How each sends a POST. It is loaded only in the process that uses it. */
const libraries = {
  fetch: async () => {
    /** @param {string} url @param {Init} init */
    const send = async (url, init) => {
      const response = await fetch(url, { method: "POST", ...init })
      return { status: response.status, body: response }
    }
    return { FormData, send }
  },
  /** In the version that Effect's client uses. */
  undici: async () => {
    const { Agent, FormData, request } = await import("@effect/platform-node/Undici")
    const dispatcher = new Agent()
    /** @param {string} url @param {Init} init */
    const send = async (url, init) => {
      const { body, statusCode } = await request(url, { method: "POST", dispatcher, ...init })
      return { status: statusCode, body }
    }
    return { FormData, send }
  }
}

/** @param {keyof typeof libraries} name */
const load = async (name) => {
  const { FormData, send } = await libraries[name]()
  /** @param {string} url @param {Init} init */
  const post = async (url, init) => {
    const { body, status } = await send(url, init)
    if (status !== 200) throw new Error(`status ${status}`)
    return body
  }
  /** @param {string} url @param {Record<string, string>} headers @param {unknown} body @returns {Promise<string>} */
  const transcribe = async (url, headers, body) => {
    const response = await post(`${url}/api/transcribe`, { headers: { "x-api-key": key, ...headers }, body })
    return /** @type {any} */ (await response.json()).text
  }
  /** @param {string} url @param {Blob} file */
  const transcribeForm = (url, file) => {
    const body = new FormData()
    body.set("model", model)
    body.set("transaction_id", randomUUID())
    body.set("audio_file", file, "call.wav")
    return transcribe(url, {}, body)
  }
  return { post, transcribe, transcribeForm }
}

/** @param {string} url @param {keyof typeof libraries} library */
export const speak = async (url, library) => {
  const { post } = await load(library)
  const headers = { "content-type": "application/json", "x-api-key": key }
  const body = JSON.stringify({ text, lang, output_format: outputFormat })
  return ofPromise(async () => (await post(`${url}/tts/bytes`, { headers, body })).arrayBuffer(), checkAudio)
}

/** @param {string} url @param {keyof typeof libraries} library */
export const transcribe = async (url, library) => {
  const { transcribeForm } = await load(library)
  const file = new Blob([recording], { type: "audio/wav" })
  return ofPromise(() => transcribeForm(url, file), checkTranscript)
}

/** @param {string} path */
const headersOf = (path) => ({
  "content-length": `${statSync(path).size}`,
  "content-type": "application/octet-stream",
  "x-api-key": key
})

/**
 * Sends a file as each does it best: `fetch` as a form with a Blob, undici as a stream, `node:http` by a pipe into the request.
 *
 * @param {string} url @param {keyof typeof libraries | "http"} library @returns {Promise<(path: string) => Promise<string>>}
 */
export const upload = async (url, library) => {
  if (library === "http") return (path) => pipe(url, path)
  const { transcribe, transcribeForm } = await load(library)
  if (library === "fetch") return async (path) => transcribeForm(url, await openAsBlob(path))
  return (path) => transcribe(url, headersOf(path), createReadStream(path))
}

/** @param {string} url @param {string} path @returns {Promise<string>} */
const pipe = (url, path) =>
  new Promise((resolve, reject) => {
    const upload = httpRequest(`${url}/api/transcribe`, { method: "POST", headers: headersOf(path) }, (response) => {
      json(response).then((body) => resolve(/** @type {{ text: string }} */ (body).text), reject)
    })
    createReadStream(path).once("error", reject).pipe(upload.once("error", reject))
  })
