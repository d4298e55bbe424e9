import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { holds } from "effect-speech-test-support/holds"
import { Subtitles } from "../src/index.js"

const { layout, parse, toSrt, toVtt } = Subtitles

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const clustersOf = (text: string): ReadonlyArray<string> => Array.from(graphemes.segment(text), (one) => one.segment)

const read = (text: string) => Either.getOrThrow(parse(text))
const runs = { numRuns: 40, seed: 19 }

/** Words of every script of the service, of scripts without spaces, and one that is longer than any line. */
const word = FastCheck.constantFrom(
  ..."नमस्ते दुनिया। कृपया ध्यान दें, ক্ষমা করুন। வணக்கம் நண்பர்களே. స్వాగతం ಕ್ಷಮಿಸಿ നമസ്കാരം ક્ષમા ਸਤਿ ਸ੍ਰੀ خوش آمدید۔".split(" "),
  ..."Platform two, please. 今日は「いい天気」ですね。 สวัสดีครับ 👩‍👩‍👧‍👦 “quoted” 12,345.60".split(" "),
  `https://example.org/${"a".repeat(50)}`,
  "अ".repeat(60)
)

const segments = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.integer({ min: -2000, max: 2000 }),
    millis: FastCheck.integer({ min: 0, max: 20_000 }),
    text: FastCheck.array(word, { maxLength: 30 }).map((words) => words.join(" "))
  }),
  { maxLength: 12 }
).map((parts) => {
  let at = 0
  return parts.map(({ gap, millis, text }) => {
    const start = Math.max(0, at + gap)
    at = start + millis
    return { startMillis: start, endMillis: at, text }
  })
})

const withoutSpaces = (texts: Iterable<{ readonly text: string }>) =>
  Array.from(texts, ({ text }) => text)
    .join("")
    .replaceAll(/\s/g, "")

describe("the layout of cues", () => {
  it("keeps every limit of lines and time, in order, without overlap, and loses no text and divides no word that fits", () => {
    holds([segments], runs, (given) => {
      const cues = layout(given)
      for (const [index, { endMillis: end, startMillis: start, text }] of cues.entries()) {
        expect(start).toBeGreaterThanOrEqual(cues[index - 1]?.endMillis ?? 0)
        expect(end).toBeGreaterThan(start)
        expect(end - start).toBeLessThanOrEqual(7000)
        const lines = text.split("\n")
        expect(lines.length).toBeLessThanOrEqual(2)
        for (const line of lines) {
          expect(clustersOf(line).length).toBeLessThanOrEqual(42)
          expect(line).toBe(line.trim())
          expect(line).not.toBe("")
        }
      }
      const inOrder = given.toSorted((one, other) => one.startMillis - other.startMillis)
      expect(withoutSpaces(cues)).toBe(withoutSpaces(inOrder))
      const words = (texts: ReadonlyArray<Subtitles.Cue>) => texts.flatMap(({ text }) => text.match(/\S+/g) ?? [])
      const fitting = words(given).filter((each) => clustersOf(each).length <= 42 && !/[ぁ-ヿ一-鿿ก-๛]/u.test(each))
      const laidOut = new Set(words(cues))
      expect(fitting.filter((each) => !laidOut.has(each))).toEqual([])
    })
  })

  it("starts each segment that overlaps no other where it starts, to the millisecond", () => {
    const starts = Array.from({ length: 40 }, (_, index) => index * 4321)
    const given = starts.map((start) => ({ startMillis: start, endMillis: start + 4000, text: `वाक्य ${start} है।` }))
    expect(layout(given)).toEqual(given)
  })

  it("divides a long segment into cues of about the same length, and its time by clusters", () => {
    const sentence = "one two three four five six seven eight nine ten "
    const cues = layout([{ startMillis: 1000, endMillis: 13_000, text: sentence.repeat(4) }])
    expect(cues.map(({ endMillis, startMillis }) => endMillis - startMillis)).toEqual(
      [4000, 4000, 4000].map(() => expect.closeTo(4000, -3))
    )
    expect(cues[0]?.startMillis).toBe(1000)
    expect(cues.at(-1)?.endMillis).toBe(13_000)
    for (const { text } of cues) {
      const [upper = "", lower = ""] = text.split("\n")
      expect(Math.abs(upper.length - lower.length)).toBeLessThan(8)
    }
  })

  it("divides a long segment at the ends of its sentences", () => {
    const text = "डॉ. राव यहाँ रहते हैं। वे सुबह जल्दी उठते हैं और खेत में काम करने के लिए जाते हैं। शाम को लौटते हैं।"
    expect(layout([{ startMillis: 0, endMillis: 9600, text }]).map((cue) => cue.text.replace("\n", " "))).toEqual([
      "डॉ. राव यहाँ रहते हैं।",
      "वे सुबह जल्दी उठते हैं और खेत में काम करने के लिए जाते हैं।",
      "शाम को लौटते हैं।"
    ])
  })

  it("divides a slow segment, so that no cue is shown longer than the maximum", () => {
    const cues = layout([{ startMillis: 0, endMillis: 20_000, text: "very slow speech here now" }])
    expect(cues.length).toBeGreaterThanOrEqual(3)
    expect(layout([{ startMillis: 0, endMillis: 20_000, text: "Amen." }])).toEqual([
      { startMillis: 0, endMillis: 7000, text: "Amen." }
    ])
  })

  it("shows a short cue longer if there is time, and joins it with the next if not", () => {
    const yes = { startMillis: 0, endMillis: 300, text: "Yes." }
    expect(layout([yes])).toEqual([{ ...yes, endMillis: 833 }])
    expect(layout([yes, { startMillis: 600, endMillis: 2000, text: "Of course." }])).toEqual([
      { startMillis: 0, endMillis: 2000, text: "Yes. Of course." }
    ])
    const long = { startMillis: 600, endMillis: 5000, text: "no ".repeat(27).trim() }
    expect(layout([yes, long])).toMatchObject([{ endMillis: 600 }, { startMillis: 600, endMillis: 5000 }])
  })

  it("breaks a text without spaces between words, and a long word between clusters, not in a conjunct", () => {
    const options = { clustersPerLine: 4, lines: 1 }
    expect(
      layout([{ startMillis: 0, endMillis: 9000, text: "「今日」は、天気です。" }], options).map(({ text }) => text)
    ).toEqual(["「今日」", "は、天気", "です。"])
    const tamil = layout([{ startMillis: 0, endMillis: 9000, text: "பரீக்ஷை" }], { clustersPerLine: 3, lines: 3 })
    expect(tamil.map(({ text }) => text).join("\n")).not.toContain("க்\nஷை")
    const conjuncts = layout([{ startMillis: 0, endMillis: 9000, text: "ಕ್ಷಕ್ಷಕ್ಷ" }], { clustersPerLine: 2, lines: 3 })
    for (const line of conjuncts.flatMap(({ text }) => text.split("\n"))) expect(line).not.toMatch(/್$/)
  })

  it.each<[Subtitles.Options, Subtitles.Options]>([
    [{ lines: 0 }, { lines: 1 }],
    [{ clustersPerLine: Number.NaN }, { clustersPerLine: 1 }],
    [
      { lines: Infinity, clustersPerLine: 4.9 },
      { lines: 1000, clustersPerLine: 4 }
    ],
    [{ maximum: Number.NaN }, { maximum: 1, minimum: 1 }],
    [{ maximum: 1500.5 }, { maximum: 1500 }],
    [{ minimum: "8 seconds" }, { minimum: "7 seconds" }]
  ])("takes an option that is out of range for the nearest in it: %o", (given, nearest) => {
    const segments = [{ startMillis: 0, endMillis: 3000, text: "नमस्ते, आप कैसे हैं? I am fine." }]
    expect(layout(segments, given)).toEqual(layout(segments, nearest))
  })

  it.each([
    { startMillis: Number.NaN },
    { endMillis: Number.NaN },
    { startMillis: Number.NEGATIVE_INFINITY },
    { endMillis: Infinity }
  ])("shows the text of a segment at the time that is nearest to a NaN or infinite one: %o", (times) => {
    const segment = { startMillis: 1000, endMillis: 2000, text: "b", ...times }
    const nearest = (time: number) =>
      time === Number.POSITIVE_INFINITY ? 35_999_999_999 : Number.isFinite(time) ? time : 0
    const cues = layout([
      { text: "b", startMillis: nearest(segment.startMillis), endMillis: nearest(segment.endMillis) }
    ])
    expect(layout([segment])).toEqual(cues)
    expect(cues).toMatchObject([{ text: "b" }])
  })

  it("shows a segment that begins before the audio, or ends before it starts", () => {
    expect(layout([{ startMillis: -500, endMillis: -100, text: "a" }])).toEqual([
      { startMillis: 0, endMillis: 833, text: "a" }
    ])
    expect(layout([{ startMillis: 3000, endMillis: 1000, text: "b" }])).toEqual([
      { startMillis: 3000, endMillis: 3833, text: "b" }
    ])
  })

  it.each([
    ["text", "नमस्ते दुनिया, यह एक लंबा पाठ है। ".repeat(600)],
    ["word", "a".repeat(60_000)]
  ])("loses nothing of a very long %s, before a test would time out", (_, text) => {
    expect(withoutSpaces(layout([{ startMillis: 0, endMillis: 1_200_000, text }]))).toBe(withoutSpaces([{ text }]))
  })
})

const anyCue = FastCheck.record({
  start: FastCheck.integer({ min: 0, max: 400_000_000 }),
  millis: FastCheck.integer({ min: 1, max: 10_000 }),
  text: FastCheck.array(
    FastCheck.constantFrom(..."a|\n|\r\n|\r| |<i>|&amp;|&|-->|>|NOTE|1|नमस्ते|\ufeff|.".split("|"))
  ).map((parts) => parts.join(""))
}).map(({ millis, start, text }) => ({ startMillis: start, endMillis: start + millis, text }))

/** The text without its blank lines. */
const asWritten = (cue: Subtitles.Cue): Subtitles.Cue => ({
  ...cue,
  text: cue.text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "")
    .join("\n")
})

describe("a file of subtitles", () => {
  it("is read back as it was written, as SRT and as WebVTT", () => {
    holds([FastCheck.array(anyCue, { maxLength: 8 })], runs, (cues) => {
      for (const write of [toSrt, toVtt]) {
        const text = write(cues)
        expect(read(text)).toEqual(cues.map(asWritten))
        expect(read(`\ufeff${text.replaceAll("\n", "\r\n")}`)).toEqual(cues.map(asWritten))
      }
      for (const line of toVtt(cues).split("\n")) expect(line.replace(/^[\d:.]+ --> [\d:.]+$/, "")).not.toContain("-->")
    })
  })

  it("has the times of its format", () => {
    const cues = [{ startMillis: 3_723_004, endMillis: 360_000_000, text: "a < b & c" }]
    expect(toSrt(cues)).toBe("1\n01:02:03,004 --> 100:00:00,000\na < b & c\n")
    expect(toVtt(cues)).toBe("WEBVTT\n\n01:02:03.004 --> 100:00:00.000\na &lt; b &amp; c\n")
  })

  it.each([
    { given: [Number.NaN, 5], nearest: [0, 5] },
    { given: [7, Number.NaN], nearest: [7, 8] },
    { given: [0, Number.POSITIVE_INFINITY], nearest: [0, 35_999_999_999] },
    { given: [Number.NEGATIVE_INFINITY, 5], nearest: [0, 5] },
    { given: [0, 36_000_000_000], nearest: [0, 35_999_999_999] },
    { given: [1e300, 1e300], nearest: [35_999_999_998, 35_999_999_999] }
  ] as const)("has the nearest of the times that a reader takes: %o", ({ given, nearest }) => {
    const cueAt = ([startMillis, endMillis]: readonly [number, number]) => ({ startMillis, endMillis, text: "b" })
    for (const write of [toSrt, toVtt]) {
      expect(write([cueAt(given)])).toBe(write([cueAt(nearest)]))
      expect(read(write([cueAt(given)]))).toEqual([cueAt(nearest)])
    }
  })

  it("shows each cue for a millisecond at least, from 0 on, so that it can be read back", () => {
    const shown = [
      { given: [-20, -10], read: [0, 1] },
      { given: [10.2, 10.4], read: [10, 11] },
      { given: [30, 20], read: [30, 31] },
      { given: [35_999_999_998, 0], read: [35_999_999_998, 35_999_999_999] }
    ] as const
    for (const write of [toSrt, toVtt]) {
      const cues = read(
        write(shown.map(({ given: [start, end] }) => ({ startMillis: start, endMillis: end, text: "a" })))
      )
      expect(cues.map(({ endMillis, startMillis }) => [startMillis, endMillis])).toEqual(shown.map(({ read }) => read))
    }
  })

  it("of another program is read: settings, identifiers, notes, styles, missing hours and numbers", () => {
    const vtt = [
      "WEBVTT - a title",
      "Kind: captions",
      "",
      "STYLE",
      "::cue { color: red }",
      "",
      "REGION",
      "id:fred",
      "",
      "NOTE a remark",
      "of two lines",
      "",
      "intro",
      "00:01.000 --> 00:02.500 align:start position:0%",
      "<v Asha>नमस्ते <b>जी</b></v> &lt;3&nbsp;&unknown;",
      "00:02.500 --> 00:03.000",
      "right after",
      "  ",
      "NOTE",
      "00:00:03,000 --> 00:00:04,000"
    ].join("\r\n")
    expect(read(vtt)).toEqual([
      { startMillis: 1000, endMillis: 2500, text: "नमस्ते जी <3\u00a0&unknown;" },
      { startMillis: 2500, endMillis: 3000, text: "right after" },
      { startMillis: 3000, endMillis: 4000, text: "" }
    ])
    const srt = "\ufeff\n\n7\n0:0:1.000 --> 0:0:2,000 X1:40 X2:600\n<i>one</i>\n \n00:03,000-->00:04,000\n2\nlines"
    expect(read(srt)).toEqual([
      { startMillis: 1000, endMillis: 2000, text: "<i>one</i>" },
      { startMillis: 3000, endMillis: 4000, text: "2\nlines" }
    ])
    expect(read("")).toEqual([])
    expect(read("WEBVTT")).toEqual([])
  })

  it.each([
    ["just some text", 1, "no times follow. Write times as 00:00:01,000 --> 00:00:02,500."],
    ["1\n00:00:01,000 --> 00:00:02,000\none\n\nmore", 5, "no times follow"],
    ["WEBVTT\n\n00:01.000 --> 2\none", 3, "times that can't be read. Write times as 00:00:01.000 --> 00:00:02.500."],
    ["1\n00:00:61,000 --> 00:02:00,000\none", 2, "times that can't be read"],
    ["1\n00:00:01,5 --> 00:00:02,000\none", 2, "times that can't be read"],
    ["1\n00:00:02,000 --> 00:00:02,000\none", 2, "an end that is not after its start"]
  ])("that is damaged is refused with its line: %j", (text, line, problem) => {
    const error = Either.getOrThrow(Either.flip(parse(text)))
    expect(error).toMatchObject({ _tag: "SubtitlesError", line, message: expect.stringContaining(problem) })
    expect(error.message).toMatch(new RegExp(`^Line ${line} `))
  })
})
