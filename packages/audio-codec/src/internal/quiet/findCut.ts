/** In frames of 10 ms. */
const smoothing = 5
const shortestPause = 10
const quietPoint = 30

/** A voice lies at least so far above its floor, in dB. */
const leastContrast = 3
/** A pause lies below this part of the contrast between a voice and its floor. */
const pausePart = 0.25
/** A floor is at most so far below the loud parts: in digital silence there is none. As a ratio of energies, 60 dB. */
const deepest = 1e-6

export interface Cut {
  /** The frame before which to cut. */
  readonly frame: number
  readonly ending: "pause" | "quiet"
}

/** The value below which a part of the values lies. */
const percentile = (sorted: Float64Array, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number

/** The mean of five frames around each. The first and the last have fewer. */
const smooth = (energies: Float64Array, bands: number, band: number, frames: number): Float64Array => {
  const reach = (smoothing - 1) / 2
  const means = new Float64Array(frames)
  for (let frame = 0; frame < frames; frame++) {
    const from = Math.max(0, frame - reach)
    const to = Math.min(frames, frame + reach + 1)
    let sum = 0
    for (let index = from; index < to; index++) sum += energies[index * bands + band] as number
    means[frame] = sum / (to - from)
  }
  return means
}

/** How far each frame lies above the floor, in dB, in the band where that is most. */
const levelsOf = (energies: Float64Array, bands: number, frames: number): Float64Array => {
  const levels = new Float64Array(frames)
  for (let band = 0; band < bands; band++) {
    const means = smooth(energies, bands, band, frames)
    const sorted = means.toSorted()
    const floor = Math.max(percentile(sorted, 0.05), deepest * percentile(sorted, 0.95))
    if (floor === 0) continue
    for (let frame = 0; frame < frames; frame++) {
      const level = 10 * Math.log10((means[frame] as number) / floor)
      if (level > (levels[frame] as number)) levels[frame] = level
    }
  }
  return levels
}

/** The middle of the longest pause from `first` on; of several, the last. */
const longestPause = (levels: Float64Array, first: number): number | undefined => {
  const limit = Math.max(leastContrast, pausePart * percentile(levels.toSorted(), 0.9))
  let middle: number | undefined
  let longest = shortestPause
  let start = first
  for (let frame = first; frame <= levels.length; frame++) {
    if (frame < levels.length && (levels[frame] as number) < limit) continue
    if (frame - start >= longest) {
      longest = frame - start
      middle = Math.floor((start + frame) / 2)
    }
    start = frame + 1
  }
  return middle
}

/** The middle of the quietest 300 ms from `first` on; of several, the last. */
const quietestPoint = (levels: Float64Array, first: number): number => {
  let best = levels.length
  let lowest = Number.POSITIVE_INFINITY
  for (let start = first; start + quietPoint <= levels.length; start++) {
    let sum = 0
    for (let frame = start; frame < start + quietPoint; frame++) sum += levels[frame] as number
    if (sum <= lowest) {
      lowest = sum
      best = start + quietPoint / 2
    }
  }
  return best
}

/** Finds where to cut the second half of so many frames. `energies` has those of each band, frame after frame. */
export const findCut = (energies: Float64Array, bands: number, frames: number): Cut => {
  const levels = levelsOf(energies, bands, frames)
  // A piece has more than half of the longest, so that pieces get no shorter and shorter.
  const first = Math.floor(frames / 2) + 1
  const pause = longestPause(levels, first)
  return pause === undefined
    ? { frame: quietestPoint(levels, first), ending: "quiet" }
    : { frame: pause, ending: "pause" }
}
