import { describe, expect, it } from "@effect/vitest"
import { Pcm, Quiet } from "@effect-speech/audio-codec"
import * as FastCheck from "effect/FastCheck"
import { holds } from "effect-speech-test-support/holds"
import { concatSamples } from "../src/internal/bytes.js"
import { pause, rate, recording, speech } from "./speech.js"
import { cutAt } from "./wavArbitrary.js"

const plus = (samples: Float32Array, sound: (time: number) => number, at = rate) =>
  samples.map((sample, index) => sample + sound(index / at))
const cut = (
  samples: Float32Array,
  options?: Quiet.CutOptions,
  sizes: ReadonlyArray<number> = [samples.length],
  at = rate
) => {
  const cutter = Quiet.unsafeMakeCutter(at, options)
  return [...cutAt(samples, sizes).flatMap(cutter.push), ...cutter.flush()]
}
const ends = (pieces: ReadonlyArray<Quiet.Piece>) =>
  pieces.map(({ ending, samples, startSample: start }) => ({ start, end: start + samples.length, ending }))

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
    const [first, second] = ends(cut(plus(talk, sound), { maximum: 2500 }))
    expect(first?.ending).toBe("pause")
    expect(Math.abs((first?.end ?? 0) / 8 - middle)).toBeLessThanOrEqual(20)
    expect(second?.start).toBe(first?.end)
  })

  it("is in the pause with the quietest surroundings if all pauses are short, since they may be chance", () => {
    const soft = speech(150).map((it) => it / 20)
    const parts = [speech(1500), pause(190), speech(400), soft, pause(170), soft, speech(600)]
    const [first] = ends(cut(concatSamples(parts), { maximum: 2800 }))
    expect(first?.ending).toBe("pause")
    expect(Math.abs((first?.end ?? 0) / 8 - 2325)).toBeLessThanOrEqual(20)
  })

  it("gives a last piece, even if no pause precedes it", () => {
    expect(ends(cut(speech(900)))).toEqual([{ start: 0, end: 900 * 8, ending: "end" }])
    expect(cut(new Float32Array(0))).toEqual([])
  })

  it("is at the quietest point if there is no pause, and says so", () => {
    const pieces = ends(
      cut(concatSamples([speech(1500), speech(400).map((it) => it / 3), speech(1100)]), { maximum: 2000 })
    )
    expect(pieces.map(({ ending }) => ending)).toEqual(["quiet", "end"])
    expect(pieces[0]?.end).toBeGreaterThan(1500 * 8)
    expect(pieces[0]?.end).toBeLessThan(1900 * 8)
  })

  it("is moved neither by gain nor by an offset", () =>
    holds(
      [recording, maximum, FastCheck.constantFrom(-1, 2 ** -6, 0.3, 3, 1000), FastCheck.constantFrom(0, 0.25, -0.1, 3)],
      { numRuns: 12, seed: 4 },
      (samples, maximum, gain, offset) => {
        // Rounded, so that an offset leaves the same samples.
        const grid = samples.map((sample) => Math.round(sample * 2 ** 16) / 2 ** 16)
        const changed = grid.map((sample) => gain * sample + gain * offset)
        expect(ends(cut(changed, { maximum }))).toEqual(ends(cut(grid, { maximum })))
      }
    ))

  it.each([1000, 1999, 4000, 11_025, 44_100, 48_000])("counts in samples of the source, at %d Hz", (at) => {
    const frequency = Math.min(600, 0.35 * at)
    const samples = concatSamples([speech(1200, frequency, at), pause(300, at), speech(1500, frequency, at)])
    const [first, second] = cut(samples, { maximum: 2000 }, [1000], at)
    expect(Math.abs(((first?.samples.length ?? 0) / at) * 1000 - 1350)).toBeLessThanOrEqual(20)
    expect(second?.startSample).toBe(first?.samples.length)
  })

  it.each([
    { what: "of silence", sample: 0 },
    { what: "that are NaN", sample: Number.NaN },
    { what: "that are infinite", sample: Number.POSITIVE_INFINITY }
  ])("ends with samples $what, and finds pauses after them", ({ sample }) => {
    const odd = new Float32Array(1000 * 8).fill(sample)
    const pieces = ends(cut(concatSamples([odd, speech(900), pause(300), speech(1000)]), { maximum: 2500 }))
    expect(pieces.at(-1)?.end).toBe(3200 * 8)
    expect(Math.abs((pieces[0]?.end ?? 0) / 8 - 2050)).toBeLessThanOrEqual(20)
  })

  it("refuses rates below 1,000 Hz", () => {
    for (const low of [999, 0, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => Quiet.unsafeMakeCutter(low)).toThrow("sample rate must be at least 1000 Hz")
    }
  })
})
