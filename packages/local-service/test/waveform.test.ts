import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { waveformOf } from "../src/internal/console/waveform.js"

/** Samples that three decimals can hold. */
const samplesOf = (length: number, seed: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => ((((index + 1) * (2 * seed + 1) * 7919) % 2001) - 1000) / 1000)

const louder = (one: number, other: number): number => (Math.abs(other) > Math.abs(one) ? other : one)

it.effect("a waveform has the loudest sample of each part, whatever blocks the recording comes in", () =>
  Effect.promise(() =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.oneof(FastCheck.nat(20), FastCheck.integer({ min: 3990, max: 8010 }), FastCheck.nat(100_000)),
        FastCheck.nat(1000),
        FastCheck.integer({ min: 1, max: 30_000 }),
        async (length, seed, block) => {
          const samples = samplesOf(length, seed)
          const blocks = Array.from({ length: Math.ceil(length / block) }, (_, index) =>
            samples.subarray(index * block, (index + 1) * block)
          )
          const { durationMillis, peaks } = await Effect.runPromise(waveformOf(Stream.fromIterable(blocks)))
          expect(durationMillis).toBe(Math.round(length / 8))
          expect(peaks.length).toBeLessThan(4000)
          const inPart = 2 ** Math.max(0, Math.ceil(Math.log2((length + 1) / 4000)))
          const expected = Array.from({ length: Math.ceil(length / inPart) }, (_, index) =>
            samples.subarray(index * inPart, (index + 1) * inPart).reduce(louder, 0)
          )
          expect(peaks).toEqual(expected.map((peak) => Math.round(peak * 1000) / 1000))
          expect(await Effect.runPromise(waveformOf(samples))).toEqual({ durationMillis, peaks })
        }
      ),
      { numRuns: 60, seed: 1 }
    )
  )
)

it.effect("a waveform is made of finite numbers from -1 to 1, whatever a recording of floats holds", () =>
  Effect.gen(function* () {
    const samples = Float32Array.of(
      0.5,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
      1e38,
      -1.2,
      -0.25
    )
    expect((yield* waveformOf<never, never>(samples)).peaks).toEqual([0.5, 1, -1, 0, 1, -1, -0.25])
    const long = new Float32Array(10_000).fill(Number.NaN)
    expect(Math.max(...(yield* waveformOf<never, never>(long)).peaks)).toBe(0)
  })
)
