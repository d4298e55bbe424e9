import { readFileSync } from "node:fs"
import { describe, expect, it, vi } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { holds } from "effect-speech-test-support/holds"
import { compileKernel } from "../kernel/compile.js"
import { kernel, makeWasmKernel, memorySize } from "../src/internal/kernel/kernel.js"
import { type Kernel, makePlainKernel } from "../src/internal/kernel/plainKernel.js"
import { makeResampler } from "../src/internal/resampling/resampler.js"

const plain = makePlainKernel(memorySize)

const input = 1 << 20
const output = 2 << 20

/** The results of a function of each kernel for the same bytes. */
const both = <A>(bytes: Uint8Array, outputBytes: number, run: (kernel: Kernel) => A) =>
  [kernel, plain].map((kernel) => {
    const memory = new Uint8Array(kernel.memory)
    memory.fill(0, input, output + 65_536)
    memory.set(bytes, input)
    const result = run(kernel)
    return { result, bytes: Buffer.from(memory.slice(output, output + outputBytes)).toString("hex") }
  })

const bytesOf = (samples: Float32Array) => new Uint8Array(samples.buffer)

const sample = FastCheck.oneof(
  FastCheck.float({ min: -2, max: 2 }),
  FastCheck.float(),
  FastCheck.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 128, -128, 1e30, -1e30, 1, -1),
  // Halves between integers, and the edges of the range.
  FastCheck.integer({ min: -0x8002, max: 0x8002 }).map((value) => Math.fround((value + 0.5) / 0x8000))
)
const samples = FastCheck.array(sample, { maxLength: 200 }).map((values) => Float32Array.from(values))

describe("the WebAssembly kernel", () => {
  it("is in use here, and compiled from the source in this repository", async () => {
    expect(kernel.memory.byteLength).toBe(memorySize)
    // A function of WebAssembly has no source to show.
    expect(String(kernel.convolve)).toContain("[native code]")
    expect(makeWasmKernel()?.memory.byteLength).toBe(memorySize)
    const embedded = readFileSync(new URL("../src/internal/kernel/kernelModule.ts", import.meta.url), "utf8")
    expect(embedded).toBe(await compileKernel())
  })

  it("is missing if the runtime has no WebAssembly", () => {
    vi.stubGlobal("WebAssembly", undefined)
    try {
      expect(makeWasmKernel()).toBeUndefined()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it.each([
    ["decodePcm8", 1],
    ["decodePcm16", 2],
    ["decodePcm24", 3],
    ["decodePcm32", 4],
    ["meanPcm16", 4]
  ] as const)("gives the same floats as plain TypeScript, bit for bit: %s", (name, size) => {
    holds([FastCheck.uint8Array({ maxLength: 400 })], {}, (bytes) => {
      const count = Math.floor(bytes.length / size)
      const [fast, slow] = both(bytes, 4 * count, (kernel) => kernel[name](input, output, count))
      expect(fast).toEqual(slow)
    })
  })

  it("gives the same 16-bit samples and the same count of clipped ones, bit for bit, whatever the floats", () => {
    holds([samples], { numRuns: 500 }, (values) => {
      const [fast, slow] = both(bytesOf(values), 2 * values.length, (kernel) =>
        kernel.encodePcm16(input, output, values.length)
      )
      expect(fast).toEqual(slow)
    })
  })

  it("clips exactly the samples that rounding would put out of range", () => {
    const edges = Float32Array.of(32767.498, 32767.5, 32767.502, -32768.5, -32768.504).map((value) => value / 0x8000)
    for (const [index, clipped] of [0, 1, 1, 0, 1].entries()) {
      for (const { result } of both(bytesOf(edges.slice(index, index + 1)), 2, (kernel) =>
        kernel.encodePcm16(input, output, 1)
      )) {
        expect(result).toBe(clipped)
      }
    }
  })

  it("gives the same mixdown, bit for bit, whatever the number of channels", () => {
    holds(
      [FastCheck.array(FastCheck.float({ noNaN: true }), { maxLength: 200 }), FastCheck.integer({ min: 1, max: 9 })],
      {},
      (values, channels) => {
        const frames = Math.floor(values.length / channels)
        const [fast, slow] = both(bytesOf(Float32Array.from(values)), 4 * frames, (kernel) =>
          kernel.mixdown(input, output, frames, channels)
        )
        expect(fast).toEqual(slow)
      }
    )
  })

  it.each([
    [48_000, 8000],
    [44_100, 8000],
    [22_050, 24_000],
    [8000, 44_100],
    [44_101, 8000],
    [8000, 12_345]
  ])("resamples from %i to %i Hz as plain TypeScript does, within the last bit of 16", (from, to) => {
    holds(
      [FastCheck.float32Array({ min: -1, max: 1, noNaN: true, minLength: 0, maxLength: 3000 })],
      { numRuns: 10 },
      (values) => {
        const [fast, slow] = [kernel, plain].map((kernel) => {
          const resampler = makeResampler(kernel, { from, to })
          return [...resampler.push(values), ...resampler.flush()]
        }) as [Array<number>, Array<number>]
        expect(fast.length).toBe(slow.length)
        const differences = fast.map((value, index) => Math.abs(value - (slow[index] as number)))
        expect(Math.max(0, ...differences)).toBeLessThan(1 / 0x8000)
      }
    )
  })
})
