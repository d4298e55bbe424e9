import { describe, expect, it } from "@effect/vitest"
import { type AudioFormat, Channels, Pcm, Telephony } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { holds } from "effect-speech-test-support/holds"
import { encodings } from "./wavArbitrary.js"

describe("int16", () => {
  it("to float and back is exact for every value", () => {
    const all = Int16Array.from({ length: 0x10000 }, (_, index) => index - 0x8000)
    const bytes = new Uint8Array(all.buffer)
    const encoded = Pcm.encode(Pcm.decode(bytes, "pcm16"), "pcm16")
    expect(Buffer.compare(encoded.bytes, bytes)).toBe(0)
    expect(encoded.clipped).toBe(0)
  })

  it("rounds halves to even, clamps what is out of range and counts it, and takes NaN for silence", () => {
    const step = 1 / 0x8000
    const samples = Float32Array.of(0.5 * step, 1.5 * step, -0.5 * step, -1.5 * step, 1, -1, -1.1, 7, Number.NaN)
    const { bytes, clipped } = Pcm.encode(samples, "pcm16")
    expect([...new Int16Array(bytes.buffer)]).toEqual([0, 2, 0, -2, 32767, -32768, -32768, 32767, 0])
    expect(clipped).toBe(3)
  })
})

it.each([
  ["pcm8", [128, 255, 0], [0, 127 / 128, -1]],
  ["pcm16", [0, 0, 0, 64, 0, 128], [0, 0.5, -1]],
  ["pcm24", [0, 0, 0, 0, 0, 64, 0, 0, 128], [0, 0.5, -1]],
  ["pcm32", [0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 128], [0, 0.5, -1]],
  ["float32", [...new Uint8Array(Float32Array.of(0.25, 2).buffer)], [0.25, 2]],
  ["float64", [...new Uint8Array(Float64Array.of(0.25, 2).buffer)], [0.25, 2]],
  // The smallest and the largest of each sign, as ITU-T G.711 has them, in 16 bits.
  ["alaw", [0xd5, 0x55, 0xaa, 0x2a], [8, -8, 32_256, -32_256].map((value) => value / 0x8000)],
  ["mulaw", [0xff, 0xfe, 0x7e, 0x80, 0x00], [0, 8, -8, 32_124, -32_124].map((value) => value / 0x8000)]
] as const)("%s is read to full scale", (encoding, bytes, samples) => {
  expect([...Pcm.decode(Uint8Array.from(bytes), encoding)]).toEqual(samples)
})

it.each(encodings)("samples of %s do not change if they are encoded again", (encoding) => {
  holds([FastCheck.uint8Array({ maxLength: 400 })], {}, (bytes) => {
    const samples = Pcm.decode(bytes, encoding).map((sample) => (Number.isNaN(sample) ? 0 : sample))
    const again = Pcm.decode(Pcm.encode(samples, encoding).bytes, encoding)
    // Zero has one code in A-law and mu-law too, though mu-law can read two.
    expect([...again].map((sample) => sample + 0)).toEqual([...samples].map((sample) => sample + 0))
  })
})

it.each(encodings)("a reused block of %s gives the same as a new one", (encoding) => {
  const samples = Float32Array.from({ length: 20_000 }, (_, index) => Math.sin(index) * 1.2)
  const { bytes, clipped } = Pcm.encode(samples, encoding)
  const reused = new Uint8Array(bytes.byteLength + 3).fill(0xaa)
  expect(Pcm.encodeInto(samples, encoding, reused)).toBe(clipped)
  expect(Buffer.compare(reused.subarray(0, bytes.byteLength), bytes)).toBe(0)
  expect([...reused.subarray(bytes.byteLength)]).toEqual([0xaa, 0xaa, 0xaa])

  const target = new Float32Array(samples.length + 1).fill(9)
  expect(Pcm.decodeInto(bytes, encoding, target)).toBe(samples.length)
  expect(target.subarray(0, -1)).toEqual(Pcm.decode(bytes, encoding))
  expect(target[samples.length]).toBe(9)
  expect(Pcm.decodeInto(bytes, encoding, target.subarray(0, 10))).toBe(10)
})

describe("dither", () => {
  const step = 1 / 0x8000
  const mean = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample, 0) / samples.length

  it("keeps a signal smaller than a step, which rounding alone would lose", () => {
    const quiet = new Float32Array(100_000).fill(0.3 * step)
    const rounded = Pcm.decode(Pcm.encode(quiet, "pcm16").bytes, "pcm16")
    const dithered = Pcm.decode(Pcm.encode(quiet, "pcm16", { dither: Pcm.triangularDither() }).bytes, "pcm16")
    expect(mean(rounded)).toBe(0)
    expect(mean(dithered) / step).toBeCloseTo(0.3, 1)
  })

  it("is triangular: between -1 and 1 step, with a variance of a sixth", () => {
    const dither = Pcm.triangularDither(7)
    const noise = Float32Array.from({ length: 100_000 }, dither)
    expect(Math.max(...noise.map(Math.abs))).toBeLessThan(1)
    expect(mean(noise)).toBeCloseTo(0, 2)
    expect(mean(noise.map((value) => value * value))).toBeCloseTo(1 / 6, 2)
  })

  it("is the same for the same seed, and continues from block to block", () => {
    const samples = new Float32Array(100)
    const options = { dither: Pcm.triangularDither(3) }
    const first = Pcm.encode(samples, "pcm16", options).bytes
    const second = Pcm.encode(samples, "pcm16", options).bytes
    expect(first).not.toEqual(second)
    const whole = Pcm.encode(new Float32Array(200), "pcm16", { dither: Pcm.triangularDither(3) }).bytes
    expect(Buffer.compare(Buffer.concat([first, second]), whole)).toBe(0)
  })

  it("leaves floats alone", () => {
    const samples = Float32Array.of(0.1, 0.2)
    const { bytes } = Pcm.encode(samples, "float32", { dither: Pcm.triangularDither() })
    expect(Pcm.decode(bytes, "float32")).toEqual(samples)
  })
})

it.effect("a stream of encoded samples counts clipped samples, anew in each run", () =>
  Effect.gen(function* () {
    const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
    const audio = Pcm.encodeStream(Stream.make(Float32Array.of(0.5, 2), Float32Array.of(-3)), format)
    for (let run = 0; run < 2; run++) {
      expect([...(yield* Pcm.collectSamples(Pcm.decodeStream(audio)))]).toEqual([0.5, 32767 / 32768, -1])
      expect(yield* audio.clipped).toBe(2)
    }
  })
)

describe("channels", () => {
  const stereo = Float32Array.of(1, 0, 0.5, 0.5, -1, 1, 9)

  it("are mixed down to their mean, without an incomplete frame", () => {
    expect([...Channels.mixdown(stereo, 2)]).toEqual([0.5, 0.5, 0])
    expect(Channels.mixdown(stereo, 1)).toBe(stereo)
    const most = 0xffff
    const samples = Float32Array.from({ length: 2 * most }, (_, index) => (index < most ? 0.5 : -0.25))
    expect([...Channels.mixdown(samples, most)]).toEqual([0.5, -0.25])
  })

  it("are picked one by one", () => {
    expect([...Channels.pick(stereo, 2, 0)]).toEqual([1, 0.5, -1])
    expect([...Channels.pick(stereo, 2, 1)]).toEqual([0, 0.5, 1])
    expect(Channels.pick(stereo, 1, 0)).toBe(stereo)
    for (const channel of [-1, 2, 0.5]) expect(() => Channels.pick(stereo, 2, channel)).toThrow("There is no channel")
  })

  it.each([0, 1.5, 65_536, Number.NaN])("are a number that a WAV file can have, not %d", (channels) => {
    expect(() => Channels.mixdown(stereo, channels)).toThrow("The number of channels")
    expect(() => Channels.pick(stereo, channels, 0)).toThrow("The number of channels")
    expect(() => Telephony.unsafeMake({ sampleRate: 8000, channels, encoding: "pcm8" })).toThrow(
      "The number of channels"
    )
  })
})
