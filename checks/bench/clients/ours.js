// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The clients of this repository. Each function imports its own modules, so that no other client adds to its heap. */
import { statSync } from "node:fs"
import { checkAudio, checkTranscript, key, lang, model, outputFormat, recording, text } from "../contract.js"
import { ofEffect } from "./operation.js"

/** @param {string} url @param {{ readonly tracing?: boolean }} [options] */
export const speak = async (url, options) => {
  const [{ TextToSpeech }, NodeTransport, Effect, Layer, Redacted] = await Promise.all([
    import("@effect-speech/tts/TextToSpeech"),
    import("@effect-speech/transport/node"),
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/Redacted")
  ])
  const layer = TextToSpeech.layer({ apiKey: Redacted.make(key), baseUrl: url })
  const call = Effect.flatMap(TextToSpeech, (tts) =>
    Effect.map(tts.synthesize({ text, lang, outputFormat }), ({ bytes }) => bytes)
  )
  return ofEffect(Layer.provide(layer, NodeTransport.layer), call, checkAudio, options)
}

/** @param {string} url @param {{ readonly tracing?: boolean }} [options] */
export const transcribe = async (url, options) => {
  const [{ SpeechToText }, { fromBytes }, NodeTransport, Effect, Layer, Redacted] = await Promise.all([
    import("@effect-speech/stt/SpeechToText"),
    import("@effect-speech/stt/AudioSource"),
    import("@effect-speech/transport/node"),
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/Redacted")
  ])
  const layer = SpeechToText.layer({ apiKey: Redacted.make(key), baseUrl: url })
  const audio = fromBytes(recording)
  const call = Effect.flatMap(SpeechToText, (stt) => Effect.map(stt.transcribe({ audio, model }), ({ text }) => text))
  return ofEffect(Layer.provide(layer, NodeTransport.layer), call, checkTranscript, options)
}

/** How a recording is given to the client. */
const sources = {
  /** @param {string} path */
  path: async (path) => (await import("@effect-speech/stt/AudioSource")).fromPath(path),
  /** @param {string} path */
  stream: async (path) => stream(path, statSync(path).size),
  /** @param {string} path */
  unknownLength: async (path) => stream(path, undefined)
}

/** @param {string} path @param {number | undefined} byteLength */
const stream = async (path, byteLength) => {
  const [{ fromStream }, { FileSystem }, NodeFileSystem, Effect] = await Promise.all([
    import("@effect-speech/stt/AudioSource"),
    import("@effect/platform/FileSystem"),
    import("@effect/platform-node/NodeFileSystem"),
    import("effect/Effect")
  ])
  const fs = await Effect.runPromise(Effect.provide(FileSystem, NodeFileSystem.layer))
  return fromStream(() => fs.stream(path), { byteLength })
}

/** Each with a file system, from its own modules only. */
const layers = {
  node: async () => (await import("@effect-speech/transport/node")).layer,
  undici: async () => withFiles((await import("@effect/platform-node/NodeHttpClient")).layerUndici),
  nodeHttp: async () => withFiles((await import("@effect/platform-node/NodeHttpClient")).layer),
  fetch: async () => withFiles((await import("@effect/platform/FetchHttpClient")).layer)
}

/** @param {import("effect/Layer").Layer<import("@effect/platform/HttpClient").HttpClient>} client */
const withFiles = async (client) => {
  const [Layer, NodeFileSystem] = await Promise.all([
    import("effect/Layer"),
    import("@effect/platform-node/NodeFileSystem")
  ])
  return Layer.merge(client, NodeFileSystem.layer)
}

/**
 * @param {string} url
 * @param {keyof typeof sources} source
 * @param {keyof typeof layers} layer
 */
export const upload = async (url, source, layer) => {
  const [{ SpeechToText }, Effect, Layer, ManagedRuntime, Redacted, requirements] = await Promise.all([
    import("@effect-speech/stt/SpeechToText"),
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/ManagedRuntime"),
    import("effect/Redacted"),
    layers[layer]()
  ])
  const service = SpeechToText.layer({ apiKey: Redacted.make(key), baseUrl: url })
  const runtime = ManagedRuntime.make(Layer.provide(service, requirements))
  return async (/** @type {string} */ path) => {
    const audio = await sources[source](path)
    const transcription = Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model }))
    return (await runtime.runPromise(transcription)).text
  }
}
