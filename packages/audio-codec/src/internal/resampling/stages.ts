import { type FilterSpecification, filterCost } from "./filter.js"

/**
 * Divides a change of rate into the stages of least cost.
 *
 * A filter is longer if its transition band is narrow in relation to its rate. So a large change takes whole-number stages
 * with wide transition bands, and the sharp filter runs at the lowest rate: 48 kHz to 8 kHz by way of 12 kHz takes a third of
 * the products (Crochiere and Rabiner, Multirate Digital Signal Processing, 1983, chapter 5). A stage may pass frequencies
 * that a later one stops (section 5.3).
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

/** The largest factor of one stage. */
const largestFactor = 16

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

interface Plan {
  readonly cost: number
  /** From the sharp stage, at the lower rate, to the outermost. */
  readonly stages: ReadonlyArray<FilterSpecification>
}

export const stagesOf = (from: number, to: number): ReadonlyArray<FilterSpecification> => {
  if (from === to) return []
  const high = Math.max(from, to)
  const low = Math.min(from, to)
  const down = from > to

  /** The stage between two rates, `upper` and `lower`, both multiplied by `outer`. */
  const stage = (outer: number, upper: number, lower: number): FilterSpecification => {
    const divisor = greatestCommonDivisor(upper, lower)
    const input = down ? upper : lower
    return {
      phases: (down ? lower : upper) / divisor,
      step: (down ? upper : lower) / divisor,
      pass: (passBand * low * outer) / 2 / input,
      stop: (lower - (stopBand * low * outer) / 2) / input,
      attenuation: down ? attenuationDown : attenuationUp
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
    for (let factor = 2; factor <= largestFactor && low * divided * factor < high; factor++) {
      const outer = stage(divided * factor, high * factor, high)
      const inner = best(divided * factor)
      const cost = inner.cost + costPerSecond(outer, high / divided / (down ? factor : 1))
      if (cost < plan.cost) plan = { cost, stages: [...inner.stages, outer] }
    }
    plans.set(divided, plan)
    return plan
  }
  const { stages } = best(1)
  return down ? stages.toReversed() : stages
}
