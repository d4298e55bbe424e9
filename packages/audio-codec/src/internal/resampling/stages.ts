import { type FilterSpecification, filterCost } from "./filter.js"

/**
 * Divides a change of rate into the stages of least cost.
 *
 * A filter is longer if its transition band is narrow in relation to its rate. So a large change takes whole-number stages
 * with wide transition bands, and the sharp filter runs at the lowest rate: 48 kHz to 8 kHz by way of 12 kHz takes a third of
 * the products (Crochiere and Rabiner, Multirate Digital Signal Processing, 1983, chapter 5). A stage may pass frequencies
 * that a later one stops (section 5.3).
 *
 * A ratio without small whole numbers, as of 44,101 Hz and 8 kHz, needs interpolated taps, which cost three times as much. They
 * are best in a stage with a wide transition band, so it changes to 3 / 2 of the lower rate, and the sharp filter from there.
 *
 * If the rate is reduced, the first stages are even shorter: they begin to fall in the pass band, and the sharp one, the last,
 * makes up for it.
 */

/**
 * The end of the pass band and the beginning of the stop band, as parts of the lower Nyquist frequency. The benchmark
 * measures -0.1 dB a little above 0.9.
 */
const passBand = 0.88
const stopBand = 1

/**
 * In dB: a little more than the documented 110 and 120, since the errors of stages add up. Upsampling needs more, because
 * nothing masks its images above the band.
 */
const attenuationDown = 112
const attenuationUp = 122

/** In dB: what a first stage loses at most in the band that is kept. The last one raises its aliases by as much. */
const largestLoss = 6

/**
 * The lowest rate after a first stage, as a part of that of the output, if the rate is reduced. To a lower one, a filter falls so
 * steeply that the last stage can't make up for it: at 1.25, the pass band is flat to -105 dB.
 */
const lowestRate = 1.25

/** The largest factor of one stage. */
const largestFactor = 16

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

interface Plan {
  readonly cost: number
  /** From the sharp stage, at the lower rate, to the outermost. */
  readonly stages: ReadonlyArray<FilterSpecification>
}

const keptResults = 16
const results = new Map<string, ReadonlyArray<FilterSpecification>>()

/** The stages between two rates. The last 16 results are kept: a service resamples many recordings in the same way. */
export const stagesOf = (from: number, to: number): ReadonlyArray<FilterSpecification> => {
  const rates = `${from} ${to}`
  const stages = results.get(rates) ?? cheapestStages(from, to)
  results.delete(rates)
  results.set(rates, stages)
  for (const oldest of results.keys()) {
    if (results.size <= keptResults) break
    results.delete(oldest)
  }
  return stages
}

const cheapestStages = (from: number, to: number): ReadonlyArray<FilterSpecification> => {
  if (from === to) return []
  const high = Math.max(from, to)
  const low = Math.min(from, to)
  const down = from > to
  const lowest = down ? lowestRate * low : low

  /** The stage between two rates, `upper` and `lower`, both multiplied by `outer`. */
  const stage = (outer: number, upper: number, lower: number): FilterSpecification => {
    const divisor = greatestCommonDivisor(upper, lower)
    const input = down ? upper : lower
    const nyquist = (low * outer) / 2
    const falls = down && lower > 2 * nyquist
    const stop = lower - stopBand * nyquist
    return {
      phases: (down ? lower : upper) / divisor,
      step: (down ? upper : lower) / divisor,
      // A filter loses 6 dB half-way between pass and stop: here at the lower Nyquist frequency or above.
      pass: (falls ? Math.max(0, 2 * nyquist - stop) : passBand * nyquist) / input,
      stop: stop / input,
      attenuation: falls ? attenuationDown + largestLoss : down ? attenuationDown : attenuationUp,
      before: []
    }
  }
  const costPerSecond = (specification: FilterSpecification, outputRate: number) =>
    // 8 products stand for the other costs of an output frame, as measured.
    (filterCost(specification) + 8) * outputRate

  const plans = new Map<number, Plan>()
  const best = (divided: number): Plan => {
    const known = plans.get(divided)
    if (known !== undefined) return known
    const sharp = stage(divided, high, low * divided)
    let plan: Plan = { cost: costPerSecond(sharp, down ? low : high / divided), stages: [sharp] }
    const consider = (inner: Plan, outer: FilterSpecification, outputRate: number) => {
      const cost = inner.cost + costPerSecond(outer, outputRate)
      if (cost < plan.cost) plan = { cost, stages: [...inner.stages, outer] }
    }
    const middle = 1.5 * low
    const sharpFromMiddle = stage(2 * divided, 3 * low * divided, 2 * low * divided)
    consider(
      { cost: costPerSecond(sharpFromMiddle, down ? low : middle), stages: [sharpFromMiddle] },
      stage(2 * divided, 2 * high, 3 * low * divided),
      down ? middle : high / divided
    )
    for (let factor = 2; factor <= largestFactor && lowest * divided * factor < high; factor++) {
      const outer = stage(divided * factor, high * factor, high)
      consider(best(divided * factor), outer, high / divided / (down ? factor : 1))
    }
    plans.set(divided, plan)
    return plan
  }
  const [sharp, ...outer] = best(1).stages as [FilterSpecification, ...Array<FilterSpecification>]
  return down ? [...outer.toReversed(), { ...sharp, before: outer.toReversed() }] : [sharp, ...outer]
}
