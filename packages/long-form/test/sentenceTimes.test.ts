import { describe, expect, it } from "@effect/vitest"
import { sentenceTimes } from "../src/internal/speech/sentenceTimes.js"

const sampleRate = 8000

/** Sound and silence in turn, in milliseconds: the first one is silence. */
const audioOf = (...parts: ReadonlyArray<number>): Float32Array =>
  Float32Array.from(
    parts.flatMap((millis, index) => Array.from({ length: 8 * millis }, (_, at) => (index % 2) * Math.sin(at / 3)))
  )

const timesOf = (text: string, ...parts: ReadonlyArray<number>) =>
  sentenceTimes(text, "en", audioOf(...parts), sampleRate).map(
    ({ endFrame, estimated, startFrame, text: sentence }) => [sentence, startFrame / 8, endFrame / 8, estimated]
  )

describe("the time of a sentence in a piece", () => {
  it("of one sentence is that of the speech, without the silence at both ends", () => {
    expect(timesOf("One sentence.", 40, 1000, 40)).toEqual([["One sentence.", 40, 1040, false]])
    expect(timesOf("One sentence.", 0, 1000)).toEqual([["One sentence.", 0, 1000, false]])
  })

  it("ends at the pause that is nearest to its place, and rather at a long one", () => {
    const text = "It rained, and rained, all day. We stayed at home."
    expect(timesOf(text, 40, 700, 80, 800, 90, 700, 300, 1500, 40)).toEqual([
      ["It rained, and rained, all day.", 40, 2410, false],
      ["We stayed at home.", 2710, 4210, false]
    ])
  })

  it("is an estimate by the length of the text if there is no pause, and says so", () => {
    expect(timesOf("One two three. Four five six. Seven.", 40, 2000, 300, 500, 40)).toEqual([
      ["One two three.", 40, expect.closeTo(1040, -2), true],
      ["Four five six.", expect.closeTo(1040, -2), 2040, true],
      ["Seven.", 2340, 2840, false]
    ])
  })

  it("covers marks without a letter, which belong to the sentence before", () => {
    expect(timesOf("Wait … !!! Now.", 40, 500, 300, 400, 40)).toEqual([
      ["Wait … !!!", 40, 540, false],
      ["Now.", 840, 1240, false]
    ])
  })

  it("is found in silence too", () => {
    for (const [, start, end] of timesOf("One. Two.", 500)) {
      expect(start).toBeGreaterThanOrEqual(0)
      expect(end).toBeLessThanOrEqual(500)
    }
    expect(timesOf("One. Two.")).toHaveLength(2)
  })
})
