// @ts-nocheck The peers aren't installed where types are checked.
// The last major version that supports Node 20, as these packages do.
import OpenAI from "openai"
import { key, text } from "../contract.js"

export const makeClient = (url) => new OpenAI({ apiKey: key, baseURL: `${url}/v1` })

export const synthesize = async (client) => {
  const options = { model: "tts-1", voice: "alloy", input: text, response_format: "pcm" }
  return (await client.audio.speech.create(options)).arrayBuffer()
}

export const transcribe = async (client, file) =>
  (await client.audio.transcriptions.create({ model: "whisper-1", file }))?.text
