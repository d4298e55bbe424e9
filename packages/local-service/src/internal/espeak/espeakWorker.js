// The engine blocks its thread while it speaks, so it runs in a worker. This file is JavaScript because plain Node
// starts the worker, both from the sources and from the built package.
import { parentPort } from "node:worker_threads"
import initialize from "@echogarden/espeak-ng-emscripten"
import { timeStretch } from "./timeStretch.js"

const port = parentPort
if (port === null) throw new Error("espeakWorker runs only as a worker thread")

const { eSpeakNGWorker } = await initialize()
const engine = await new eSpeakNGWorker()

/** Sample rate of espeak-ng, in Hz. */
const sampleRate = 22_050

/** Prevents clipping, because the voice reaches full scale and sometimes exceeds it. */
const gain = 0.9

/**
 * @typedef {object} Job
 * @property {string} ssml
 * @property {string} voice
 * @property {number} wordsPerMinute
 * @property {number} stretch factor that lengthens the engine's speech at the same pitch
 */

/** @param {Job} job */
const speak = ({ ssml, stretch, voice, wordsPerMinute }) => {
  if (engine.set_voice(voice) !== 0) throw new Error(`espeak-ng has no voice ${voice}`)
  engine.set_rate(wordsPerMinute)
  engine.set_pitch(50)
  /** @type {Array<Int16Array>} */
  const parts = []
  let length = 0
  engine.synthesize(ssml, (samples) => {
    parts.push(samples)
    length += samples.length
    return false
  })

  const whole = new Float32Array(length)
  let offset = 0
  for (const part of parts) {
    for (const sample of part) whole[offset++] = (sample / 0x8000) * gain
  }
  return timeStretch(whole, { sampleRate, factor: stretch })
}

port.on("message", (/** @type {Job} */ job) => {
  try {
    const samples = speak(job)
    port.postMessage({ samples }, [/** @type {ArrayBuffer} */ (samples.buffer)])
  } catch (error) {
    port.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
})
