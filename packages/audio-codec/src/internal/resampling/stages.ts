import { type FilterSpecification, filterCost } from "./filter.js"

/**
 * How a change of rate is best divided into stages.
 *
 * A filter is the longer, the narrower its transition band is against the rate it runs at. So a large change goes
 * through whole-number stages with wide transition bands first, and the sharp filter runs at the lowest rate: 48 kHz
 * to 8 kHz by way of 12 kHz takes a third of the products. (Crochiere and Rabiner, Multirate Digital Signal
 * Processing, 1983, chapter 5; what a stage may let through, because a later one stops it, is section 5.3.)
 */

/**
 * The end of the pass band, and the beginning of the stop band, as parts of the lower Nyquist frequency. The filters are
 * 0.1 dB down a little above 0.9, as the benchmark measures.
 */
const passBand = 0.88
const stopBand = 1

/**
 * In dB: a little more than the 110 and 120 that are promised, since stages add up. Sampling up leaves images above the
 * band, which hide behind nothing, so it stops them by more.
 */
const attenuationDown = 112
const attenuationUp = 122

/** The largest whole number that one stage divides or multiplies by. */
const largestFactor = 16

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

interface Plan {
  readonly cost: number
  /** From the sharp stage, which ends at the lower rate, to the outermost. */
  readonly stages: ReadonlyArray<FilterSpecification>
}

export const stagesOf = (from: number, to: number): ReadonlyArray<FilterSpecification> => {
  if (from === to) return []
  const high = Math.max(from, to)
  const low = Math.min(from, to)
  const down = from > to

  /** The stage between the rates `high` / `outer` and `inner`, both given times `outer`. */
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
    // 8 products' worth for what each output costs beside them, as measured.
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
