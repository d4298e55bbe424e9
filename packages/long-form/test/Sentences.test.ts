import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { holds } from "effect-speech-test-support/holds"
import { Sentences } from "../src/index.js"
import { marked, texts } from "./support/texts.js"

describe("the sentences of a text", () => {
  const cases = Object.entries(marked).flatMap(([lang, all]) => all.map((text) => [lang, text] as const))

  it.each(cases)("in %s end where a reader ends them: %s", (lang, text) => {
    const whole = text.replaceAll("‖", "")
    for (const known of [lang, `${lang}-IN`, undefined]) {
      expect([...Sentences.split(whole, { lang: known })].map((sentence) => sentence.text).join("‖")).toBe(text)
    }
  })

  it("end with a line, but not with one that a paragraph was wrapped into", () => {
    const sentences = (text: string) => [...Sentences.split(text)].map((sentence) => sentence.text)
    expect(sentences("A heading\n\nRoses are red\nViolets are blue\r\nएक")).toEqual([
      "A heading\n\n",
      "Roses are red\n",
      "Violets are blue\r\n",
      "एक"
    ])
    const wrapped = "The quick brown fox jumps over the lazy dog, and then it runs away\nfrom Dr.\nWho. "
    expect(sentences(`${wrapped}Then`)).toEqual([wrapped.slice(0, -5), "Who. ", "Then"])
  })

  it("joined are the text, each at its place and with something to read, and text that is appended changes but the last two", () => {
    holds(
      [texts, texts, FastCheck.constantFrom(undefined, "hi", "ta")],
      { numRuns: 80, seed: 22 },
      (text, more, lang) => {
        const sentences = [...Sentences.split(text, { lang })]
        expect(sentences.map((sentence) => sentence.text).join("")).toBe(text)
        for (const sentence of sentences) expect(text.slice(sentence.startIndex, sentence.endIndex)).toBe(sentence.text)
        expect(sentences.slice(0, -1).filter((sentence) => /^[ \t\r\n]*$/.test(sentence.text))).toEqual([])
        const longer = [...Sentences.split(text + more, { lang })]
        expect(longer.slice(0, Math.max(0, sentences.length - 2))).toEqual(sentences.slice(0, -2))
      }
    )
  })

  it("are read one at a time", () => {
    const text = "एक वाक्य। ".repeat(100_000)
    const sentences = Sentences.split(text)
    expect(sentences.next().value?.endIndex).toBe(10)
    expect(sentences.next().value?.startIndex).toBe(10)
  })
})
