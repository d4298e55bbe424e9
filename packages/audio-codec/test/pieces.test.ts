import { describe, expect, it } from "@effect/vitest"
import { Quiet, Silence } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { holds } from "effect-speech-test-support/holds"
import { concatSamples } from "../src/internal/bytes.js"
import { pause, rate, recording, speech } from "./speech.js"
import { cutAt, cuts } from "./wavArbitrary.js"

/** Both ways to cut a recording into pieces. */
const cutters = [
  { name: "Silence", make: Silence.unsafeMakeSplitter, cutStream: Silence.splitStream },
  {
    name: "Quiet",
    make: (rate: number, maximum: number) => Quiet.unsafeMakeCutter(rate, { maximum }),
    cutStream: (rate: number, maximum: number) => Quiet.cutStream(rate, { maximum })
  }
]

const places = (pieces: ReadonlyArray<Silence.Piece>) =>
  pieces.map(({ samples, ...place }) => ({ ...place, length: samples.length }))

describe.each(cutters)("the pieces of $name", ({ cutStream, make }) => {
  const cut = (samples: Float32Array, maximumMillis: number, sizes: ReadonlyArray<number>) => {
    const cutter = make(rate, maximumMillis)
    return [...cutAt(samples, sizes).flatMap((part) => [...cutter.push(part)]), ...cutter.flush()]
  }

  it("are the whole recording, each of at most the given length, whatever its chunks", () =>
    holds(
      [recording, FastCheck.integer({ min: 1000, max: 3000 }), cuts],
      { numRuns: 15, seed: 3 },
      (samples, maximum, sizes) => {
        const pieces = cut(
          samples,
          maximum,
          sizes.map((size) => 37 * size)
        )
        expect(places(pieces)).toEqual(places(cut(samples, maximum, [samples.length])))
        let start = 0
        for (const piece of pieces) {
          expect(piece.startSample).toBe(start)
          expect(piece.samples.length / 8).toBeLessThanOrEqual(maximum)
          start += piece.samples.length
        }
        for (const piece of pieces.slice(0, -1)) {
          expect(piece.samples.length / 8).toBeGreaterThan(maximum / 2 - 10)
          expect(piece).not.toMatchObject({ ending: "end" })
        }
        const joined = concatSamples(pieces.map((piece) => piece.samples))
        expect(Buffer.compare(Buffer.from(joined.buffer), Buffer.from(samples.buffer))).toBe(0)
      }
    ))

  it.effect("of a stream arrive as soon as each is complete", () =>
    Effect.gen(function* () {
      const endless = Stream.concat(Stream.make(speech(2500)), Stream.never)
      expect((yield* Stream.runHead(cutStream(rate, 2000)(endless)))._tag).toBe("Some")
      const pieces = cutStream(rate, 2000)(Stream.make(speech(2500), pause(100)))
      expect(yield* Stream.runSum(Stream.map(pieces, ({ samples }) => samples.length))).toBe(2600 * 8)
    })
  )

  it("take memory for the samples that were received, not for the rate of a header", () => {
    const cutter = make(4_294_967_295, 300_000)
    const samples = Float32Array.from({ length: 1000 }, (_, index) => index)
    expect([...cutter.push(samples), ...cutter.push(samples)]).toEqual([])
    expect(cutter.flush()).toMatchObject([{ startSample: 0, samples: concatSamples([samples, samples]) }])
  })

  it("last at least a second, and not without end", () => {
    for (const maximum of [999, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => make(rate, maximum)).toThrow("longest piece must last at least 1000 ms")
    }
  })
})
