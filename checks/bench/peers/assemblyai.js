// @ts-nocheck The peers aren't installed where types are checked.
import { AssemblyAI } from "assemblyai"
import { key, recording } from "../contract.js"

export const makeClient = (url) => new AssemblyAI({ apiKey: key, baseUrl: url })

/** A failed transcript is a result, whose status the caller must check. */
export const transcribe = async (client, audio) => {
  const { error, status, text } = await client.transcripts.transcribe({ audio })
  if (status === "error") throw new Error(error)
  return text
}

export const small = () => recording
export const open = (path) => path
