// @ts-nocheck The peers aren't installed where types are checked.
import Cartesia from "@cartesia/cartesia-js"
import { key, sampleRate, text } from "../contract.js"

export const makeClient = (url) => new Cartesia({ apiKey: key, baseURL: url })

export const synthesize = async (client) => {
  const response = await client.tts.generate({
    model_id: "sonic-latest",
    transcript: text,
    voice: "voice",
    output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: sampleRate }
  })
  return response.arrayBuffer()
}

export const transcribe = async (client, file) => (await client.stt.transcribe({ model: "ink-whisper", file }))?.text
