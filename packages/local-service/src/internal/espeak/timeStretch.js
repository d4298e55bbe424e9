/**
 * Makes speech `factor` times as long at the same pitch, by WSOLA: it places overlapping windows at new distances, and
 * takes each from the position that best continues the window before (W. Verhelst and M. Roelands, "An overlap-add
 * technique based on waveform similarity for high quality time-scale modification of speech", ICASSP 1993).
 *
 * It is JavaScript because it runs in the worker.
 *
 * @param {Float32Array} samples
 * @param {{ readonly sampleRate: number, readonly factor: number }} options
 * @returns {Float32Array}
 */
export const timeStretch = (samples, { factor, sampleRate }) => {
  // The engine rounds its rate to whole words per minute, so a smaller difference is only rounding.
  if (Math.abs(factor - 1) < 0.01 || samples.length === 0) return samples
  const hop = Math.round(sampleRate * 0.012)
  const reach = Math.round(sampleRate * 0.006)
  const length = Math.round(samples.length * factor)
  const output = new Float32Array(length + 2 * hop)
  // Silence after the end, so that every window lies within the input.
  const input = new Float32Array(samples.length + reach + 4 * hop)
  input.set(samples)

  let from = 0
  for (let to = 0; to < length; to += hop) {
    for (let index = 0; index < 2 * hop; index++) {
      // Hann windows at half overlap add up to one. The first window does not fade in.
      const fade = to === 0 && index < hop ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * index) / hop)
      output[to + index] =
        /** @type {number} */ (output[to + index]) + fade * /** @type {number} */ (input[from + index])
    }
    const ideal = Math.min(Math.round((to + hop) / factor), input.length - 2 * hop)
    from = bestContinuation(input, { natural: from + hop, ideal, hop, reach })
  }
  return output.subarray(0, length)
}

/** In samples: step of the first search. The second search tries every position around the best of the first. */
const coarseStep = 4

/**
 * The position within `reach` of `ideal` whose samples are most similar to those at `natural`, where the last window
 * continues.
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
    let highest = Number.NEGATIVE_INFINITY
    for (let candidate = from; candidate <= to; candidate += step) {
      const score = similarity(input, natural, candidate, hop)
      if (score > highest) {
        highest = score
        best = candidate
      }
    }
    return best
  }
  const near = bestOf(first, last, coarseStep)
  return bestOf(Math.max(first, near - coarseStep + 1), Math.min(last, near + coarseStep - 1), 1)
}

/**
 * The cross-correlation of two positions, divided by the root of the second one's energy.
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
