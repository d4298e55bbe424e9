// @ts-nocheck The peers aren't installed where types are checked.
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js"
import { key, text } from "../contract.js"

export const makeClient = (url) => new ElevenLabsClient({ apiKey: key, baseUrl: url })

export const synthesize = async (client) => {
  const options = { text, modelId: "eleven_multilingual_v2", outputFormat: "pcm_24000" }
  return new Response(await client.textToSpeech.convert("voice", options)).arrayBuffer()
}

export const transcribe = async (client, file) =>
  (await client.speechToText.convert({ modelId: "scribe_v1", file }))?.text
