/**
 * Low-pass filters as tables of taps, by the window method: a sinc under a Kaiser window.
 *
 * Length and shape follow Kaiser's formulas, as in Oppenheim and Schafer, Discrete-Time Signal Processing, 3rd ed.,
 * section 7.5.3: beta = 0.1102 (A - 8.7) for A > 50 dB, and taps - 1 = (A - 8) / (2.285 * transition width in radians).
 */

/** What a filter is to do. Frequencies are in cycles per input frame. */
export interface FilterSpecification {
  /** Output frames per input frame is `phases` / `step`, in lowest terms. */
  readonly phases: number
  readonly step: number
  /** The end of the pass band. */
  readonly pass: number
  /** The beginning of the stop band, at most 0.5 where the filter narrows the band. */
  readonly stop: number
  /** Of the stop band, in dB. */
  readonly attenuation: number
}

export interface Filter {
  /** The rows of the table, of which row r is for the time r / rows between two input frames. */
  readonly rows: number
  /** Whether a time lies between rows, so that taps are interpolated; there is one more row then, for time 1. */
  readonly interpolated: boolean
  /** Taps per row, a multiple of 8, half of them on each side of the time. */
  readonly width: number
  readonly taps: Float32Array
}

/**
 * The most rows of a filter that passes half the input rate. Between rows taps are interpolated in a straight line,
 * whose error is at most (pi / rows)^2 / 8 of the peak: -131 dB for 2,048.
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

/** Taps on each side of the time, a multiple of 4 as the filter loops ask for. */
const halfWidth = ({ attenuation, pass, stop }: FilterSpecification): number =>
  4 * Math.ceil(((attenuation - 8) / (2.285 * 2 * Math.PI * (stop - pass)) + 1) / 8)

/** Products per output frame: what a filter costs, without designing it. */
export const filterCost = (specification: FilterSpecification): number =>
  2 * halfWidth(specification) * (specification.phases > rowLimit(specification) ? 3 : 1)

/** A narrower filter is longer and changes more slowly, so that the table stays of one size. */
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
  // The filter is even, so row `rows` - r is row r from its end to its beginning.
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

/** The filter of a specification. The last few are kept: a service resamples many recordings alike. */
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
