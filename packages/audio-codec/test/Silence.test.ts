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
      { start: 500 * 8, end: 900 * 8 },
      { start: 1500 * 8, end: 1850 * 8 }
    ])
  })

  it("depend on the threshold and the shortest length", () => {
    expect(Silence.pauses(talk, rate, { minimumMillis: 200 }).length).toBe(3)
    expect(Silence.pauses(talk, rate, { thresholdDecibels: -80 })).toEqual([])
    expect(Silence.pauses(new Float32Array(rate), rate)).toEqual([{ start: 0, end: rate }])
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
    const splitter = Silence.makeSplitter(rate, 2000)
    const pieces = [...splitter.push(talk), ...splitter.flush()]
    expect(pieces.map(({ samples, start }) => [start / 8, samples.length / 8])).toEqual([
      [0, 1600],
      [1600, 1500]
    ])
  })

  it("gives the whole recording, in pieces of at most the given length, whatever its chunks", () => {
    FastCheck.assert(
      FastCheck.property(
        cuts,
        FastCheck.integer({ min: 0, max: 9000 }),
        FastCheck.integer({ min: 1000, max: 3000 }),
        FastCheck.infiniteStream(FastCheck.float({ min: -1, max: 1, noNaN: true })),
        (sizes, millis, maximum, levels) => {
          const samples = Float32Array.from({ length: millis * 8 }, (_, index) =>
            index % 400 === 0 ? (levels.next().value as number) : 0.1
          )
          const splitter = Silence.makeSplitter(rate, maximum)
          const pieces = [...cutInto(samples, sizes).flatMap(splitter.push), ...splitter.flush()]
          const whole = Silence.makeSplitter(rate, maximum)
          const ends = (all: ReadonlyArray<Silence.Piece>) => all.map(({ samples, start }) => [start, samples.length])
          expect(ends(pieces)).toEqual(ends([...whole.push(samples), ...whole.flush()]))
          const all = join(...pieces.map((piece) => piece.samples))
          expect(Buffer.compare(Buffer.from(all.buffer), Buffer.from(samples.buffer))).toBe(0)
          let start = 0
          for (const piece of pieces) {
            expect(piece.start).toBe(start)
            expect(piece.samples.length / 8).toBeLessThanOrEqual(maximum)
            start += piece.samples.length
          }
          for (const piece of pieces.slice(0, -1)) expect(piece.samples.length / 8).toBeGreaterThan(maximum / 2)
        }
      ),
      { numRuns: 30 }
    )
  })

  it.effect("of a stream gives each piece as soon as it is complete", () =>
    Effect.gen(function* () {
      const endless = Stream.concat(Stream.make(tone(2500)), Stream.never)
      const piece = yield* Stream.runHead(Silence.splitStream(rate, 2000)(endless))
      expect(piece._tag).toBe("Some")
      const pieces = Silence.splitStream(rate, 2000)(Stream.make(tone(2500), tone(100)))
      const lengths = Stream.map(pieces, ({ samples }) => samples.length)
      expect(yield* Stream.runSum(lengths)).toBe(2600 * 8)
    })
  )

  it("makes as few pieces of silence as possible", () => {
    const splitter = Silence.makeSplitter(rate, 1000)
    const pieces = [...splitter.push(new Float32Array(10 * rate)), ...splitter.flush()]
    expect(pieces.length).toBe(11)
  })

  it.each([
    { what: "that are not numbers", sampleRate: rate, sample: Number.NaN },
    { what: "that are infinite", sampleRate: rate, sample: Number.POSITIVE_INFINITY },
    { what: "of a rate too low to have quiet points", sampleRate: 20, sample: 0.5 }
  ])("ends with samples $what", ({ sample, sampleRate }) => {
    const splitter = Silence.makeSplitter(sampleRate, 1000)
    const pieces = [...splitter.push(new Float32Array(3.5 * sampleRate).fill(sample)), ...splitter.flush()]
    expect(pieces.map((piece) => piece.samples.length).reduce((sum, length) => sum + length)).toBe(3.5 * sampleRate)
  })

  it("takes memory for the samples that it received, not for the rate of a header", () => {
    const splitter = Silence.makeSplitter(4_294_967_295, 300_000)
    const samples = Float32Array.from({ length: 1000 }, (_, index) => index)
    expect([...splitter.push(samples), ...splitter.push(samples), ...splitter.flush()]).toEqual([
      { start: 0, samples: join(samples, samples) }
    ])
  })

  it("refuses pieces of less than a second, or without end", () => {
    for (const maximum of [999, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => Silence.makeSplitter(rate, maximum)).toThrow(RangeError)
    }
  })
})
