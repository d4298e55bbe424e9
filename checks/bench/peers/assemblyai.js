// @ts-nocheck The peers aren't installed where types are checked.
import { AssemblyAI } from "assemblyai"
import { ofPromise } from "../clients/operation.js"
import { checkTranscript, key, recording } from "../wire.js"

const clientOf = (url) => new AssemblyAI({ apiKey: key, baseUrl: url })

/** Whether a transcript has failed is in its status, which is the caller's to look at. */
const send = async (client, audio) => {
  const { error, status, text } = await client.transcripts.transcribe({ audio })
  if (status === "error") throw new Error(error)
  return text
}

export const transcribe = (url) => {
  const client = clientOf(url)
  return ofPromise(() => send(client, recording), checkTranscript)
}

export const upload = (url) => {
  const client = clientOf(url)
  return (path) => send(client, path)
}
