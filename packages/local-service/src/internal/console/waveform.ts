import type { Samples } from "@effect-speech/engine/Samples"
import * as Effect from "effect/Effect"
import { forEachBlock } from "../recordings/samples.js"
import type { Waveform } from "./messages.js"

/** Of the samples, in Hz. */
export const waveformRate = 8000

/** A waveform has fewer peaks, and at least half as many or a peak for each sample. */
const maximumPeaks = 4000

/**
 * Computes a waveform in constant memory. The number of samples of a peak doubles when there are too many peaks, since the length of
 * a recording is known only at its end.
 */
export const waveformOf = <E, R>(samples: Samples<E, R>): Effect.Effect<Waveform, E, R> =>
  Effect.suspend(() => {
    const peaks = new Float32Array(maximumPeaks)
    let count = 0
    let samplesOfPeak = 1
    let peak = 0
    let inPeak = 0
    let total = 0

    const endPeak = (): void => {
      peaks[count++] = peak
      peak = 0
      inPeak = 0
      if (count < maximumPeaks) return
      count /= 2
      samplesOfPeak *= 2
      for (let at = 0; at < count; at++) peaks[at] = louder(peaks[2 * at] ?? 0, peaks[2 * at + 1] ?? 0)
    }
    const add = (block: Float32Array): void => {
      for (const sample of block) {
        // NaN is never louder.
        peak = louder(peak, sample)
        if (++inPeak === samplesOfPeak) endPeak()
      }
      total += block.length
    }
    return Effect.map(
      forEachBlock(samples, (block) => Effect.sync(() => add(block))),
      () => {
        if (inPeak > 0) endPeak()
        return {
          // A file of floats can hold infinity, which JSON has not. A player clips at 1.
          peaks: Array.from(
            peaks.subarray(0, count),
            (each) => Math.round(Math.max(-1, Math.min(1, each)) * 1000) / 1000
          ),
          durationMillis: Math.round((total / waveformRate) * 1000)
        }
      }
    )
  })

const louder = (one: number, other: number): number => (Math.abs(other) > Math.abs(one) ? other : one)
