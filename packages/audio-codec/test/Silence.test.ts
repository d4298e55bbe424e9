import { describe, expect, it } from "@effect/vitest"
import { Silence } from "@effect-speech/audio-codec"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { cutAt, cuts } from "./wavArbitrary.js"

const rate = 8000

const tone = (millis: number, level = 0.5) =>
  Float32Array.from({ length: (millis * rate) / 1000 }, (_, index) => level * Math.sin(index))
const hush = (millis: number, level = 0.0005) => tone(millis, level)
const join = (...parts: ReadonlyArray<Float32Array>) => Float32Array.from(parts.flatMap((part) => [...part]))

const cutInto = (samples: Float32Array, sizes: ReadonlyArray<number>) =>
  cutAt(
    samples,
    sizes.map((size) => 37 * size)
  )

describe("pauses", () => {
  const talk = join(tone(500), hush(400), tone(300), hush(200), tone(100), hush(350))

  it("are found to a window of 10 ms, also at the end", () => {
    expect(Silence.pauses(talk, rate)).toEqual([
      { startSample: 500 * 8, endSample: 900 * 8 },
      { startSample: 1500 * 8, endSample: 1850 * 8 }
    ])
  })

  it("depend on the threshold and the shortest length", () => {
    expect(Silence.pauses(talk, rate, { minimum: "200 millis" }).length).toBe(3)
    expect(Silence.pauses(talk, rate, { thresholdDecibels: -80 })).toEqual([])
    expect(Silence.pauses(new Float32Array(rate), rate)).toEqual([{ startSample: 0, endSample: rate }])
    expect(Silence.pauses(new Float32Array(0), rate)).toEqual([])
    for (const thresholdDecibels of [0, 3, Number.NaN]) {
      expect(() => Silence.pauses(talk, rate, { thresholdDecibels })).toThrow("threshold of silence must be below 0 dB")
    }
    for (const sampleRate of [0, -8000, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => Silence.pauses(talk, sampleRate)).toThrow("sample rate must be at least 1 Hz")
    }
  })

  it("of a stream do not depend on its chunks", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(cuts, async (sizes) => {
        const found = Stream.fromIterable(cutInto(talk, sizes)).pipe(Silence.pausesStream(rate), Stream.runCollect)
        expect(Chunk.toArray(await Effect.runPromise(found))).toEqual(Silence.pauses(talk, rate))
      }),
      { numRuns: 20 }
    ))
})

describe("splitting", () => {
  it("cuts in the middle of the quietest point of the second half", () => {
    const talk = join(tone(300), hush(300), tone(900), hush(300, 0.01), tone(1300))
    const splitter = Silence.unsafeMakeSplitter(rate, 2000)
    const pieces = [...splitter.push(talk), ...splitter.flush()]
    expect(pieces.map(({ samples, startSample }) => [startSample / 8, samples.length / 8])).toEqual([
      [0, 1600],
      [1600, 1500]
    ])
  })

  it("makes as few pieces of silence as possible", () => {
    const splitter = Silence.unsafeMakeSplitter(rate, 1000)
    const pieces = [...splitter.push(new Float32Array(10 * rate)), ...splitter.flush()]
    expect(pieces.length).toBe(11)
  })

  it.each([
    { what: "that are NaN", sampleRate: rate, sample: Number.NaN },
    { what: "that are infinite", sampleRate: rate, sample: Number.POSITIVE_INFINITY },
    { what: "of a rate too low to have quiet points", sampleRate: 20, sample: 0.5 }
  ])("ends with samples $what", ({ sample, sampleRate }) => {
    const splitter = Silence.unsafeMakeSplitter(sampleRate, 1000)
    const pieces = [...splitter.push(new Float32Array(3.5 * sampleRate).fill(sample)), ...splitter.flush()]
    expect(pieces.map((piece) => piece.samples.length).reduce((sum, length) => sum + length)).toBe(3.5 * sampleRate)
  })
})
