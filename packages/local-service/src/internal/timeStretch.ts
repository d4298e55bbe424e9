/**
 * Makes speech last `factor` times as long at the same pitch, by WSOLA: overlapping windows are laid out anew, each
 * taken from where it best continues the one before it (W. Verhelst and M. Roelands, "An overlap-add technique
 * based on waveform similarity for high quality time-scale modification of speech", ICASSP 1993).
 */
export const timeStretch = (
  samples: Float32Array,
  { factor, sampleRate }: { readonly sampleRate: number; readonly factor: number }
): Float32Array => {
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
      output[to + index] = (output[to + index] as number) + fade * (input[from + index] as number)
    }
    from = bestContinuation(input, { natural: from + hop, ideal: Math.round((to + hop) / factor), hop, reach })
  }
  return output.subarray(0, length)
}

interface Search {
  /** Where the last window would go on by itself. */
  readonly natural: number
  /** Where the next window should be taken from, give or take `reach`. */
  readonly ideal: number
  readonly hop: number
  readonly reach: number
}

/** The place around `ideal` that is most like `natural`, by normalised cross-correlation. */
const bestContinuation = (input: Float32Array, { hop, ideal, natural, reach }: Search): number => {
  const last = Math.min(ideal + reach, input.length - 2 * hop)
  let best = Math.min(ideal, last)
  let likeness = Number.NEGATIVE_INFINITY
  for (let candidate = Math.max(0, ideal - reach); candidate <= last; candidate++) {
    let product = 0
    let energy = 1e-9
    for (let index = 0; index < hop; index++) {
      const sample = input[candidate + index] as number
      product += (input[natural + index] as number) * sample
      energy += sample * sample
    }
    const score = product / Math.sqrt(energy)
    if (score > likeness) {
      likeness = score
      best = candidate
    }
  }
  return best
}
