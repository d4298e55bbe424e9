/** The edges of the four bands of a voice, in Hz. Telephones carry no more. */
const edges = [200, 500, 1000, 2000, 3400] as const

/** A filter at a frequency so close to the half of the rate would pass all, or nothing. */
const highestEdge = 0.95

/** The state of a band: two filters of second order, and the energy of the frame so far. */
const stateSize = 5

/** A state below this becomes 0: so small a number is inaudible, and slow to compute with. */
const negligible = 1e-30

/**
 * The two coefficients of feedback of a Butterworth filter of second order (bilinear transform), for its high-pass and its
 * low-pass alike. `k` is tan(pi f / rate).
 */
const feedback = (k: number): readonly [number, number, number] => {
  const norm = 1 / (1 + Math.SQRT2 * k + k * k)
  return [2 * (k * k - 1) * norm, (1 - Math.SQRT2 * k + k * k) * norm, norm]
}

interface Band {
  /** Feedback of the high-pass and of the low-pass. A band up to half the rate has no low-pass. */
  readonly high: readonly [number, number]
  readonly low: readonly [number, number] | undefined
  /** What the energy of the filters without their gains is multiplied by. */
  readonly gain: number
}

const makeBand = (from: number, to: number, sampleRate: number): Band => {
  const k = Math.tan((Math.PI * from) / sampleRate)
  const [high1, high2, highGain] = feedback(k)
  if (to >= (highestEdge * sampleRate) / 2) return { high: [high1, high2], low: undefined, gain: highGain ** 2 }
  const m = Math.tan((Math.PI * to) / sampleRate)
  const [low1, low2, lowNorm] = feedback(m)
  return { high: [high1, high2], low: [low1, low2], gain: (highGain * m * m * lowNorm) ** 2 }
}

/** Measures the energy of a signal in bands, frame by frame. */
export const makeBands = (sampleRate: number) => {
  const bands = edges.slice(0, -1).flatMap((from, index) => {
    return from < (highestEdge * sampleRate) / 2 ? [makeBand(from, edges[index + 1] as number, sampleRate)] : []
  })
  // Not variables of a closure: the engine would box each number.
  const state = new Float64Array(bands.length * stateSize)
  const first = new Float64Array(1)
  let started = false

  const filter = (samples: Float32Array, from: number, to: number, { high, low }: Band, at: number): void => {
    // By index: to destructure an array costs as much as ten samples.
    const high1 = high[0]
    const high2 = high[1]
    const low1 = low === undefined ? 0 : low[0]
    const low2 = low === undefined ? 0 : low[1]
    const offset = first[0] as number
    let highA = state[at] as number
    let highB = state[at + 1] as number
    let lowA = state[at + 2] as number
    let lowB = state[at + 3] as number
    let energy = state[at + 4] as number
    for (let index = from; index < to; index++) {
      const sample = (samples[index] as number) - offset
      const passedHigh = sample + highA
      highA = highB - 2 * sample - high1 * passedHigh
      highB = sample - high2 * passedHigh
      if (low === undefined) {
        energy += passedHigh * passedHigh
      } else {
        const passed = passedHigh + lowA
        lowA = lowB + 2 * passedHigh - low1 * passed
        lowB = passedHigh - low2 * passed
        energy += passed * passed
      }
    }
    state[at] = highA
    state[at + 1] = highB
    state[at + 2] = lowA
    state[at + 3] = lowB
    state[at + 4] = energy
  }
  return {
    count: bands.length,
    /** Takes the samples of one frame, or a part of it, from one offset to another. */
    add: (samples: Float32Array, from: number, to: number): void => {
      if (!started && from < to) {
        // As if the first sample had always been there: an offset makes no step.
        first[0] = Number.isFinite(samples[from]) ? (samples[from] as number) : 0
        started = true
      }
      for (let index = 0; index < bands.length; index++) {
        filter(samples, from, to, bands[index] as Band, index * stateSize)
      }
    },
    /** Writes the energy of each band since the last call to `target` from `offset` on. */
    take: (target: Float64Array, offset: number): void => {
      for (let index = 0; index < bands.length; index++) {
        const at = index * stateSize
        const energy = (state[at + 4] as number) * (bands[index] as Band).gain
        const isNumber = Number.isFinite(energy)
        target[offset + index] = isNumber ? energy : 0
        state[at + 4] = 0
        for (let part = at; part < at + 4; part++) {
          if (!isNumber || Math.abs(state[part] as number) < negligible) state[part] = 0
        }
      }
    }
  }
}
