import { describe, expect, it } from "@effect/vitest"
import { Pcm, Resampler } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"

const rate = FastCheck.constantFrom(8000, 11025, 16000, 22050, 24000, 44100, 48000, 96000, 192_000)
const anyRate = FastCheck.integer({ min: 8000, max: 192_000 })

const sine = (frequency: number, sampleRate: number, length: number) =>
  Float32Array.from({ length }, (_, index) => Math.sin((2 * Math.PI * frequency * index) / sampleRate))

/** The level of the difference to a sine of unit amplitude, in dB, away from the ends. */
const errorDecibels = (output: Float32Array, frequency: number, sampleRate: number) => {
  const expected = sine(frequency, sampleRate, output.length)
  const margin = 1000
  let error = 0
  for (let index = margin; index < output.length - margin; index++) {
    error += ((output[index] ?? 0) - (expected[index] ?? 0)) ** 2
  }
  return 10 * Math.log10(error / (output.length - 2 * margin) / 0.5)
}

const levelDecibels = (samples: Float32Array) => {
  const inner = samples.subarray(1000, -1000)
  return 10 * Math.log10(inner.reduce((sum, sample) => sum + sample * sample, 0) / inner.length / 0.5)
}

describe("resampling", () => {
  it("gives ceil(n * to / from) samples for n", () => {
    FastCheck.assert(
      FastCheck.property(anyRate, anyRate, FastCheck.integer({ min: 0, max: 500 }), (from, to, length) => {
        const output = Resampler.resample(new Float32Array(length), { from, to })
        expect(output.length).toBe(Math.ceil((length * to) / from))
      }),
      { numRuns: 50 }
    )
  })

  it("takes the most extreme ratios", () => {
    const rates = [1, 7, 8000, 767_999, 768_000]
    for (const from of rates) {
      for (const to of rates) {
        const output = Resampler.resample(Float32Array.of(1, 1), { from, to })
        expect(output.length).toBe(Math.ceil((2 * to) / from))
        expect(output.every(Number.isFinite)).toBe(true)
      }
    }
  })

  it.effect("of a stream equals that of the whole, bit for bit", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.oneof(rate, anyRate),
          FastCheck.oneof(rate, anyRate),
          FastCheck.array(FastCheck.float32Array({ maxLength: 300, noNaN: true, min: -1, max: 1 }), { maxLength: 6 }),
          async (from, to, blocks) => {
            const streamed = await Stream.fromIterable(blocks).pipe(
              Resampler.stream({ from, to }),
              Pcm.collectSamples,
              Effect.runPromise
            )
            const whole = Resampler.resample(Float32Array.from(blocks.flatMap((block) => [...block])), { from, to })
            expect(Buffer.compare(Buffer.from(streamed.buffer), Buffer.from(whole.buffer))).toBe(0)
          }
        ),
        { numRuns: 40 }
      )
    )
  )

  it.each([
    [22050, 24000],
    [22050, 8000],
    [24000, 8000],
    [48000, 8000],
    [8000, 24000]
  ])("from %i to %i Hz keeps a tone where and as it is, to -105 dB", (from, to) => {
    for (const frequency of [300, 1000, 3400]) {
      const output = Resampler.resample(sine(frequency, from, from), { from, to })
      expect(errorDecibels(output, frequency, to)).toBeLessThan(-105)
    }
  })

  it.each([
    [44101, 8000],
    [22051, 24001],
    [191_999, 8000]
  ])("from %i to %i Hz, which have no divisor, is as good and as soon begun", (from, to) => {
    const output = Resampler.resample(sine(1000, from, from), { from, to })
    expect(errorDecibels(output, 1000, to)).toBeLessThan(-105)
  })

  it.each([0, -8000, 1.5, Number.NaN, 4_294_967_291])("refuses %d for a rate", (rate) => {
    expect(() => Resampler.make({ from: rate, to: 8000 })).toThrow(RangeError)
    expect(() => Resampler.make({ from: 8000, to: rate })).toThrow("A sample rate is an integer")
  })

  it("is the same wherever a sound begins and ends, the edges of the recording too", () => {
    FastCheck.assert(
      FastCheck.property(
        rate,
        rate,
        FastCheck.float32Array({ minLength: 1, maxLength: 300, noNaN: true, min: -1, max: 1 }),
        (from, to, samples) => {
          const seconds = 1 / 25
          const later = Float32Array.from([...new Float32Array(from * seconds), ...samples])
          const alone = Resampler.resample(samples, { from, to })
          const delayed = Resampler.resample(later, { from, to }).subarray(to * seconds)
          expect([...delayed]).toEqual([...alone])
        }
      ),
      { numRuns: 40 }
    )
  })

  it("silences what the lower rate can't hold, to -105 dB", () => {
    for (const frequency of [4100, 5000, 7900, 10000]) {
      const output = Resampler.resample(sine(frequency, 24000, 24000), { from: 24000, to: 8000 })
      expect(levelDecibels(output)).toBeLessThan(-105)
    }
  })
})
