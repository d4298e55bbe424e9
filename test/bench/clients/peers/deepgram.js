// @ts-nocheck The peers aren't installed where types are checked.
import { DeepgramClient } from "@deepgram/sdk"

/** @type {(options: { readonly key: string, readonly sampleRate: number, readonly text: string, readonly url: string }) => () => Promise<ArrayBuffer>} */
export const speech = ({ key, sampleRate, text, url }) => {
  const client = new DeepgramClient({ apiKey: key, baseUrl: url })
  return async () => {
    const answer = await client.speak.v1.audio.generate({
      text,
      encoding: "linear16",
      container: "none",
      sample_rate: sampleRate
    })
    return answer.arrayBuffer()
  }
}
