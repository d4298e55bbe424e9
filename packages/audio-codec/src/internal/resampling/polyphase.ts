import { blockSamples, bytesRegion, encodedGroup, memorySize, tapsRegion, windowsRegion } from "../kernel/kernel.js"
import type { Kernel } from "../kernel/plainKernel.js"
import { type Filter, type FilterSpecification, filterOf } from "./filter.js"
import { stagesOf } from "./stages.js"

/**
 * Polyphase filters in a row, in the memory of a kernel.
 *
 * All resamplers share this memory, so the state between blocks is kept outside it. `begin` copies the state in and `end`
 * copies it out. Nothing else may use the kernel between them.
 */
export interface Polyphase {
  readonly begin: () => void
  /** A pointer into the kernel's memory, to which to write the next samples, at most `blockSamples`. */
  readonly input: () => number
  /** The number of samples that `feed` will pass on for the next `count`. */
  readonly completedBy: (count: number) => number
  /** Filters `count` samples at `input`. Passes the output to `sink` in blocks, as pointer and count. */
  readonly feed: (count: number, sink: Sink) => void
  /** The number of samples that `finish` will pass on. */
  readonly remaining: () => number
  /** Filters as if silence followed, up to ceil(n * to / from) samples of output for n of input. */
  readonly finish: (sink: Sink) => void
  readonly end: () => void
}

export type Sink = (pointer: number, count: number) => void

interface Stage {
  readonly phases: number
  readonly step: number
  readonly filter: Filter
  /** The place of the window in memory, as an index of floats. */
  readonly region: number
  /** The first input frame in the window. Silence precedes the signal. */
  start: number
  length: number
  /** The next output frame. The first is negative if a later stage needs frames before 0. */
  produced: number
  /** A copy of the window, made by `end`. `undefined` before the first: silence. */
  saved: Float32Array | undefined
}

/** The number of frames that a stage produces before it passes them on. */
const outputBlock = blockSamples

/** One more than the last output frame for which a stage has all input, with `more` frames in its window. */
const completeFrames = ({ filter, length, phases, start, step }: Stage, more: number): number =>
  Math.ceil(((start + length + more - filter.width / 2) * phases) / step)

/** Pointers to the filters in the memory of each kernel. */
const residents = new WeakMap<Kernel, { readonly pointers: Map<Filter, number>; next: number }>()

const pointerTo = (kernel: Kernel, filter: Filter): number => {
  const resident = residents.get(kernel) ?? { pointers: new Map<Filter, number>(), next: tapsRegion / 4 }
  residents.set(kernel, resident)
  const known = resident.pointers.get(filter)
  if (known !== undefined) return known
  if ((resident.next + filter.taps.length) * 4 > memorySize) {
    resident.pointers.clear()
    resident.next = tapsRegion / 4
  }
  const first = resident.next
  new Float32Array(kernel.memory).set(filter.taps, first)
  resident.pointers.set(filter, first * 4)
  resident.next += filter.taps.length
  return first * 4
}

/** The first input frame that a row of stages needs for output frame 0. */
const firstNeeded = (specifications: ReadonlyArray<FilterSpecification>): number =>
  specifications.reduceRight(
    (first, stage) => Math.floor((first * stage.step) / stage.phases) - filterOf(stage).width / 2 + 1,
    0
  )

/** One more than the last input frame that a row of stages needs for the output frames before `end`. */
const endNeeded = (specifications: ReadonlyArray<FilterSpecification>, end: number): number =>
  specifications.reduceRight(
    (end, stage) => Math.floor(((end - 1) * stage.step) / stage.phases) + filterOf(stage).width / 2 + 1,
    end
  )

/**
 * The highest rate that a WAV file can state, in Hz.
 *
 * @since 0.1.0
 * @category constants
 */
export const maximumRate = 0xffffffff

/**
 * The lowest rate that can be raised, in Hz. A lower one holds no speech. A header that states 1 Hz would make 8,000 samples
 * of each one that was read.
 *
 * @example
 * ```ts
 * import { Resampler } from "@effect-speech/audio-codec"
 *
 * // Whether audio of this rate can be converted to any other.
 * export const isUsable = (rate: number): boolean =>
 *   Number.isInteger(rate) && rate >= Resampler.minimumRaisedRate && rate <= Resampler.maximumRate
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const minimumRaisedRate = 1000

/**
 * Throws a `RangeError` for a rate that is not an integer from 1 to {@link maximumRate}, and for one below
 * {@link minimumRaisedRate} that is to be raised.
 */
const checkRates = (from: number, to: number): void => {
  for (const rate of [from, to]) {
    if (!Number.isInteger(rate) || rate < 1 || rate > maximumRate) {
      throw new RangeError(`The sample rate must be an integer from 1 to ${maximumRate} Hz, not ${rate}.`)
    }
  }
  if (from < minimumRaisedRate && from < to) {
    throw new RangeError(
      `A rate of ${from} Hz can't be raised to ${to} Hz, only rates from ${minimumRaisedRate} Hz on; check the header of the recording.`
    )
  }
}

/** Places the windows of the stages one behind the other, and the output behind them. */
const placeStages = (specifications: ReadonlyArray<FilterSpecification>) => {
  const stages: Array<Stage> = []
  let region = windowsRegion / 4
  let firstInput = 0
  for (const [index, specification] of specifications.entries()) {
    const { phases, step } = specification
    const filter = filterOf(specification)
    const half = filter.width / 2
    // A stage begins with the first frame that the signal affects, or the first that a later stage needs.
    const affected = Math.ceil(((firstInput - half) * phases) / step)
    const firstOutput = Math.max(affected, firstNeeded(specifications.slice(index + 1)))
    const start = Math.min(firstInput, Math.floor((firstOutput * step) / phases) - half + 1)
    const length = firstInput - start
    stages.push({ phases, step, filter, region, start, length, produced: firstOutput, saved: undefined })
    // The state, and a block.
    region += 4 * Math.ceil((filter.width + blockSamples) / 4)
    firstInput = firstOutput
  }
  if (4 * (region + outputBlock + encodedGroup) > bytesRegion)
    throw new Error("The filters do not fit into the memory of the kernel.")
  return { stages, outputRegion: region }
}

/** Produces the frames of a stage from `produced` to `until`, at `output`, an index of floats. */
const produce = (kernel: Kernel, stage: Stage, until: number, output: number): void => {
  const { filter, phases, step } = stage
  const { interpolated, rows, width } = filter
  const taps = pointerTo(kernel, filter)
  const count = until - stage.produced
  const time = stage.produced * step
  let sample = stage.region + Math.floor(time / phases) - width / 2 + 1 - stage.start
  /** The time of a frame after the input frame before it, in 1 / `phases`. */
  let rest = time - Math.floor(time / phases) * phases

  if (interpolated) {
    kernel.convolveBetween(taps, width, rows, 4 * sample, 4 * output, count, rest, step, phases)
  } else {
    const rowsUsed = Math.min(phases, count)
    // Frames that are `phases` apart have the same row of taps.
    for (let index = 0; index < rowsUsed; index++) {
      const row = taps + 4 * width * rest
      const sums = Math.ceil((count - index) / phases)
      kernel.convolve(row, width, 4 * sample, 4 * step, 4 * (output + index), 4 * phases, sums)
      rest += step
      const passed = Math.floor(rest / phases)
      sample += passed
      rest -= passed * phases
    }
  }
  stage.produced = until
}

/** @throws RangeError for rates that {@link checkRates} refuses. */
export const makePolyphase = (kernel: Kernel, from: number, to: number): Polyphase => {
  checkRates(from, to)
  const floats = new Float32Array(kernel.memory)
  const specifications = stagesOf(from, to)
  const { outputRegion, stages } = placeStages(specifications)
  let received = 0
  let passed = 0

  const inputOf = (index: number): number => {
    const stage = stages[index]
    return stage === undefined ? outputRegion : stage.region + stage.length
  }

  /** Passes on what is complete with `count` more frames in the window of a stage, up to frame `limits[index]`. */
  const advance = (index: number, count: number, limits: ReadonlyArray<number>, sink: Sink): void => {
    const stage = stages[index]
    if (stage === undefined) {
      passed += count
      sink(4 * outputRegion, count)
      return
    }
    stage.length += count
    const { filter, phases, step } = stage
    const half = filter.width / 2
    const until = Math.min(completeFrames(stage, 0), limits[index] ?? Number.POSITIVE_INFINITY)
    while (stage.produced < until) {
      const frames = Math.min(until - stage.produced, outputBlock)
      produce(kernel, stage, stage.produced + frames, inputOf(index + 1))
      advance(index + 1, frames, limits, sink)
    }
    const keepFrom = Math.floor((stage.produced * step) / phases) - half + 1
    const dropped = Math.max(0, Math.min(stage.length, keepFrom - stage.start))
    floats.copyWithin(stage.region, stage.region + dropped, stage.region + stage.length)
    stage.start += dropped
    stage.length -= dropped
  }

  return {
    begin: () => {
      for (const { length, region, saved } of stages) {
        if (saved === undefined) floats.fill(0, region, region + length)
        else floats.set(saved, region)
      }
    },
    input: () => 4 * inputOf(0),
    completedBy: (count) =>
      stages.reduce((more, stage) => Math.max(0, completeFrames(stage, more) - stage.produced), count),
    feed: (count, sink) => {
      received += count
      advance(0, count, [], sink)
    },
    remaining: () => Math.ceil((received * to) / from) - passed,
    finish: (sink) => {
      if (received === 0) return
      // A stage ends with the last frame that the signal affects, or the last that a later stage needs.
      const total = Math.ceil((received * to) / from)
      let inputEnd = received
      const limits = stages.map(({ filter, phases, step }, index) => {
        const affected = Math.ceil(((inputEnd + filter.width / 2) * phases) / step)
        inputEnd = Math.min(affected, endNeeded(specifications.slice(index + 1), total))
        return inputEnd
      })
      stages.forEach((stage, index) => {
        while (stage.produced < (limits[index] as number)) {
          floats.fill(0, inputOf(index), inputOf(index) + blockSamples)
          advance(index, blockSamples, limits, sink)
        }
      })
    },
    end: () => {
      for (const stage of stages) stage.saved = floats.slice(stage.region, stage.region + stage.length)
    }
  }
}
