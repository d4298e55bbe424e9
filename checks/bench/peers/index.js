/** The other SDKs, with the method for each operation. Uploads follow their documents. */
import { readFileSync } from "node:fs"

/** @type {{ readonly devDependencies: Record<string, string> }} */
export const { devDependencies: versions } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"))

/** @type {Record<string, { readonly package: string, readonly client: string, readonly speak?: string, readonly transcribe: string, readonly upload: string }>} */
export const peers = {
  openai: {
    package: "openai",
    client: "OpenAI",
    speak: "audio.speech.create",
    transcribe: "audio.transcriptions.create",
    upload: "an `fs.createReadStream`"
  },
  deepgram: {
    package: "@deepgram/sdk",
    client: "DeepgramClient",
    speak: "speak.v1.audio.generate",
    transcribe: "listen.v1.media.transcribeFile",
    upload: "an `fs.createReadStream`"
  },
  elevenlabs: {
    package: "@elevenlabs/elevenlabs-js",
    client: "ElevenLabsClient",
    speak: "textToSpeech.convert",
    transcribe: "speechToText.convert",
    upload: "an `fs.createReadStream`"
  },
  cartesia: {
    package: "@cartesia/cartesia-js",
    client: "Cartesia",
    speak: "tts.generate",
    transcribe: "stt.transcribe",
    upload: "an `fs.createReadStream`"
  },
  assemblyai: { package: "assemblyai", client: "AssemblyAI", transcribe: "transcripts.transcribe", upload: "the path" }
}
