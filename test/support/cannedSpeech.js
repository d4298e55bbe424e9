// Plain JavaScript: measured processes run without a compiler.
/** Speech that takes no time to make, for checks of the service around it. */
import { chances } from "./random.js"

/** In Hz, as the real voice has it. */
export const sampleRate = 22_050

/** A tone. @param {number} seconds */
export const tone = (seconds) =>
  Float32Array.from({ length: seconds * sampleRate }, (_, index) => 0.4 * Math.sin(index / 20) * Math.sin(index / 1000))

/**
 * Noise that depends on the text, 50 ms for each character. A client that knows the text knows every sample, and no two texts
 * are mistaken for each other.
 *
 * @param {string} text
 */
export const noiseOf = (text) => {
  const chance = chances([...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 0))
  const samples = new Float32Array(Math.round((text.length * sampleRate) / 20))
  // `Float32Array.from` takes six times as long.
  for (let index = 0; index < samples.length; index++) samples[index] = 0.4 * (2 * chance() - 1)
  return samples
}
