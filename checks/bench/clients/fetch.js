// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** Node's own `fetch`, with a check of the status. */
import { randomUUID } from "node:crypto"
import { openAsBlob } from "node:fs"
import { checkAudio, checkTranscript, key, lang, model, outputFormat, recording, text } from "../contract.js"
import { ofPromise } from "./operation.js"

/** @param {Response} response */
const ok = ({ ok, status }) => {
  if (!ok) throw new Error(`status ${status}`)
}

/** @param {string} url */
export const speak = (url) => {
  const headers = { "content-type": "application/json", "x-api-key": key }
  const body = JSON.stringify({ text, lang, output_format: outputFormat })
  return ofPromise(async () => {
    const response = await fetch(`${url}/tts/bytes`, { method: "POST", headers, body })
    ok(response)
    return response.arrayBuffer()
  }, checkAudio)
}

/** @param {string} url @param {Blob} file */
const send = async (url, file) => {
  const body = new FormData()
  body.set("model", model)
  body.set("transaction_id", randomUUID())
  body.set("audio_file", file, "call.wav")
  const response = await fetch(`${url}/api/transcribe`, { method: "POST", headers: { "x-api-key": key }, body })
  ok(response)
  return /** @type {any} */ (await response.json()).text
}

/** @param {string} url */
export const transcribe = (url) => {
  const file = new Blob([recording], { type: "audio/wav" })
  return ofPromise(() => send(url, file), checkTranscript)
}

/** @param {string} url */
export const upload = (url) => async (/** @type {string} */ path) => send(url, await openAsBlob(path))
