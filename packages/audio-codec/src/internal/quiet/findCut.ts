/** In frames of 10 ms. */
const smoothing = 5
const shortestPause = 10
/** A shorter pause may be chance in noise, so that its surroundings count too. */
const certainPause = 30
const quietPoint = 30

/** A voice lies at least so far above its floor, in dB. */
const leastContrast = 3
/** A pause lies below this part of the contrast between a voice and its floor. */
const pausePart = 0.25
/** A floor is at most so far below the loudest: in digital silence there is none. As a ratio of energies, 60 dB. */
const deepest = 1e-6

export interface Cut {
  /** The frame before which to cut. */
  readonly frame: number
  readonly ending: "pause" | "quiet"
}

interface Pause {
  readonly start: number
  readonly end: number
}

/** The value below which a part of the values lies. */
const percentile = (values: Float64Array, part: number): number =>
  values.toSorted()[Math.floor(part * (values.length - 1))] as number

/** How far each frame from `first` on lies above the floor, in dB, in the band where that is most. */
const levelsOf = (energies: Float64Array, bands: number, first: number, frames: number): Float64Array => {
  const ratios = new Float64Array(frames - first).fill(1)
  for (let band = 0; band < bands; band++) {
    const means = meansOf(energies, bands, band, first, frames)
    let loudest = 0
    for (const mean of means) if (mean > loudest) loudest = mean
    const floor = Math.max(percentile(means, 0.05), deepest * loudest)
    if (floor === 0) continue
    for (let index = 0; index < means.length; index++) {
      const ratio = (means[index] as number) / floor
      if (ratio > (ratios[index] as number)) ratios[index] = ratio
    }
  }
  return ratios.map((ratio) => 10 * Math.log10(ratio))
}

/** The energy of a band in each frame from `first` on: the mean of this frame and those around it. */
const meansOf = (energies: Float64Array, bands: number, band: number, first: number, frames: number): Float64Array => {
  const means = new Float64Array(frames - first)
  for (let frame = first; frame < frames; frame++) {
    const from = Math.max(0, frame - (smoothing - 1) / 2)
    const to = Math.min(frames, frame + (smoothing + 1) / 2)
    let sum = 0
    for (let at = from; at < to; at++) sum += energies[at * bands + band] as number
    means[frame - first] = sum / (to - from)
  }
  return means
}

const pausesIn = (levels: Float64Array): ReadonlyArray<Pause> => {
  const limit = Math.max(leastContrast, pausePart * percentile(levels, 0.9))
  const pauses: Array<Pause> = []
  let start = 0
  for (let end = 0; end <= levels.length; end++) {
    if (end < levels.length && (levels[end] as number) < limit) continue
    if (end - start >= shortestPause) pauses.push({ start, end })
    start = end + 1
  }
  return pauses
}

/** The longest; of several, the last. */
const longestOf = (pauses: ReadonlyArray<Pause>): Pause | undefined =>
  pauses.reduce<Pause | undefined>(
    (longest, pause) =>
      longest === undefined || pause.end - pause.start >= longest.end - longest.start ? pause : longest,
    undefined
  )

/** The quietest 300 ms; of several, the last. */
const quietestOf = (levels: Float64Array): Pause => {
  let best = 0
  let lowest = Number.POSITIVE_INFINITY
  for (let start = 0; start + quietPoint <= levels.length; start++) {
    let sum = 0
    for (let index = start; index < start + quietPoint; index++) sum += levels[index] as number
    if (sum <= lowest) {
      lowest = sum
      best = start
    }
  }
  return { start: best, end: best + quietPoint }
}

/** Finds where to cut the second half of so many frames. `energies` has those of each band, frame after frame. */
export const findCut = (energies: Float64Array, bands: number, frames: number): Cut => {
  // The first half does not count: its noise may be another.
  const first = Math.floor(frames / 2) + 1
  const levels = levelsOf(energies, bands, first, frames)
  const cutAt = ({ end, start }: Pause, ending: Cut["ending"]): Cut => ({
    frame: first + Math.floor((start + end) / 2),
    ending
  })
  const pauses = pausesIn(levels)
  const longest = longestOf(pauses)
  if (longest !== undefined && longest.end - longest.start >= certainPause) return cutAt(longest, "pause")
  const quietest = quietestOf(levels)
  const within = longestOf(pauses.filter(({ end, start }) => start < quietest.end && end > quietest.start))
  return within === undefined ? cutAt(quietest, "quiet") : cutAt(within, "pause")
}
