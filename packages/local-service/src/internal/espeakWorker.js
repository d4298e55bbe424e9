// The engine blocks its thread while it speaks, so it has one of its own. This file is JavaScript because a
// worker is started by plain Node, from the sources and from the built package alike.
import { parentPort } from "node:worker_threads"
import initialize from "@echogarden/espeak-ng-emscripten"

const port = parentPort
if (port === null) throw new Error("espeakWorker runs as a worker thread alone")

const { eSpeakNGWorker } = await initialize()
const engine = await new eSpeakNGWorker()

/**
 * @typedef {{ readonly ssml: string, readonly voice: string, readonly wordsPerMinute: number }} Job
 */

/** @param {Job} job */
const speak = ({ ssml, voice, wordsPerMinute }) => {
  if (engine.set_voice(voice) !== 0) throw new Error(`espeak-ng has no voice ${voice}`)
  engine.set_rate(wordsPerMinute)
  engine.set_pitch(50)
  /** @type {Array<Int16Array>} */
  const parts = []
  engine.synthesize(ssml, (samples) => {
    if (samples.length > 0) parts.push(samples)
    return false
  })
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

port.on("message", (/** @type {Job} */ job) => {
  try {
    const samples = speak(job)
    port.postMessage({ samples }, [samples.buffer])
  } catch (error) {
    port.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
})
