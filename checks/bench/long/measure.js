// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** What a piece of a long text or of a long recording costs the client, beside the same calls alone. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import { PieceStore } from "@effect-speech/long-form/PieceStore"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { chances } from "effect-speech-test-support/random"
import { noise, writeNoise } from "effect-speech-test-support/recordings"
import { cpuMicrosOf } from "../../support/serve.js"
import { key, lang, model, outputFormat } from "../contract.js"

/**
 * @typedef {keyof typeof operations} OperationName
 * @typedef {"calls" | "memory" | "folder" | "kept"} Way Calls alone; or pieces with a store in memory, in a folder, or in a folder
 *   that has them all.
 *
 * @typedef {object} Cost
 * @property {number} cpuMicros User and system time of this process for each piece.
 * @property {number} perSecond
 */

const concurrency = 64
/** Of the longest piece: about what is spoken in a second. The mean is a little less. */
const codePoints = 24
const meanCodePoints = 21
/** Of the longest piece. Those of noise have 3 seconds in the mean. */
const pieceSeconds = 4
const meanBytes = 48_000

const words = "शहर के पास एक पुरानी नदी बहती है जहाँ लोग सुबह शाम टहलने आते हैं और बच्चे खेलते दिन भर गाते".split(" ")

/** A text of about so many pieces, no two of which are the same. @param {number} pieces @param {number} seed */
const textOf = (pieces, seed) => {
  const random = chances(seed)
  let text = ""
  while (text.length < pieces * meanCodePoints) {
    const length = 6 + Math.floor(10 * random())
    text += `${Array.from({ length }, () => words[Math.floor(random() * words.length)]).join(" ")}। `
  }
  return text
}

/** Each effect ends with the number of its calls or pieces. */
const speech = {
  inputOf: textOf,
  /** @param {string} text */
  calls: (text) =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const texts = Array.from({ length: Math.floor(text.length / meanCodePoints) }, (_, index) =>
        text.slice(meanCodePoints * index, meanCodePoints * (index + 1))
      )
      yield* Effect.forEach(texts, (text) => tts.synthesize({ text, lang, outputFormat }), {
        concurrency,
        discard: true
      })
      return texts.length
    }),
  /** @param {string} text */
  pieces: (text) =>
    Effect.gen(function* () {
      const options = { firstCodePoints: codePoints, maximumCodePoints: codePoints, concurrency }
      const { report, stream } = yield* LongSpeech.stream({ text, lang, outputFormat }, options)
      yield* Stream.runDrain(stream)
      return (yield* report).pieces.length
    }).pipe(Effect.scoped)
}

const transcription = {
  /** @param {number} pieces @param {number} seed @param {string} folder */
  inputOf: (pieces, seed, folder) => {
    const path = join(folder, `recording-${seed}.wav`)
    writeNoise(path, 44 + meanBytes * pieces)
    return path
  },
  /** @param {string} path */
  calls: (path) =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const audio = AudioSource.fromBytes(noise(meanBytes))
      const count = Math.floor(statSync(path).size / meanBytes)
      yield* Effect.forEach(Array(count), () => stt.transcribe({ audio, model, aux: true }), {
        concurrency,
        discard: true
      })
      return count
    }),
  /** @param {string} path */
  pieces: (path) =>
    Effect.map(
      LongTranscription.transcribe(
        { audio: AudioSource.fromPath(path), model },
        { concurrency, maximum: `${pieceSeconds} seconds` }
      ),
      ({ pieces }) => pieces.length
    )
}

/** @typedef {Effect.Effect<number, unknown, TextToSpeech | SpeechToText | PieceStore | AudioDecoder | import("@effect/platform/FileSystem").FileSystem>} Work */

/**
 * @satisfies {Record<string, {
 *   inputOf: (pieces: number, seed: number, folder: string) => string,
 *   calls: (input: string) => Work,
 *   pieces: (input: string) => Work
 * }>}
 */
const operations = { speech, transcription }

/**
 * @param {OperationName} operation @param {Way} way @param {string} url @param {number} pieces @returns {Promise<Cost>}
 */
export const measure = async (operation, way, url, pieces) => {
  const folder = mkdtempSync(join(tmpdir(), "bench-long-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const isKept = way === "folder" || way === "kept"
  const given = { apiKey: Redacted.make(key), baseUrl: url, concurrency }
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      TextToSpeech.layer(given),
      SpeechToText.layer(given),
      isKept ? PieceStore.layerFolder(join(folder, "pieces")) : PieceStore.layerMemory,
      AudioDecoder.layerWav
    ).pipe(Layer.provideMerge(NodeTransport.layer))
  )
  const { inputOf, ...run } = operations[operation]
  /** @param {number} count @param {number} seed */
  const workOf = (count, seed) => {
    const input = inputOf(count, seed, folder)
    /** @type {Work} */
    const work = way === "calls" ? run.calls(input) : run.pieces(input)
    return () => runtime.runPromise(Effect.withTracerEnabled(work, false))
  }
  await workOf(Math.min(pieces, 1000), 1)()
  const work = workOf(pieces, 2)
  if (way === "kept") await work()
  let count = 0
  const start = performance.now()
  const cpuMicros = await cpuMicrosOf(async () => {
    count = await work()
  })
  const millis = performance.now() - start
  await runtime.dispose()
  return { cpuMicros: cpuMicros / count, perSecond: (1000 * count) / millis }
}
