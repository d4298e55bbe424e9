// @ts-nocheck The peers aren't installed where types are checked.
import { DeepgramClient } from "@deepgram/sdk"
import { key, recording, sampleRate, text } from "../contract.js"

export const makeClient = (url) => new DeepgramClient({ apiKey: key, baseUrl: url })

export const synthesize = async (client) => {
  const options = { text, encoding: "linear16", container: "none", sample_rate: sampleRate }
  return (await client.speak.v1.audio.generate(options)).arrayBuffer()
}

export const transcribe = async (client, file) => {
  const response = await client.listen.v1.media.transcribeFile(file, { model: "nova-3" })
  return response?.results?.channels?.[0]?.alternatives?.[0]?.transcript
}

export const small = () => recording
