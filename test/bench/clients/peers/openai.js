// @ts-nocheck The peers aren't installed where types are checked.
// Of the last major version that supports Node 20, as these packages do.
import OpenAI from "openai"

/** @type {(options: { readonly key: string, readonly text: string, readonly url: string }) => () => Promise<ArrayBuffer>} */
export const speech = ({ key, text, url }) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1` })
  return async () => {
    const answer = await client.audio.speech.create({
      model: "tts-1",
      voice: "alloy",
      input: text,
      response_format: "pcm"
    })
    return answer.arrayBuffer()
  }
}
