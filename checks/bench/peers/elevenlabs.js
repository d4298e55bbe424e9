// @ts-nocheck The peers aren't installed where types are checked.
import { createReadStream } from "node:fs"
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js"
import { ofPromise } from "../clients/operation.js"
import { checkAudio, checkTranscript, key, recording, text } from "../wire.js"

const clientOf = (url) => new ElevenLabsClient({ apiKey: key, baseUrl: url })

export const speak = (url) => {
  const client = clientOf(url)
  return ofPromise(async () => {
    const stream = await client.textToSpeech.convert("voice", {
      text,
      modelId: "eleven_multilingual_v2",
      outputFormat: "pcm_24000"
    })
    return new Response(stream).arrayBuffer()
  }, checkAudio)
}

const send = async (client, file) => (await client.speechToText.convert({ modelId: "scribe_v1", file }))?.text

export const transcribe = (url) => {
  const client = clientOf(url)
  const file = new File([recording], "call.wav", { type: "audio/wav" })
  return ofPromise(() => send(client, file), checkTranscript)
}

export const upload = (url) => {
  const client = clientOf(url)
  return (path) => send(client, createReadStream(path))
}
