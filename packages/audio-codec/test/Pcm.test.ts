import { describe, expect, it } from "@effect/vitest"
import { type AudioFormat, Channels, Pcm } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"

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
  ["float64", [...new Uint8Array(Float64Array.of(0.25, 2).buffer)], [0.25, 2]]
] as const)("%s is read to full scale", (encoding, bytes, samples) => {
  expect([...Pcm.decode(Uint8Array.from(bytes), encoding)]).toEqual(samples)
})

it.effect("samples that are split between chunks are whole again", () =>
  Effect.promise(() =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.uint8Array({ minLength: 0, maxLength: 96 }),
        FastCheck.array(FastCheck.integer({ min: 1, max: 11 }), { minLength: 1 }),
        FastCheck.constantFrom<AudioFormat.Encoding>("pcm8", "pcm16", "pcm24", "pcm32"),
        async (bytes, sizes, encoding) => {
          const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding }
          const parts: Array<Uint8Array> = []
          for (let offset = 0, index = 0; offset < bytes.length; index++) {
            const size = sizes[index % sizes.length] ?? 1
            parts.push(bytes.subarray(offset, offset + size))
            offset += size
          }
          const split = await Effect.runPromise(
            Pcm.collectSamples(Pcm.samples({ format, stream: Stream.fromIterable(parts) }))
          )
          expect([...split]).toEqual([...Pcm.decode(bytes, encoding)])
        }
      )
    )
  )
)

describe("mixdown", () => {
  it("is the mean of the channels of each frame", () => {
    expect([...Channels.mixdown(Float32Array.of(1, 0, 0.5, 0.5, -1, 1), 2)]).toEqual([0.5, 0.5, 0])
  })

  it("leaves one channel alone, and a part of a frame out", () => {
    const mono = Float32Array.of(0.1, 0.2)
    expect(Channels.mixdown(mono, 1)).toBe(mono)
    expect([...Channels.mixdown(Float32Array.of(1, 1, 1), 2)]).toEqual([1])
  })
})
