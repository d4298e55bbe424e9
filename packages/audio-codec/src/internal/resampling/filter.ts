/**
 * Designs low-pass filters as tables of taps, by the window method: the impulse response of the wanted gain, with a Kaiser
 * window.
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
  /** The stages before this one, in order. This one makes up for what they lose in the pass band. */
  readonly before: ReadonlyArray<FilterSpecification>
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
 * The largest number of rows for a filter that passes half the input rate. Between rows, taps are interpolated linearly, which
 * has the spectrum sinc^2(f / rows). The images of a frequency f lie around the multiples of `rows`, and the largest has the
 * gain (f / rows)^2 (Smith, Digital Audio Resampling, "Linear Interpolation"): -132 dB for f = 1 / 2 and 1,024 rows.
 */
const maximumRows = 1024

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

/** The gain of stages at a frequency, in cycles per frame of their output. */
const gainOf = (stages: ReadonlyArray<FilterSpecification>, frequency: number): number => {
  let gain = 1
  let cycles = frequency
  for (const stage of stages.toReversed()) {
    const { rows, taps, width } = filterOf(stage)
    cycles *= stage.phases / stage.step
    const angle = 2 * Math.PI * cycles
    // Without the row for time 1, which repeats row 0.
    gain *= taps.subarray(0, rows * width).reduce((sum, tap, index) => {
      const time = Math.floor(index / width) / rows - ((index % width) - width / 2 + 1)
      return sum + (tap * Math.cos(angle * time)) / rows
    }, 0)
  }
  return gain
}

/** The second differences of values that are even: the value on the left of the first is the one on its right. */
const secondDifferences = (values: Float64Array): Float64Array => {
  const at = (index: number) => values[Math.abs(index)] as number
  return Float64Array.from({ length: values.length - 1 }, (_, index) => at(index - 1) - 2 * at(index) + at(index + 1))
}

/**
 * The gains that make up for the stages before, at the frequencies 0, 1 / `period`, 2 / `period`… up to `count` / `period`.
 *
 * A window averages gains over frequencies, with its spectrum as weights. If m2 and m4 are the moments of the spectrum, that
 * is 1 + m2 / 2 D^2 + m4 / 24 D^4 (Taylor), with D the derivative. Here the inverse is taken before: 1 - m2 / 2 D^2 +
 * (m2^2 / 4 - m4 / 24) D^4, with D^2 as the second difference less a twelfth of the fourth.
 *
 * The moments are derivatives of the window w(t) = I0(beta sqrt(1 - t^2)) / I0(beta) at 0, with t in half windows: the second,
 * -beta I1(beta) / I0(beta), and the fourth, 3 beta^2 I2(beta) / I0(beta), as (1 / z d/dz)^k I0(z) = Ik(z) / z^k (Abramowitz and
 * Stegun, 9.6.28). I1 / I0 is about 1 - 1 / (2 beta) (9.7.1), and I2 = I0 - 2 I1 / beta (9.6.26).
 */
const gainsOf = (
  before: ReadonlyArray<FilterSpecification>,
  { beta, count, half, period }: Record<"beta" | "count" | "half" | "period", number>
): Float64Array => {
  const wanted = Float64Array.from({ length: count + 3 }, (_, index) => 1 / gainOf(before, index / period))
  const second = secondDifferences(wanted)
  const fourth = secondDifferences(second)
  const scale = (period / (2 * Math.PI * half)) ** 2
  const quotient = 1 - 1 / (2 * beta)
  const m2 = beta * quotient * scale
  const m4 = 3 * beta ** 2 * (1 - (2 * quotient) / beta) * scale ** 2
  return fourth.map(
    (value, index) =>
      (wanted[index] as number) - (m2 / 2) * (second[index] as number) + (m2 / 24 + m2 ** 2 / 4 - m4 / 24) * value
  )
}

const design = (specification: FilterSpecification): Filter => {
  const { attenuation, before, pass, phases, stop } = specification
  const cutoff = (pass + stop) / 2
  const half = halfWidth(specification)
  const width = 2 * half
  const beta = 0.1102 * (attenuation - 8.7)
  const peak = bessel0(beta)
  const rows = Math.min(phases, rowLimit(specification))
  const interpolated = rows < phases
  const taps = new Float32Array((interpolated ? rows + 1 : rows) * width)

  // The gain is that at the cutoff, whose response is a sinc, and the rest below it, which is smooth: a sum of cosines
  // instead of an integral. The sum repeats itself after `period`, where the window has ended.
  const count = Math.ceil(cutoff * width)
  const period = count / cutoff
  const gains = before.length === 0 ? [1] : gainsOf(before, { beta, count, half, period })
  const last = gains[gains.length - 1] as number

  const responseAt = (time: number): number => {
    const angle = 2 * Math.PI * cutoff * time
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
    // Clenshaw's recurrence (Numerical Recipes, 3rd ed., section 5.4.2).
    const cosine = Math.cos((2 * Math.PI * time) / period)
    let [next, afterNext] = [0, 0]
    for (let index = gains.length - 2; index > 0; index--) {
      const sum = (gains[index] as number) - last + 2 * cosine * next - afterNext
      afterNext = next
      next = sum
    }
    return 2 * cutoff * last * sinc + ((gains[0] as number) - last + 2 * cosine * next - 2 * afterNext) / period
  }
  const tapAt = (time: number): number => {
    const edge = 1 - (time / half) ** 2
    return edge < 0 ? 0 : (responseAt(time) * bessel0(beta * Math.sqrt(edge))) / peak
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

const designs = new WeakMap<FilterSpecification, Filter>()

/** Designs a filter, once for each specification. */
export const filterOf = (specification: FilterSpecification): Filter => {
  const filter = designs.get(specification) ?? design(specification)
  designs.set(specification, filter)
  return filter
}
