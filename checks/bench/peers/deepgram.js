// @ts-nocheck The peers aren't installed where types are checked.
import { createReadStream } from "node:fs"
import { DeepgramClient } from "@deepgram/sdk"
import { ofPromise } from "../clients/operation.js"
import { checkAudio, checkTranscript, key, recording, sampleRate, text } from "../wire.js"

const clientOf = (url) => new DeepgramClient({ apiKey: key, baseUrl: url })

export const speak = (url) => {
  const client = clientOf(url)
  return ofPromise(async () => {
    const answer = await client.speak.v1.audio.generate({
      text,
      encoding: "linear16",
      container: "none",
      sample_rate: sampleRate
    })
    return answer.arrayBuffer()
  }, checkAudio)
}

const send = async (client, file) => {
  const answer = await client.listen.v1.media.transcribeFile(file, { model: "nova-3" })
  return answer?.results?.channels?.[0]?.alternatives?.[0]?.transcript
}

export const transcribe = (url) => {
  const client = clientOf(url)
  return ofPromise(() => send(client, recording), checkTranscript)
}

export const upload = (url) => {
  const client = clientOf(url)
  return (path) => send(client, createReadStream(path))
}
