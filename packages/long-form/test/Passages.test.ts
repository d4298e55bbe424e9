import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { holds } from "effect-speech-test-support/holds"
import { Passages, TextPieces } from "../src/index.js"
import { clusterEnds, texts } from "./support/texts.js"

const tagged = (text: string, options?: Passages.Options) =>
  [...Passages.byScript(text, options)].map((passage) => [passage.lang, passage.text])

describe("the passages of a mixed text", () => {
  it("have the language of their script; spaces, digits and punctuation stay with a neighbour", () => {
    expect(tagged("उन्होंने “Good morning!” कहा। 5 apples, ५ सेब।")).toEqual([
      ["hi", "उन्होंने "],
      ["en", "“Good morning!” "],
      ["hi", "कहा। 5 "],
      ["en", "apples, "],
      ["hi", "५ सेब।"]
    ])
    expect(tagged("বাংলা தமிழ் తెలుగు ಕನ್ನಡ മലയാളം ગુજરાતી ਪੰਜਾਬੀ ଓଡ଼ିଆ اردو").map(([lang]) => lang)).toEqual(
      "bn ta te kn ml gu pa or ur".split(" ")
    )
  })

  it("of one word of millions of letters are one, as in a text without spaces", () => {
    const text = "क".repeat(4_194_400)
    expect(Array.from(Passages.byScript(text), (passage) => passage.text.length)).toEqual([text.length])
  })

  it("are one without a language if no script is known", () => {
    expect(tagged("12 + 3 = 15!")).toEqual([[undefined, "12 + 3 = 15!"]])
    expect(tagged("")).toEqual([])
  })

  it("of a text with endless brackets are found before a test would time out", () => {
    expect(tagged(`नमस्ते ${"(".repeat(40_000)} hello`).map(([lang]) => lang)).toEqual(["hi", "en"])
  })

  it("take the languages that you name", () => {
    expect(tagged("मराठी English", { languages: { Devanagari: "mr" } })).toEqual([
      ["mr", "मराठी "],
      ["en", "English"]
    ])
  })

  it("of fewer words than the minimum stay with the passage before them", () => {
    const text = "यह app अच्छा है, but it is slow।"
    expect(tagged(text, { minimumWords: 2 })).toEqual([
      ["hi", "यह app अच्छा है, "],
      ["en", "but it is slow।"]
    ])
    for (const minimumWords of [0, -3, Number.NaN]) {
      expect(tagged(text, { minimumWords })).toEqual(tagged(text, { minimumWords: 1 }))
    }
  })

  it("joined are the text, none ends inside a cluster, and no piece belongs to two", () => {
    holds([texts, FastCheck.integer({ min: 1, max: 3 })], { numRuns: 80, seed: 21 }, (text, minimumWords) => {
      const passages = [...Passages.byScript(text, { minimumWords })]
      expect(passages.map((passage) => passage.text).join("")).toBe(text)
      const ends = clusterEnds(text)
      let at = 0
      for (const [index, passage] of passages.entries()) {
        at += passage.text.length
        expect(ends.has(at)).toBe(true)
        if (index > 0) expect(passage.lang).not.toBe(passages[index - 1]?.lang)
      }
      const pieces = [...TextPieces.split(passages, { maximumCodePoints: 20, firstCodePoints: 20 })]
      const joined = passages.map(() => "")
      for (const { passage, text } of pieces) joined[passage] += text
      expect(joined).toEqual(passages.map((passage) => passage.text))
    })
  })
})
