// @ts-nocheck The SDKs are not installed where types are checked.
/** The other SDKs. Each is loaded only in the process that uses it. Uploads follow their documents. */
import { createReadStream, readFileSync } from "node:fs"
import { ofPromise } from "../clients/operation.js"
import { checkAudio, checkTranscript, key, recording, sampleRate, text } from "../contract.js"

/** @type {{ readonly devDependencies: Record<string, string> }} */
export const { devDependencies: versions } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"))

/** How most clients take the small recording. */
const file = () => new File([recording], "call.wav", { type: "audio/wav" })

/**
 * - `package` and `client`: what a caller imports. `speak` and `transcribe`: what it calls, in words.
 * - `synthesis(client)` returns the audio, and `transcription(client, file)` the transcript. `small()` is the small recording.
 *
 * @type {Record<string, { readonly package: string, readonly client: string, readonly speak: string, readonly transcribe: string }>}
 */
export const peers = {
  openai: {
    // The last major version that supports Node 20, as these packages do.
    package: "openai",
    client: "OpenAI",
    options: (url) => ({ apiKey: key, baseURL: `${url}/v1` }),
    speak: "audio.speech.create",
    synthesis: async ({ audio }) =>
      (
        await audio.speech.create({ model: "tts-1", voice: "alloy", input: text, response_format: "pcm" })
      ).arrayBuffer(),
    transcribe: "audio.transcriptions.create",
    transcription: async ({ audio }, file) => (await audio.transcriptions.create({ model: "whisper-1", file }))?.text,
    small: file
  },
  deepgram: {
    package: "@deepgram/sdk",
    client: "DeepgramClient",
    options: (url) => ({ apiKey: key, baseUrl: url }),
    speak: "speak.v1.audio.generate",
    synthesis: async ({ speak }) => {
      const options = { text, encoding: "linear16", container: "none", sample_rate: sampleRate }
      return (await speak.v1.audio.generate(options)).arrayBuffer()
    },
    transcribe: "listen.v1.media.transcribeFile",
    transcription: async ({ listen }, file) => {
      const response = await listen.v1.media.transcribeFile(file, { model: "nova-3" })
      return response?.results?.channels?.[0]?.alternatives?.[0]?.transcript
    },
    small: () => recording
  },
  elevenlabs: {
    package: "@elevenlabs/elevenlabs-js",
    client: "ElevenLabsClient",
    options: (url) => ({ apiKey: key, baseUrl: url }),
    speak: "textToSpeech.convert",
    synthesis: async ({ textToSpeech }) =>
      new Response(
        await textToSpeech.convert("voice", { text, modelId: "eleven_multilingual_v2", outputFormat: "pcm_24000" })
      ).arrayBuffer(),
    transcribe: "speechToText.convert",
    transcription: async ({ speechToText }, file) => (await speechToText.convert({ modelId: "scribe_v1", file }))?.text,
    small: file
  }
}

/** Starts an operation of a peer. @param {string} name @param {"speak" | "transcribe" | "upload"} operation @param {string} url */
export const startPeer = async (name, operation, url) => {
  const { client: Name, options, package: specifier, small, synthesis, transcription } = peers[name]
  const client = new (await import(specifier))[Name](options(url))
  if (operation === "upload") return (path) => transcription(client, createReadStream(path))
  if (operation === "speak") return ofPromise(() => synthesis(client), checkAudio)
  const recording = small()
  return ofPromise(() => transcription(client, recording), checkTranscript)
}
