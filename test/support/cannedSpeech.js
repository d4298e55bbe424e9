/** What a voice says that costs nothing to ask, for commands that measure or try the service around it. */
import { chances } from "./random.js"

/** The rate of the real voice, in Hz, so that its speech is resampled like that. */
export const sampleRate = 22_050

/** The same for every text. @param {number} seconds */
export const tone = (seconds) =>
  Float32Array.from({ length: seconds * sampleRate }, (_, index) => 0.4 * Math.sin(index / 20) * Math.sin(index / 1000))

/**
 * Noise of its own for each text, a twentieth of a second for each of its characters: whoever knows the text knows every
 * sample, and no two texts are taken for each other.
 *
 * @param {string} text
 */
export const noiseOf = (text) => {
  const chance = chances([...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 0))
  return Float32Array.from({ length: Math.round((text.length * sampleRate) / 20) }, () => 0.4 * (2 * chance() - 1))
}
