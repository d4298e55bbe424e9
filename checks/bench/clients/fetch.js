/** What a line of Node's own `fetch` does, with a check of the status. */
import { randomUUID } from "node:crypto"
import { openAsBlob } from "node:fs"
import { checkAudio, checkTranscript, key, lang, model, outputFormat, recording, text } from "../wire.js"
import { ofPromise } from "./operation.js"

/** @param {Response} answer */
const ok = ({ ok, status }) => {
  if (!ok) throw new Error(`status ${status}`)
}

/** @param {string} url */
export const speak = (url) => {
  const headers = { "content-type": "application/json", "x-api-key": key }
  const body = JSON.stringify({ text, lang, output_format: outputFormat })
  return ofPromise(async () => {
    const answer = await fetch(`${url}/tts/bytes`, { method: "POST", headers, body })
    ok(answer)
    return answer.arrayBuffer()
  }, checkAudio)
}

/** @param {string} url @param {Blob} file */
const send = async (url, file) => {
  const body = new FormData()
  body.set("model", model)
  body.set("transaction_id", randomUUID())
  body.set("audio_file", file, "call.wav")
  const answer = await fetch(`${url}/api/transcribe`, { method: "POST", headers: { "x-api-key": key }, body })
  ok(answer)
  return /** @type {any} */ (await answer.json()).text
}

/** @param {string} url */
export const transcribe = (url) => {
  const file = new Blob([recording], { type: "audio/wav" })
  return ofPromise(() => send(url, file), checkTranscript)
}

/** @param {string} url */
export const upload = (url) => async (/** @type {string} */ path) => send(url, await openAsBlob(path))
