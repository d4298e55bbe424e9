import { describe, expect, it, vi } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { type Passages, TextPieces } from "../src/index.js"
import { clusterEnds, paragraphs, texts } from "./support/texts.js"

const corpus = Object.values(paragraphs).flat().join("\n\n")

const limits = FastCheck.record({
  maximumCodePoints: FastCheck.oneof(FastCheck.integer({ min: 1, max: 12 }), FastCheck.integer({ min: 1, max: 400 })),
  firstCodePoints: FastCheck.oneof(FastCheck.integer({ min: 1, max: 12 }), FastCheck.integer({ min: 1, max: 400 })),
  lang: FastCheck.constantFrom(undefined, "en", "hi", "ta", "ur")
})

const holds = (
  law: (text: string, options: { maximumCodePoints: number; firstCodePoints: number; lang: string | undefined }) => void
) => FastCheck.assert(FastCheck.property(texts, limits, law), { numRuns: 80, seed: 19 })

const boundaries = (text: string, options: TextPieces.Options) =>
  [...TextPieces.split(text, options)].map((piece) => [piece.text, piece.boundary])

describe("the pieces of any text", () => {
  it("joined are the text, each at its place, none over its limit", () => {
    holds((text, options) => {
      const ends = clusterEnds(text)
      let start = 0
      let budget = Math.min(options.firstCodePoints, options.maximumCodePoints)
      for (const [index, piece] of [...TextPieces.split(text, options)].entries()) {
        expect(piece.index).toBe(index)
        expect([piece.startIndex, piece.endIndex]).toEqual([start, start + piece.text.length])
        expect(piece.text).toBe(text.slice(piece.startIndex, piece.endIndex))
        expect(piece.codePoints).toBe([...piece.text].length)
        expect(piece.codePoints).toBeGreaterThan(0)
        if (piece.codePoints > budget) {
          const inside = [...ends].filter((at) => at > piece.startIndex && at < piece.endIndex)
          expect([piece.codePoints <= options.maximumCodePoints, inside]).toEqual([true, []])
        }
        start = piece.endIndex
        budget = Math.min(2 * budget, options.maximumCodePoints)
      }
      expect(start).toBe(text.length)
    })
  })

  it("end inside a cluster or a conjunct only if it exceeds the limit alone", () => {
    holds((text, options) => {
      const ends = [...clusterEnds(text)].sort((a, b) => a - b)
      const whole = new Set(ends)
      for (const { endIndex: end } of TextPieces.split(text, options)) {
        if (whole.has(end)) continue
        const after = ends.findIndex((each) => each > end)
        const cluster = text.slice(ends[after - 1], ends[after])
        expect([...cluster].length, JSON.stringify(cluster)).toBeGreaterThan(options.maximumCodePoints)
      }
    })
  })

  it("stay when text is appended, if they begin more than the limit and 320 code points before the old end", () => {
    FastCheck.assert(
      FastCheck.property(texts, texts, texts, limits, (one, two, more, options) => {
        const text = `${one}${corpus.slice(0, 900)}${two}`
        const pieces = [...TextPieces.split(text, options)]
        const longer = [...TextPieces.split(text + more, options)]
        const stays = pieces.filter(({ startIndex }) => startIndex + 2 * options.maximumCodePoints + 320 < text.length)
        expect(longer.slice(0, stays.length)).toEqual(stays)
      }),
      { numRuns: 25, seed: 20 }
    )
  })

  it("end with the text, only there, and else at the best boundary of their second half", () => {
    const order: ReadonlyArray<TextPieces.Boundary> = ["paragraph", "line", "sentence", "clause", "word", "cluster"]
    holds((text, options) => {
      const pieces = [...TextPieces.split(text, options)]
      expect(pieces.findIndex(({ boundary }) => boundary === "end")).toBe(pieces.length - 1)
      for (const [index, piece] of pieces.slice(0, -1).entries()) {
        const budget = Math.min(options.firstCodePoints * 2 ** index, options.maximumCodePoints)
        const half = [...piece.text].slice(Math.floor(budget / 2) + 1).join("")
        if (/\S\s*\n[ \t]*\n\s*\S/.test(half)) expect(piece.boundary).toBe("paragraph")
        if (/\S +\S/.test(half)) expect(order.indexOf(piece.boundary)).toBeLessThan(5)
      }
    })
  })

  it.each([
    [false, ["…", " \n", "—!", "\u200d", "\ud83d", "्", "\u3164"]],
    [true, ["a", "१", "क", "€", "👍", "=", "½"]]
  ])("have something to speak, or say that they do not: %s for %j", (speakable, texts) => {
    const found = texts.flatMap((text) => [...TextPieces.split(text)].map((piece) => piece.speakable))
    expect(found).toEqual(texts.map(() => speakable))
  })
})

describe("a piece", () => {
  it("ends with the first paragraph of the second half of its limit, else with the last line, sentence, clause, word", () => {
    const first = (text: string) => boundaries(text, { maximumCodePoints: 20, firstCodePoints: 20 })[0]
    expect(first("One two.\nThree.\n\nFour.\n\nFive six seven")).toEqual(["One two.\nThree.\n\n", "paragraph"])
    expect(first("One\ntwo three.\nFour. Five six seven")).toEqual(["One\ntwo three.\n", "line"])
    expect(first("One two. Three. Four, five six")).toEqual(["One two. Three. ", "sentence"])
    expect(first("एक दो। तीन चार है। पाँच, छह सात")).toEqual(["एक दो। तीन चार है। ", "sentence"])
    expect(first("One two, three, four five six")).toEqual(["One two, three, ", "clause"])
    expect(first("One two three four five six")).toEqual(["One two three four ", "word"])
    expect(first("One twothreefourfivesixseven")).toEqual(["One ", "word"])
    expect(first("Onetwothreefourfivesixseven")).toEqual(["Onetwothreefourfives", "cluster"])
    expect(first("One two three\u00a0four")).toEqual(["One two three\u00a0four", "end"])
    expect(first("One two three four\u00a0five")).toEqual(["One two three ", "word"])
  })

  it("ends with no line of a paragraph that was wrapped at a width", () => {
    const wrapped = `${"The quick brown fox jumps over the lazy dog, and then it runs away\n".repeat(3)}home. Then it sleeps all day`
    expect(boundaries(wrapped, { maximumCodePoints: 220, firstCodePoints: 220 })[0]?.[1]).toBe("sentence")
  })

  it("that begins a text is short, and each next may be twice as long", () => {
    const lengths = [...TextPieces.split("word ".repeat(2000))].map((piece) => piece.codePoints)
    expect(lengths).toEqual([250, 500, 1000, 2000, 2000, 2000, 2000, 250])
  })
})

describe("the pieces of passages", () => {
  const passages: ReadonlyArray<Passages.Passage> = [
    { text: "नमस्ते दुनिया। ", lang: "hi", voice: "a" },
    { text: "" },
    { text: "Hello, world", lang: "en", speed: 1.5 },
    { text: "और फिर\n\n" },
    { text: "अंत।" }
  ]

  it("belong to one passage each, and know its language, voice and speed", () => {
    const pieces = [...TextPieces.split(passages, { lang: "mr" })]
    expect(pieces.map((piece) => [piece.passage, piece.text, piece.startIndex, piece.boundary])).toEqual([
      [0, "नमस्ते दुनिया। ", 0, "sentence"],
      [2, "Hello, world", 15, "word"],
      [3, "और फिर\n\n", 27, "paragraph"],
      [4, "अंत।", 35, "end"]
    ])
    expect(pieces.map(({ lang, speed, voice }) => [lang, voice, speed])).toEqual([
      ["hi", "a", undefined],
      ["en", undefined, 1.5],
      ["mr", undefined, undefined],
      ["mr", undefined, undefined]
    ])
  })

  it("read no passage but the next, so that they may come from a generator without an end", () => {
    let made = 0
    const endless = (function* () {
      for (;;) {
        made++
        yield { text: "एक वाक्य। " }
      }
    })()
    const pieces = TextPieces.split(endless)
    for (let index = 0; index < 5; index++) expect(pieces.next().value?.passage).toBe(index)
    expect(made).toBe(6)
  })
})

describe("the split of a long text", () => {
  const long = corpus.repeat(60)

  /** Number of UTF-16 units that a computation copies out of strings. */
  const touched = (compute: () => void): number => {
    let units = 0
    const slice = String.prototype.slice
    const spy = vi.spyOn(String.prototype, "slice").mockImplementation(function (this: string, from, to) {
      const part = slice.call(this, from, to)
      units += part.length
      return part
    })
    try {
      compute()
    } finally {
      spy.mockRestore()
    }
    return units
  }

  it("reads only what the pieces need that you ask for", () => {
    expect(long.length).toBeGreaterThan(1_000_000)
    const one = touched(() => TextPieces.split(long).next())
    const oneOfShort = touched(() => TextPieces.split(long.slice(0, 5000)).next())
    expect(one).toBeLessThan(20_000)
    expect(one).toBe(oneOfShort - 5000)
  })

  it.each([
    ["full stops", "."],
    ["quotes", '."'],
    ["brackets", "(!) "],
    ["initials", "A. "],
    ["spaces", " "],
    ["line ends", "\n"],
    ["one word", "a"],
    ["one conjunct", "क्"],
    ["combining marks", "\u0301"],
    ["numbers", "1. "],
    ["flags", "🇮"]
  ])("is linear for nothing but %s", (_, unit) => {
    const of = (length: number) => touched(() => Array.from(TextPieces.split(unit.repeat(length / unit.length))))
    expect(of(12_000)).toBeLessThan(3.2 * of(6000))
  })
})

describe("the options of a split", () => {
  it.each([
    [0, 1],
    [-1, 1],
    [1.5, 1],
    [Number.NaN, 1],
    [10_001, 10_000]
  ])("count as the nearest limit of the service: %s as %s", (given, nearest) => {
    const text = "क्या? ".repeat(2000)
    const lengths = (limit: number) =>
      Array.from(
        TextPieces.split(text, { maximumCodePoints: limit, firstCodePoints: limit }),
        ({ codePoints }) => codePoints
      )
    expect(lengths(given)).toEqual(lengths(nearest))
  })
})
