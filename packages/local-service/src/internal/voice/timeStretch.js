/**
 * Makes speech last `factor` times as long at the same pitch, by WSOLA: overlapping windows are laid out anew, each
 * taken from where it best continues the one before it (W. Verhelst and M. Roelands, "An overlap-add technique
 * based on waveform similarity for high quality time-scale modification of speech", ICASSP 1993).
 *
 * JavaScript, since it runs in the worker.
 *
 * @param {Float32Array} samples
 * @param {{ readonly sampleRate: number, readonly factor: number }} options
 * @returns {Float32Array}
 */
export const timeStretch = (samples, { factor, sampleRate }) => {
  // A rate that the engine rounds to whole words a minute is as near as it gets.
  if (Math.abs(factor - 1) < 0.01 || samples.length === 0) return samples
  const hop = Math.round(sampleRate * 0.012)
  const reach = Math.round(sampleRate * 0.006)
  const length = Math.round(samples.length * factor)
  const output = new Float32Array(length + 2 * hop)
  // Silence after the end, so that no window reaches out of the samples.
  const input = new Float32Array(samples.length + reach + 4 * hop)
  input.set(samples)

  let from = 0
  for (let to = 0; to < length; to += hop) {
    for (let index = 0; index < 2 * hop; index++) {
      // Hann windows at half overlap add up to one. The first window has nothing to fade in over.
      const fade = to === 0 && index < hop ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * index) / hop)
      output[to + index] =
        /** @type {number} */ (output[to + index]) + fade * /** @type {number} */ (input[from + index])
    }
    const ideal = Math.min(Math.round((to + hop) / factor), input.length - 2 * hop)
    from = bestContinuation(input, { natural: from + hop, ideal, hop, reach })
  }
  return output.subarray(0, length)
}

/** In samples: between the places that are tried first. Around the best of them all are tried. */
const coarse = 4

/**
 * The place around `ideal`, give or take `reach`, that is most like `natural`: where the last window would go on by
 * itself.
 *
 * @param {Float32Array} input
 * @param {{ readonly natural: number, readonly ideal: number, readonly hop: number, readonly reach: number }} search
 */
const bestContinuation = (input, { hop, ideal, natural, reach }) => {
  const first = Math.max(0, ideal - reach)
  const last = Math.min(ideal + reach, input.length - 2 * hop)
  /** @param {number} from @param {number} to @param {number} step */
  const bestOf = (from, to, step) => {
    let best = ideal
    let likeness = Number.NEGATIVE_INFINITY
    for (let candidate = from; candidate <= to; candidate += step) {
      const score = similarity(input, natural, candidate, hop)
      if (score > likeness) {
        likeness = score
        best = candidate
      }
    }
    return best
  }
  const near = bestOf(first, last, coarse)
  return bestOf(Math.max(first, near - coarse + 1), Math.min(last, near + coarse - 1), 1)
}

/**
 * The cross-correlation of two places, over the energy of the second.
 *
 * @param {Float32Array} input @param {number} natural @param {number} candidate @param {number} length
 */
const similarity = (input, natural, candidate, length) => {
  let product = 0
  let energy = 1e-9
  for (let index = 0; index < length; index++) {
    const sample = /** @type {number} */ (input[candidate + index])
    product += /** @type {number} */ (input[natural + index]) * sample
    energy += sample * sample
  }
  return product / Math.sqrt(energy)
}
