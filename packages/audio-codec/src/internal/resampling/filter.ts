/**
 * Designs low-pass filters as tables of taps, by the window method: a sinc with a Kaiser window.
 *
 * Length and shape follow Kaiser's formulas, as in Oppenheim and Schafer, Discrete-Time Signal Processing, 3rd ed.,
 * section 7.5.3: beta = 0.1102 (A - 8.7) for A > 50 dB, and taps - 1 = (A - 8) / (2.285 * transition width in radians).
 */

/** The requirements of a filter. Frequencies are in cycles per input frame. */
export interface FilterSpecification {
  /** Output frames per input frame is `phases` / `step`, in lowest terms. */
  readonly phases: number
  readonly step: number
  /** The end of the pass band. */
  readonly pass: number
  /** The beginning of the stop band. At most 0.5 if the filter narrows the band. */
  readonly stop: number
  /** Attenuation of the stop band, in dB. */
  readonly attenuation: number
}

export interface Filter {
  /** The number of rows in the table. Row r is for the time r / rows between two input frames. */
  readonly rows: number
  /** Whether taps are interpolated, because times lie between rows. If so, there is one more row, for time 1. */
  readonly interpolated: boolean
  /** Taps per row, a multiple of 8, half of them on each side of the time. */
  readonly width: number
  readonly taps: Float32Array
}

/**
 * The largest number of rows for a filter that passes half the input rate. Between rows, taps are interpolated linearly. The
 * error is at most (pi / rows)^2 / 8 of the peak: -131 dB for 2,048 rows.
 */
const maximumRows = 2048

/** The modified Bessel function of the first kind and order 0, by its power series. */
const bessel0 = (x: number): number => {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x * x) / (4 * k * k)
    sum += term
  }
  return sum
}

/** Taps on each side of the time: a multiple of 4, as the filter loops require. */
const halfWidth = ({ attenuation, pass, stop }: FilterSpecification): number =>
  4 * Math.ceil(((attenuation - 8) / (2.285 * 2 * Math.PI * (stop - pass)) + 1) / 8)

/** The cost of a filter, known without its design: products per output frame. */
export const filterCost = (specification: FilterSpecification): number =>
  2 * halfWidth(specification) * (specification.phases > rowLimit(specification) ? 3 : 1)

/** A narrower filter is longer, but needs fewer rows because it changes more slowly. So the size of the table is constant. */
const rowLimit = ({ pass, stop }: FilterSpecification): number => Math.ceil(maximumRows * Math.min(1, pass + stop))

const design = (specification: FilterSpecification): Filter => {
  const { attenuation, pass, phases, stop } = specification
  const cutoff = (pass + stop) / 2
  const half = halfWidth(specification)
  const width = 2 * half
  const beta = 0.1102 * (attenuation - 8.7)
  const peak = bessel0(beta)
  const rows = Math.min(phases, rowLimit(specification))
  const interpolated = rows < phases
  const taps = new Float32Array((interpolated ? rows + 1 : rows) * width)

  const tapAt = (time: number): number => {
    const edge = 1 - (time / half) ** 2
    const angle = 2 * Math.PI * cutoff * time
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
    return edge < 0 ? 0 : (2 * cutoff * sinc * bessel0(beta * Math.sqrt(edge))) / peak
  }
  // The filter is symmetric, so row `rows` - r is row r in reverse.
  for (let row = 0; row <= rows / 2; row++) {
    for (let tap = 0; tap < width; tap++) {
      const value = tapAt(row / rows - (tap - half + 1))
      taps[row * width + tap] = value
      const mirrored = rows - row
      if (mirrored < rows || interpolated) taps[mirrored * width + (width - 1 - tap)] = value
    }
  }
  return { rows, interpolated, width, taps }
}

const keptDesigns = 16
const designs = new Map<string, Filter>()

/** Designs a filter, or takes it from a cache of the last 16: a service resamples many recordings in the same way. */
export const filterOf = (specification: FilterSpecification): Filter => {
  const { attenuation, pass, phases, step, stop } = specification
  const key = [phases, step, pass, stop, attenuation].join()
  const filter = designs.get(key) ?? design(specification)
  designs.delete(key)
  designs.set(key, filter)
  for (const oldest of designs.keys()) {
    if (designs.size <= keptDesigns) break
    designs.delete(oldest)
  }
  return filter
}
