// @ts-nocheck The peers aren't installed where types are checked.
import { createReadStream } from "node:fs"
import { ofPromise } from "../clients/operation.js"
import { checkAudio, checkTranscript, recording } from "../contract.js"

/**
 * The operations of a peer's module. `makeClient(url)` makes its client; `synthesize(client)` returns the audio, and
 * `transcribe(client, file)` the transcript. By default the small recording is a `File`, and an upload is a stream.
 */
export const speak = ({ makeClient, synthesize }, url) => {
  const client = makeClient(url)
  return ofPromise(() => synthesize(client), checkAudio)
}

const smallFile = () => new File([recording], "call.wav", { type: "audio/wav" })

export const transcribe = ({ makeClient, small = smallFile, transcribe: send }, url) => {
  const client = makeClient(url)
  const file = small()
  return ofPromise(() => send(client, file), checkTranscript)
}

export const upload = ({ makeClient, open = createReadStream, transcribe: send }, url) => {
  const client = makeClient(url)
  return (path) => send(client, open(path))
}
