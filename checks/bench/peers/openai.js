// @ts-nocheck The peers aren't installed where types are checked.
// Of the last major version that supports Node 20, as these packages do.
import { createReadStream } from "node:fs"
import OpenAI from "openai"
import { ofPromise } from "../clients/operation.js"
import { checkAudio, checkTranscript, key, recording, text } from "../wire.js"

const clientOf = (url) => new OpenAI({ apiKey: key, baseURL: `${url}/v1` })

export const speak = (url) => {
  const client = clientOf(url)
  return ofPromise(async () => {
    const answer = await client.audio.speech.create({
      model: "tts-1",
      voice: "alloy",
      input: text,
      response_format: "pcm"
    })
    return answer.arrayBuffer()
  }, checkAudio)
}

const send = async (client, file) => (await client.audio.transcriptions.create({ model: "whisper-1", file }))?.text

export const transcribe = (url) => {
  const client = clientOf(url)
  const file = new File([recording], "call.wav", { type: "audio/wav" })
  return ofPromise(() => send(client, file), checkTranscript)
}

export const upload = (url) => {
  const client = clientOf(url)
  return (path) => send(client, createReadStream(path))
}
