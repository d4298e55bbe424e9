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
  const at = (index: number): number => samples[index] ?? 0

  let from = 0
  for (let to = 0; to < length; to += hop) {
    for (let index = 0; index < 2 * hop; index++) {
      // Hann windows at half overlap add up to one. The first window has nothing to fade in over.
      const fade = to === 0 && index < hop ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * index) / hop)
      output[to + index] = (output[to + index] ?? 0) + fade * at(from + index)
    }
    const natural = from + hop
    const ideal = Math.round((to + hop) / factor)
    let best = ideal
    let likeness = Number.NEGATIVE_INFINITY
    for (let candidate = Math.max(0, ideal - reach); candidate <= ideal + reach; candidate++) {
      let product = 0
      let energy = 1e-9
      for (let index = 0; index < hop; index++) {
        product += at(natural + index) * at(candidate + index)
        energy += at(candidate + index) ** 2
      }
      const score = product / Math.sqrt(energy)
      if (score > likeness) {
        likeness = score
        best = candidate
      }
    }
    from = best
  }
  return output.subarray(0, length)
}
