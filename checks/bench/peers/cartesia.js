// @ts-nocheck The peers aren't installed where types are checked.
import { createReadStream } from "node:fs"
import Cartesia from "@cartesia/cartesia-js"
import { ofPromise } from "../clients/operation.js"
import { checkAudio, checkTranscript, key, recording, sampleRate, text } from "../wire.js"

const clientOf = (url) => new Cartesia({ apiKey: key, baseURL: url })

export const speak = (url) => {
  const client = clientOf(url)
  return ofPromise(async () => {
    const answer = await client.tts.generate({
      model_id: "sonic-latest",
      transcript: text,
      voice: "voice",
      output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: sampleRate }
    })
    return answer.arrayBuffer()
  }, checkAudio)
}

const send = async (client, file) => (await client.stt.transcribe({ model: "ink-whisper", file }))?.text

export const transcribe = (url) => {
  const client = clientOf(url)
  const file = new File([recording], "call.wav", { type: "audio/wav" })
  return ofPromise(() => send(client, file), checkTranscript)
}

export const upload = (url) => {
  const client = clientOf(url)
  return (path) => send(client, createReadStream(path))
}
