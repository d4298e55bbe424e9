// Plain JavaScript: measured processes run without a compiler.
/** The engine alone: sherpa-onnx in a process of its own, with both models of a folder. It answers each task by its time. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import { readJob, serve } from "../support/serve.js"

/**
 * @typedef {object} Job
 * @property {string} models The folder of the models.
 * @property {string} recording Path of a WAV file at 16 kHz.
 * @property {string} text
 *
 * @typedef {{ readonly operation: "transcribe" | "synthesize", readonly atOnce: number }} Task
 */

/** @type {Job} */
const { models, recording, text } = readJob()

/** @type {typeof import("sherpa-onnx-node").default} */
const sherpa = createRequire(new URL("../../packages/engine-sherpa/package.json", import.meta.url))("sherpa-onnx-node")

const common = { numThreads: 1, provider: "cpu", debug: 0 }
const recogniser = join(models, "tiny-nemo-ctc-en")
const heard = await sherpa.OfflineRecognizer.createAsync({
  featConfig: { sampleRate: 16_000, featureDim: 80 },
  modelConfig: {
    ...common,
    nemoCtc: { model: join(recogniser, "model.int8.onnx") },
    tokens: join(recogniser, "tokens.txt")
  },
  decodingMethod: "greedy_search"
})
const voice = join(models, "tiny-vits-en")
const spoken = await sherpa.OfflineTts.createAsync({
  model: { ...common, vits: { model: join(voice, "model.onnx"), tokens: join(voice, "tokens.txt") } },
  maxNumSentences: 1
})
const samples = Pcm.decode(readFileSync(recording).subarray(44), "pcm16")

const work = {
  transcribe: () => {
    const stream = heard.createStream()
    stream.acceptWaveform({ samples, sampleRate: 16_000 })
    return heard.decodeAsync(stream)
  },
  synthesize: () => spoken.generateAsync({ text, sid: 0, speed: 1 })
}

serve(
  async (/** @type {Task} */ { atOnce, operation }) => {
    const start = performance.now()
    await Promise.all(Array.from({ length: atOnce }, work[operation]))
    return performance.now() - start
  },
  { ready: process.pid }
)
