import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
// The division of a text is not public: what a user can see of it is that nothing is lost.
import { splitText } from "../src/internal/voice/splitText.js"

const textsOf = (text: string) => splitText(text).map((segment) => segment.text)

it("a text of some sentences is spoken in one go", () => {
  expect(splitText("One sentence. Another one, in parts.")).toEqual([
    { text: "One sentence. Another one, in parts.", pause: 0 }
  ])
  expect(textsOf("")).toEqual([""])
})

it("a long text is divided after sentences, else after their parts, else between words, with a rest for each", () => {
  const sentence = `${"word ".repeat(30).trim()}. `
  expect(splitText(sentence.repeat(3))).toEqual([
    { text: sentence, pause: 0.3 },
    { text: sentence, pause: 0.3 },
    { text: sentence, pause: 0 }
  ])
  expect(splitText("शब्द, ".repeat(60))[0]).toMatchObject({ pause: 0.12 })
  expect(splitText("word ".repeat(60))[0]).toEqual({ text: "word ".repeat(50), pause: 0 })
})

it("no character is divided: an emoji of many parts, a letter with its marks", () => {
  for (const character of ["👩‍👩‍👧‍👦", "😀", "क्षि"]) {
    for (const text of textsOf(character.repeat(100))) expect(text.replaceAll(character, "")).toBe("")
  }
})

it("nothing of a text is lost or said twice", () => {
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
