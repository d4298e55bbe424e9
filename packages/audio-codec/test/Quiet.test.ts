import { describe, expect, it } from "@effect/vitest"
import { Pcm, Quiet } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { concatSamples } from "../src/internal/bytes.js"
import { cutAt, cuts } from "./wavArbitrary.js"

const rate = 8000
/** A tone whose loudness trembles as that of syllables does. */
const speech = (millis: number, frequency = 600, at = rate) =>
  Float32Array.from({ length: (millis * at) / 1000 }, (_, index) => {
    const time = index / at
    return 0.3 * (1 + 0.99 * Math.sin(2 * Math.PI * 7 * time)) * Math.sin(2 * Math.PI * frequency * time)
  })
const pause = (millis: number, at = rate) => new Float32Array((millis * at) / 1000)
const plus = (samples: Float32Array, sound: (time: number) => number, at = rate) =>
  samples.map((sample, index) => sample + sound(index / at))
const cut = (
  samples: Float32Array,
  options?: Quiet.CutOptions,
  sizes: ReadonlyArray<number> = [samples.length],
  at = rate
) => {
  const cutter = Quiet.makeCutter(at, options)
  return [...cutAt(samples, sizes).flatMap(cutter.push), ...cutter.flush()]
}
const ends = (pieces: ReadonlyArray<Quiet.Piece>) =>
  pieces.map(({ ending, samples, start }) => ({ start, end: start + samples.length, ending }))

/** Speech and pauses of random lengths, over noise of a random level. */
const recording = FastCheck.record({
  parts: FastCheck.array(FastCheck.record({ said: FastCheck.nat(900), quiet: FastCheck.nat(400) }), { maxLength: 10 }),
  level: FastCheck.constantFrom(0, 0.001, 0.03),
  seed: FastCheck.integer({ min: 1, max: 1000 })
}).map(({ level, parts, seed }) => {
  const noise = Pcm.triangularDither(seed)
  return concatSamples(parts.flatMap(({ quiet, said }) => [speech(said), pause(quiet)])).map(
    (it) => it + level * noise()
  )
})
const maximum = FastCheck.integer({ min: 1000, max: 3000 })

describe("cutting", () => {
  const talk = concatSamples([speech(1200), pause(300), speech(500), pause(140), speech(400), pause(60), speech(1400)])
  const middle = 1350

  it.each([
    { noise: "no noise", sound: () => 0 },
    {
      noise: "white noise",
      sound: (
        (noise) => () =>
          0.03 * noise()
      )(Pcm.triangularDither(5))
    },
    { noise: "a hum as loud as it", sound: (time: number) => 0.3 * Math.sin(2 * Math.PI * 50 * time) },
    { noise: "a whistle as loud as it", sound: (time: number) => 0.3 * Math.sin(2 * Math.PI * 1500 * time) },
    { noise: "a drift", sound: (time: number) => 0.5 * Math.sin(2 * Math.PI * 2 * time) }
  ])("is in the middle of the longest pause of the second half, in $noise", ({ sound }) => {
    const [first, second] = ends(cut(plus(talk, sound), { maximumMillis: 2500 }))
    expect(first?.ending).toBe("pause")
    expect(Math.abs((first?.end ?? 0) / 8 - middle)).toBeLessThanOrEqual(20)
    expect(second?.start).toBe(first?.end)
  })

  it("is in the pause with the quietest surroundings if all pauses are short, since they may be chance", () => {
    const soft = speech(150).map((it) => it / 20)
    const parts = [speech(1500), pause(190), speech(400), soft, pause(170), soft, speech(600)]
    const [first] = ends(cut(concatSamples(parts), { maximumMillis: 2800 }))
    expect(first?.ending).toBe("pause")
    expect(Math.abs((first?.end ?? 0) / 8 - 2325)).toBeLessThanOrEqual(20)
  })

  it("is at the quietest point if there is no pause, and says so", () => {
    const pieces = ends(
      cut(concatSamples([speech(1500), speech(400).map((it) => it / 3), speech(1100)]), { maximumMillis: 2000 })
    )
    expect(pieces.map(({ ending }) => ending)).toEqual(["quiet", "end"])
    expect(pieces[0]?.end).toBeGreaterThan(1500 * 8)
    expect(pieces[0]?.end).toBeLessThan(1900 * 8)
  })

  it("gives the whole recording in pieces of at most the given length, with offsets, whatever its chunks", () =>
    FastCheck.assert(
      FastCheck.property(recording, maximum, cuts, (samples, maximumMillis, sizes) => {
        const whole = cut(samples, { maximumMillis })
        const pieces = cut(
          samples,
          { maximumMillis },
          sizes.map((size) => 37 * size)
        )
        expect(ends(pieces)).toEqual(ends(whole))
        let start = 0
        for (const piece of pieces) {
          expect(piece.start).toBe(start)
          expect(piece.samples.length / 8).toBeLessThanOrEqual(maximumMillis)
          start += piece.samples.length
        }
        for (const piece of pieces.slice(0, -1))
          expect(piece.samples.length / 8).toBeGreaterThan(maximumMillis / 2 - 10)
        expect(pieces.slice(0, -1).every(({ ending }) => ending !== "end")).toBe(true)
        expect(pieces.at(-1)?.ending).toBe(samples.length === 0 ? undefined : "end")
        const all = concatSamples(pieces.map((piece) => piece.samples))
        expect(Buffer.compare(Buffer.from(all.buffer), Buffer.from(samples.buffer))).toBe(0)
      }),
      { numRuns: 12, seed: 3 }
    ))

  it("is moved neither by gain nor by an offset", () =>
    FastCheck.assert(
      FastCheck.property(
        recording,
        maximum,
        FastCheck.constantFrom(-1, 2 ** -6, 0.3, 3, 1000),
        FastCheck.constantFrom(0, 0.25, -0.1, 3),
        (samples, maximumMillis, gain, offset) => {
          // Rounded, so that an offset leaves the same samples.
          const grid = samples.map((sample) => Math.round(sample * 2 ** 16) / 2 ** 16)
          const changed = grid.map((sample) => gain * sample + gain * offset)
          expect(ends(cut(changed, { maximumMillis }))).toEqual(ends(cut(grid, { maximumMillis })))
        }
      ),
      { numRuns: 12, seed: 4 }
    ))

  it.each([1000, 1999, 4000, 11_025, 44_100, 48_000])("counts in samples of the source, at %d Hz", (at) => {
    const frequency = Math.min(600, 0.35 * at)
    const samples = concatSamples([speech(1200, frequency, at), pause(300, at), speech(1500, frequency, at)])
    const [first, second] = cut(samples, { maximumMillis: 2000 }, [1000], at)
    expect(Math.abs(((first?.samples.length ?? 0) / at) * 1000 - 1350)).toBeLessThanOrEqual(20)
    expect(second?.start).toBe(first?.samples.length)
  })

  it.effect("of a stream gives each piece as soon as it is complete", () =>
    Effect.gen(function* () {
      const endless = Stream.concat(Stream.make(speech(2500)), Stream.never)
      const piece = yield* Stream.runHead(Quiet.cutStream(rate, { maximumMillis: 2000 })(endless))
      expect(piece._tag).toBe("Some")
      const pieces = Quiet.cutStream(rate)(Stream.make(speech(2500), pause(100)))
      expect(Array.from(yield* Stream.runCollect(pieces)).map(({ samples }) => samples.length)).toEqual([2600 * 8])
    })
  )

  it.each([
    { what: "of silence", sample: 0 },
    { what: "that are not numbers", sample: Number.NaN },
    { what: "that are infinite", sample: Number.POSITIVE_INFINITY }
  ])("ends with samples $what, and finds pauses after them", ({ sample }) => {
    const odd = new Float32Array(1000 * 8).fill(sample)
    const pieces = ends(cut(concatSamples([odd, speech(900), pause(300), speech(1000)]), { maximumMillis: 2500 }))
    expect(pieces.at(-1)?.end).toBe(3200 * 8)
    expect(Math.abs((pieces[0]?.end ?? 0) / 8 - 2050)).toBeLessThanOrEqual(20)
  })

  it("takes memory for the samples that it received, not for the rate of a header", () => {
    const cutter = Quiet.makeCutter(4_294_967_295)
    const samples = Float32Array.from({ length: 1000 }, (_, index) => index)
    cutter.push(samples)
    cutter.push(samples)
    expect(cutter.flush()).toEqual([{ start: 0, samples: concatSamples([samples, samples]), ending: "end" }])
  })

  it("refuses pieces of less than a second or without end, and rates below 1,000 Hz", () => {
    for (const maximumMillis of [999, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => Quiet.makeCutter(rate, { maximumMillis })).toThrow("longest piece must last at least 1000 ms")
    }
    for (const low of [999, 0, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => Quiet.makeCutter(low)).toThrow("sample rate must be at least 1000 Hz")
    }
  })
})
