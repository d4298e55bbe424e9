import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { splitText } from "../src/internal/voice/splitText.js"

const textsOf = (text: string) => splitText(text).map((segment) => segment.text)

it("a short text is one segment", () => {
  expect(splitText("One sentence. Another one, in parts.")).toEqual([
    { text: "One sentence. Another one, in parts.", pause: 0 }
  ])
  expect(textsOf("")).toEqual([""])
})

it("a long text is split after sentences, otherwise after clauses, otherwise between words, with a pause for each", () => {
  const sentence = `${"word ".repeat(30).trim()}. `
  expect(splitText(sentence.repeat(3))).toEqual([
    { text: sentence, pause: 0.3 },
    { text: sentence, pause: 0.3 },
    { text: sentence, pause: 0 }
  ])
  expect(splitText("शब्द, ".repeat(60))[0]).toMatchObject({ pause: 0.12 })
  expect(splitText("word ".repeat(60))[0]).toEqual({ text: "word ".repeat(50), pause: 0 })
})

it("no character is split, such as an emoji of many code points or a letter with its marks", () => {
  for (const character of ["👩‍👩‍👧‍👦", "😀", "क्षि"]) {
    for (const text of textsOf(character.repeat(100))) expect(text.replaceAll(character, "")).toBe("")
  }
})

it("the segments of a text are the whole text, once", () => {
  const text = FastCheck.string({
    unit: FastCheck.constantFrom("a", "क", "ि", "😀", " ", ". ", ",", "\n", "।"),
    maxLength: 2000
  })
  FastCheck.assert(
    FastCheck.property(text, (text) => {
      const parts = textsOf(text)
      expect(parts.join("")).toBe(text)
      expect(parts.every((part) => part.length <= 250)).toBe(true)
    }),
    { seed: 5 }
  )
})
