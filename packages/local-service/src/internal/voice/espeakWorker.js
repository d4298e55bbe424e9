// The engine blocks its thread while it speaks, so it has one of its own. This file is JavaScript because a
// worker is started by plain Node, from the sources and from the built package alike.
import { parentPort } from "node:worker_threads"
import initialize from "@echogarden/espeak-ng-emscripten"
import { timeStretch } from "./timeStretch.js"

const port = parentPort
if (port === null) throw new Error("espeakWorker runs as a worker thread alone")

const { eSpeakNGWorker } = await initialize()
const engine = await new eSpeakNGWorker()

/** espeak-ng's own rate, in Hz. */
const sampleRate = 22_050

/** The voice reaches full scale and sometimes beyond it: this keeps it from being clipped. */
const gain = 0.9

/**
 * @typedef {object} Job
 * @property {string} ssml
 * @property {string} voice
 * @property {number} wordsPerMinute
 * @property {number} factor how many times as long the speech shall last as the engine makes it
 */

/** @param {Job} job */
const speak = ({ factor, ssml, voice, wordsPerMinute }) => {
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
  return timeStretch(whole, { sampleRate, factor })
}

port.on("message", (/** @type {Job} */ job) => {
  try {
    const samples = speak(job)
    port.postMessage({ samples }, [/** @type {ArrayBuffer} */ (samples.buffer)])
  } catch (error) {
    port.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
})
