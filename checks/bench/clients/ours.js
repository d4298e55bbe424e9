// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The clients of this repository. */
import { statSync } from "node:fs"
import { FileSystem } from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Contract from "../contract.js"
import { httpClients } from "./layers.js"
import { ofEffect } from "./operation.js"

const { lang, model, outputFormat, text } = Contract
const apiKey = Redacted.make(Contract.key)

/** @typedef {"NodeTransport.layer" | keyof typeof httpClients} LayerName */

/** @param {LayerName} name */
const platformOf = (name) =>
  name === "NodeTransport.layer" ? NodeTransport.layer : Layer.merge(httpClients[name], NodeFileSystem.layer)

/** @param {string} url @param {LayerName} layerName @param {{ readonly concurrency?: number }} [options] */
export const speak = (url, layerName, { concurrency } = {}) => {
  const layer = Layer.provide(TextToSpeech.layer({ apiKey, baseUrl: url, concurrency }), platformOf(layerName))
  const call = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang, outputFormat }))
  return ofEffect(
    layer,
    Effect.map(call, ({ bytes }) => bytes),
    Contract.checkAudio
  )
}

/** @param {AudioSource.AudioSource} audio */
const textOf = (audio) =>
  Effect.flatMap(SpeechToText, (stt) => Effect.map(stt.transcribe({ audio, model }), ({ text }) => text))

/** @param {string} url @param {LayerName} layerName @param {{ readonly file?: boolean }} [options] */
export const transcribe = (url, layerName, { file = false } = {}) => {
  const layer = Layer.provide(SpeechToText.layer({ apiKey, baseUrl: url }), platformOf(layerName))
  const audio = file ? AudioSource.fromPath(Contract.recordingFile()) : AudioSource.fromBytes(Contract.recording)
  return ofEffect(layer, textOf(audio), Contract.checkTranscript)
}

const fs = await Effect.runPromise(Effect.provide(FileSystem, NodeFileSystem.layer))

/** Of the long chunks of a stream, in bytes. */
const chunkSize = 1024 * 1024

/** How a recording is given to the client. */
const sources = {
  path: AudioSource.fromPath,
  /** @param {string} path */
  stream: (path) => AudioSource.fromStream(fs.stream(path), { byteLength: statSync(path).size }),
  /** @param {string} path */
  streamLong: (path) => AudioSource.fromStream(fs.stream(path, { chunkSize }), { byteLength: statSync(path).size }),
  /** @param {string} path */
  memory: (path) => fromMemory(statSync(path).size, 64 * 1024),
  /** @param {string} path */
  memoryLong: (path) => fromMemory(statSync(path).size, chunkSize)
}

/** A stream of as many bytes as a file has, without reading one. @param {number} byteLength @param {number} chunkSize */
const fromMemory = (byteLength, chunkSize) => {
  const chunk = new Uint8Array(chunkSize)
  const chunks = Stream.unfold(byteLength, (left) =>
    left > 0 ? Option.some([chunk.subarray(0, left), left - chunk.length]) : Option.none()
  )
  return AudioSource.fromStream(chunks, { byteLength })
}

/** @param {string} url @param {keyof typeof sources} source @param {LayerName} layerName */
export const upload = (url, source, layerName) => {
  const runtime = ManagedRuntime.make(
    Layer.provide(SpeechToText.layer({ apiKey, baseUrl: url }), platformOf(layerName))
  )
  return (/** @type {string} */ path) => runtime.runPromise(textOf(sources[source](path)))
}
