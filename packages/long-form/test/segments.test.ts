import { describe, expect, it } from "@effect/vitest"
import { LongTranscription, SegmentReader } from "@effect-speech/long-form"

/** The segments of a piece from 10 to 11.5 seconds. */
const segmentsOf = (
  text: string,
  segments_meta: ReadonlyArray<Record<string, unknown>>,
  reader = SegmentReader.localService
) =>
  LongTranscription.segmentsOf(
    { startMillis: 10_000, endMillis: 11_500 },
    { text, auxInfo: { confidence: 0.75, segments_meta } },
    reader
  )

const whole = (text: string) => [{ startMillis: 10_000, endMillis: 11_500, text, confidence: 0.75, times: "piece" }]

/** Segments of a quarter of a second each. */
const timed = (texts: ReadonlyArray<string>) =>
  texts.map((text, index) => ({ start: index / 4, end: (index + 1) / 4, text }))

describe("the segments of a piece", () => {
  it("have the times of the service, in the time of the whole, and the confidence if it is from 0 to 1", () => {
    const confidences = [0.5, 0, 1, Number.NaN, Number.POSITIVE_INFINITY, -1, 2]
    const given = confidences.map((confidence, at) => ({ start: at / 10, end: (at + 1) / 10, text: "a", confidence }))
    expect(segmentsOf("a ".repeat(7), given)).toEqual({
      segments: confidences.map((confidence, at) => ({
        startMillis: 10_000 + at * 100,
        endMillis: 10_100 + at * 100,
        text: "a",
        confidence: at < 3 ? confidence : undefined,
        times: "service"
      }))
    })
  })

  it("are read from other fields, with dots in their names, in milliseconds", () => {
    const reader = SegmentReader.fields({ start: "times.0", end: "times.1", text: "words.said", unit: "millis" })
    const given = [
      { times: [100, 200], words: { said: "एक" } },
      { times: ["300", "400"], words: { said: "दो" } }
    ]
    expect(segmentsOf("एक दो", given, reader).segments).toMatchObject([
      { startMillis: 10_100, endMillis: 10_200, text: "एक", times: "service" },
      { startMillis: 10_300, endMillis: 10_400, text: "दो", times: "service" }
    ])
  })

  it.each([
    ["have no times", [{ confidence: 1 }]],
    [
      "have no texts",
      [
        { start: 0, end: 0.5 },
        { start: 0.5, end: 1 }
      ]
    ],
    ["lie before the piece", [{ start: -1, end: 0.5, text: "एक दो" }]],
    ["lie after the piece", [{ start: 0, end: 2, text: "एक दो" }]],
    ["end before they start", [{ start: 1, end: 0.5, text: "एक दो" }]],
    ["have NaN and words as times", [{ start: Number.NaN, end: "soon", text: "एक दो" }]],
    [
      "run backwards",
      [
        { start: 1, end: 1.4, text: "एक" },
        { start: 0, end: 0.9, text: "दो" }
      ]
    ],
    ["have an enormous time", [{ start: 0, end: 1e300, text: "एक दो" }]],
    ["have times for one of them only", [{ start: 0, end: 1, text: "एक" }, { text: "दो" }]]
  ])("are the whole piece if those of the service %s", (_, given) => {
    expect(segmentsOf("एक दो", given)).toEqual({ segments: whole("एक दो"), problem: "times" })
  })

  it("are the whole piece if a reader of your own fails", () => {
    const failing = () => {
      throw new TypeError("no such field")
    }
    expect(segmentsOf("एक", timed(["एक"]), failing)).toEqual({ segments: whole("एक"), problem: "times" })
  })

  it.each([
    ["a little after the piece, since services round", { start: 0, end: 1.58, text: "एक दो" }, [10_000, 11_500]],
    ["without a text if it is the only one", { start: 0.1, end: 1 }, [10_100, 11_000]]
  ])("may end %s", (_, given, [start, end]) => {
    expect(segmentsOf("एक दो", [given]).segments).toMatchObject([
      { startMillis: start, endMillis: end, text: "एक दो", times: "service" }
    ])
  })

  it.each([
    ["miss a word", "एक दो", ["एक"]],
    ["have another word", "one two", ["one", "too"]],
    ["have a word more", "one two", ["one", "two", "three"]],
    ["have them in another order", "one two", ["two", "one"]],
    ["are empty", "one two", ["", " "]],
    ["miss a number", "platform 5", ["platform"]],
    ["miss a sign that is spoken", "5 €", ["5"]]
  ])("are the whole piece if those of the service %s, so that no word is lost", (_, text, texts) => {
    expect(segmentsOf(text, timed(texts))).toEqual({ segments: whole(text), problem: "texts" })
  })

  it("are none if nothing was recognised, whatever their texts", () => {
    expect(segmentsOf(" ", timed(["hello"]))).toEqual({ segments: [], problem: "texts" })
  })

  it.each([
    ["punctuation", "Yes, of course. “Really?”", ["yes of course", "really"]],
    ["case", "straße ΟΔΟΣ İ", ["STRASSE", "οδος", "i\u0307"]],
    ["the form of Unicode", "क़लम ज़रा é ﬁ", ["क़लम", "ज़रा", "é", "fi"]],
    ["joiners and spaces", "क्\u200dष\u00a0त्र  co\u00adop", ["क्षत्र", "coop"]],
    ["spaces in a script without them", "สวัสดีครับ", ["สวัสดี", "ครับ"]]
  ])("are those of the service if the texts differ by %s alone", (_, text, texts) => {
    const { problem, segments } = segmentsOf(text, timed(texts))
    expect(segments.map(({ text, times }) => [text, times])).toEqual(texts.map((each) => [each, "service"]))
    expect(problem).toBeUndefined()
  })
})

it.each<readonly [time: string | number, millis: number | undefined]>([
  [1.5, 1500],
  ["1.5", 1500],
  [" 2. ", 2000],
  [".25", 250],
  ["1e1", 10_000],
  ...["0x1", "0b1", "0o7", "Infinity", "1_000", "1 s", ""].map((time) => [time, undefined] as const)
])("the time %j of a segment is %j ms", (end, millis) => {
  expect(SegmentReader.localService({ start: 0, end, text: "a" })?.endMillis).toBe(millis)
})
