// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** `undici`, in the version that Effect's client uses, with a check of the status. */
import { randomUUID } from "node:crypto"
import { createReadStream, statSync } from "node:fs"
import { checkAudio, checkTranscript, key, lang, model, outputFormat, recording, text } from "../contract.js"
import { ofPromise } from "./operation.js"

const undici = () => import("@effect/platform-node/Undici")

/** @param {{ readonly statusCode: number }} response */
const ok = ({ statusCode }) => {
  if (statusCode !== 200) throw new Error(`status ${statusCode}`)
}

/** @param {string} url */
export const speak = async (url) => {
  const { Agent, request } = await undici()
  const dispatcher = new Agent()
  const headers = { "content-type": "application/json", "x-api-key": key }
  const body = JSON.stringify({ text, lang, output_format: outputFormat })
  return ofPromise(async () => {
    const response = await request(`${url}/tts/bytes`, { method: "POST", headers, body, dispatcher })
    ok(response)
    return response.body.arrayBuffer()
  }, checkAudio)
}

/** @param {string} url */
export const transcribe = async (url) => {
  const { Agent, FormData, request } = await undici()
  const dispatcher = new Agent()
  const file = new Blob([recording], { type: "audio/wav" })
  return ofPromise(async () => {
    const body = new FormData()
    body.set("model", model)
    body.set("transaction_id", randomUUID())
    body.set("audio_file", file, "call.wav")
    const headers = { "x-api-key": key }
    const response = await request(`${url}/api/transcribe`, { method: "POST", headers, body, dispatcher })
    ok(response)
    return /** @type {any} */ (await response.body.json()).text
  }, checkTranscript)
}

/** @param {string} url */
export const upload = async (url) => {
  const { Agent, request } = await undici()
  const dispatcher = new Agent()
  return async (/** @type {string} */ path) => {
    const headers = {
      "content-length": `${statSync(path).size}`,
      "content-type": "application/octet-stream",
      "x-api-key": key
    }
    const body = createReadStream(path)
    const response = await request(`${url}/api/transcribe`, { method: "POST", headers, body, dispatcher })
    ok(response)
    return /** @type {any} */ (await response.body.json()).text
  }
}
