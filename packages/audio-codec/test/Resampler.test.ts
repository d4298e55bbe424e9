import { describe, expect, it } from "@effect/vitest"
import { Pcm, Resampler } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { holds } from "effect-speech-test-support/holds"

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
    holds([anyRate, anyRate, FastCheck.integer({ min: 0, max: 500 })], { numRuns: 50 }, (from, to, length) => {
      const output = Resampler.resample(new Float32Array(length), { from, to })
      expect(output.length).toBe(Math.ceil((length * to) / from))
    })
  })

  it("takes extreme ratios, without harm to the memory of other resamplers", () => {
    const tone = sine(1000, 48_000, 6000)
    const before = Resampler.resample(tone, { from: 48_000, to: 8000 })
    const rates = [1000, 1009, 8000, 474_209, 767_999, 768_000]
    for (const from of rates) {
      for (const to of [1, 7, ...rates]) {
        const output = Resampler.resample(Float32Array.of(1, 1), { from, to })
        expect(output.length).toBe(Math.ceil((2 * to) / from))
        expect(output.every(Number.isFinite)).toBe(true)
      }
    }
    for (const from of [725_009, 767_998, 4_294_967_291]) {
      Resampler.resample(new Float32Array(20_000).fill(0.5), { from, to: 8000 })
      Resampler.resample(new Float32Array(200).fill(0.5), { from: 8000, to: 767_999 })
    }
    expect(Resampler.resample(tone, { from: 48_000, to: 8000 })).toEqual(before)
  })

  it.each([
    [1000, 19_200_000],
    [2000, 34_039_000],
    [474_209, 8000]
  ])("from %i to %i Hz ends as if silence followed", (from, to) => {
    const samples = Float32Array.from({ length: Math.max(2, from / 100) }, (_, index) => Math.sin(index))
    const followed = Resampler.unsafeMake({ from, to })
    const silence = new Float32Array(Math.max(150, from / 50))
    const longer = Buffer.concat(
      [followed.push(samples), followed.push(silence)].map((block) => Buffer.from(block.buffer))
    )
    const ended = Resampler.resample(samples, { from, to })
    expect(Buffer.compare(longer.subarray(0, ended.byteLength), Buffer.from(ended.buffer))).toBe(0)
  })

  it.each([
    [48_000, 8000],
    [44_100, 8000],
    [32_000, 8000],
    [192_000, 8000],
    [16_000, 8000],
    [44_101, 8000],
    [96_001, 44_101],
    [22_050, 24_000],
    [8000, 44_101],
    [1009, 4234]
  ])("from %i to %i Hz passes 0.9 of the band, and stops frequencies beyond it and images", (from, to) => {
    const low = Math.min(from, to) / 2
    const length = Math.ceil((2500 * from) / Math.min(from, to))
    const error = (part: number) =>
      errorDecibels(Resampler.resample(sine(part * low, from, length), { from, to }), part * low, to)
    const level = (part: number) => levelDecibels(Resampler.resample(sine(part * low, from, length), { from, to }))
    for (const part of [0.1, 0.5, 0.85]) expect(error(part)).toBeLessThan(-80)
    // The gain is above -0.1 dB.
    expect(error(0.9)).toBeLessThan(-38)
    if (from > to) for (const part of [1.001, 1.1, 1.7]) expect(level(part)).toBeLessThan(-110)
    else expect(error(0.8)).toBeLessThan(-100)
  })

  it("of a stream equals resampling of the whole, bit for bit", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.oneof(rate, anyRate),
        FastCheck.oneof(rate, anyRate),
        FastCheck.array(FastCheck.float32Array({ maxLength: 300, noNaN: true, min: -1, max: 1 }), { maxLength: 6 }),
        async (from, to, blocks) => {
          const streamed = await Stream.fromIterable(blocks).pipe(
            Resampler.resampleStream({ from, to }),
            Pcm.collectSamples,
            Effect.runPromise
          )
          const whole = Resampler.resample(Float32Array.from(blocks.flatMap((block) => [...block])), { from, to })
          expect(Buffer.compare(Buffer.from(streamed.buffer), Buffer.from(whole.buffer))).toBe(0)
        }
      ),
      { numRuns: 40 }
    ))

  // The last three pairs have no common divisor.
  it.each([
    [24_000, 8000],
    [8000, 24_000],
    [20_001, 8000],
    [22_051, 24_001],
    [191_999, 8000]
  ])("from %i to %i Hz keeps a tone, to -105 dB", (from, to) => {
    const output = Resampler.resample(sine(1000, from, from), { from, to })
    expect(errorDecibels(output, 1000, to)).toBeLessThan(-105)
  })

  it.each([0, -8000, 1.5, Number.NaN, 4_294_967_296])("refuses a rate of %d", (rate) => {
    expect(() => Resampler.unsafeMake({ from: rate, to: 8000 })).toThrow(RangeError)
    expect(() => Resampler.unsafeMake({ from: 8000, to: rate })).toThrow("The sample rate must be an integer")
  })

  it("does not raise a rate that no speech has, which would make thousands of samples of one", () => {
    for (const from of [1, 2, 999]) {
      expect(() => Resampler.resample(new Float32Array(1), { from, to: 8000 })).toThrow(
        `A rate of ${from} Hz can't be raised to 8000 Hz`
      )
      expect(Resampler.resample(new Float32Array(1), { from, to: from }).length).toBe(1)
    }
  })
})
