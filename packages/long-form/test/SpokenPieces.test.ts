import { expect, it } from "@effect/vitest"
import * as SpokenPieces from "@effect-speech/long-form/unstable/SpokenPieces"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"

const piecesOf = (text: string) => [...SpokenPieces.split(text, "en")]
const textsOf = (text: string) => piecesOf(text).map((piece) => piece.text)

it("each sentence is spoken by itself, with a pause after it", () => {
  expect(piecesOf("Dr. Rao said so. Another one, in parts.")).toEqual([
    { text: "Dr. Rao said so. ", pause: 0.3, sentence: "Dr. Rao said so. " },
    { text: "Another one, in parts.", pause: 0, sentence: "Another one, in parts." }
  ])
  expect(textsOf("...")).toEqual(["..."])
})

it("a long sentence is spoken in parts, after clauses or else between words", () => {
  const clauses = piecesOf("शब्द, ".repeat(60))
  expect(clauses.slice(0, -1).every(({ pause, text }) => pause === 0.12 && text.endsWith(", "))).toBe(true)
  const words = piecesOf("word ".repeat(100))
  expect(words.length).toBeGreaterThan(1)
  expect(words.every(({ pause, text }) => pause === 0 && text.endsWith("word "))).toBe(true)
  expect(words.map(({ sentence }) => sentence)).toEqual([...words.slice(1).map(() => undefined), "word ".repeat(100)])
})

it("no character is split, such as an emoji of many code points or a letter with its marks", () => {
  for (const character of ["👩‍👩‍👧‍👦", "😀", "क्षि"]) {
    for (const text of textsOf(character.repeat(100))) expect(text.replaceAll(character, "")).toBe("")
  }
})

it("the pieces of a text are the whole text, once", () => {
  const text = FastCheck.string({
    unit: FastCheck.constantFrom("a", "क", "ि", "😀", " ", ". ", ",", "\n", "।"),
    maxLength: 2000
  })
  FastCheck.assert(
    FastCheck.property(text, (text) => {
      const parts = textsOf(text)
      expect(parts.join("")).toBe(text)
      expect(parts.every((part) => [...part].length <= 250)).toBe(true)
    }),
    { seed: 5, numRuns: 50 }
  )
})

it.effect("a sentence that can't be spoken has no place in the speech, and no pause", () =>
  Effect.gen(function* () {
    const sentences: Array<string> = []
    const speech = SpokenPieces.speak({
      ...{ text: "One. 日本. Two.", lang: "en", speed: 1, sampleRate: 100 },
      say: (text) => Effect.succeed(new Float32Array(text.startsWith("日本") ? 0 : 100)),
      onSentence: ({ endSample, startSample, text }) => sentences.push(`${text.trim()} ${startSample} ${endSample}`)
    })
    const lengths = Array.from(yield* Stream.runCollect(speech), (block) => block.length)
    expect(lengths).toEqual([100, 30, 100])
    expect(sentences).toEqual(["One. 0 100", "Two. 130 230"])
  })
)
