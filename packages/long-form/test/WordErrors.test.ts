import { describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { chances } from "effect-speech-test-support/random"
import { WordErrors } from "../src/index.js"
import { paragraphs, texts } from "./support/texts.js"

const { compare } = WordErrors

/** The words of a text as they are compared. */
const wordsOf = (text: string) =>
  Effect.map(compare(text, ""), ({ pairs }) => pairs.flatMap((pair) => (pair.kind === "deleted" ? pair.reference : [])))

const sidesOf = (pairs: ReadonlyArray<WordErrors.Pair>) => ({
  reference: pairs.flatMap((pair) => ("reference" in pair ? pair.reference : [])),
  heard: pairs.flatMap((pair) => ("heard" in pair ? pair.heard : []))
})

/** The distance by the whole table. */
const distanceByTable = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  const numbers = new Map([...one, ...other].map((symbol, index) => [symbol, index]))
  const numberOf = (symbol: string) => numbers.get(symbol) ?? -1
  const columns = Int32Array.from(other, numberOf)
  const row = Int32Array.from({ length: columns.length + 1 }, (_, index) => index)
  const at = (index: number) => row[index] as number
  for (const symbol of one.map(numberOf)) {
    let diagonal = at(0)
    row[0] = diagonal + 1
    for (let index = 0; index < columns.length; index++) {
      const distance = Math.min(diagonal + Number(columns[index] !== symbol), at(index + 1) + 1, at(index) + 1)
      diagonal = at(index + 1)
      row[index + 1] = distance
    }
  }
  return at(columns.length)
}

const law = <Values extends [unknown, ...Array<unknown>]>(
  arbitraries: { [K in keyof Values]: FastCheck.Arbitrary<Values[K]> },
  check: (...values: Values) => Effect.Effect<void>
) =>
  Effect.promise(() =>
    FastCheck.assert(
      FastCheck.asyncProperty(...arbitraries, (...values) => Effect.runPromise(check(...values))),
      { numRuns: 80, seed: 37 }
    )
  )

/** Texts of few words, so that many are alike. */
const sentences = FastCheck.array(FastCheck.constantFrom(..."एक दो तीन one two ایک 4 ৪ க்ஷ".split(" ")), {
  maxLength: 40
}).map((words) => words.join(" "))

describe("the errors of a transcript", () => {
  // The third is the example of the `wer` of Hugging Face: 3 errors, and with the first one 4 in 8 words, a rate of 0.5.
  it.effect.each([
    ["this is the reference", "this is the prediction", [3, 1, 0, 0], 0.25],
    ["there is another one", "there is an other sample", [2, 2, 0, 1], 0.75],
    ["the cat sat on the mat", "the cat sat the mat", [5, 0, 1, 0], 1 / 6],
    ["Platform two", "flat form two", [1, 1, 0, 1], 1],
    ["नमस्ते, आप कैसे हैं?", "नमस्ते आप कैसे", [3, 0, 1, 0], 0.25]
  ] as const)("of %j, heard as %j, are counted by kind", ([reference, heard, counts, rate]) =>
    Effect.map(compare(reference, heard), ({ words }) => {
      expect([words.hits, words.substitutions, words.deletions, words.insertions]).toEqual(counts)
      expect(words.rate).toBeCloseTo(rate, 10)
    })
  )

  it.effect("of characters are those of grapheme clusters, without spaces", () =>
    Effect.gen(function* () {
      const kitten = yield* compare("kitten", "sitting")
      expect(kitten.characters).toMatchObject({ hits: 4, substitutions: 2, insertions: 1, errors: 3, rate: 0.5 })
      const conjuncts = yield* compare("क्षत्रिय ಕ್ಷಮೆ", "क्षत्रीय ಕ್ಷಮೆ")
      expect(conjuncts.characters).toMatchObject({ reference: 5, substitutions: 1, errors: 1 })
      const divided = yield* compare("any one", "anyone")
      expect(divided).toMatchObject({ words: { errors: 2 }, characters: { errors: 0, reference: 6 } })
    })
  )

  it.effect("have a rate for a reference without words: 0, or infinite if something was heard", () =>
    Effect.gen(function* () {
      expect((yield* compare("", "")).words.rate).toBe(0)
      expect((yield* compare("…", "!")).characters.rate).toBe(0)
      expect((yield* compare("", "two words")).words).toMatchObject({ insertions: 2, reference: 0, rate: Infinity })
      expect((yield* compare("two words", "")).words).toMatchObject({ deletions: 2, heard: 0, rate: 1 })
    })
  )

  it.effect("name the words of both sides", () =>
    Effect.map(compare("Turn left, then go.", "turn right then you go"), ({ pairs }) =>
      expect(pairs).toEqual([
        { kind: "same", reference: "turn", heard: "turn" },
        { kind: "substituted", reference: "left", heard: "right" },
        { kind: "same", reference: "then", heard: "then" },
        { kind: "inserted", heard: "you" },
        { kind: "same", reference: "go", heard: "go" }
      ])
    )
  )

  it.effect("are values: equal, summed, and read from JSON", () =>
    Effect.gen(function* () {
      const one = yield* compare("a b", "a c")
      expect(Equal.equals(one, yield* compare("a b", "a c"))).toBe(true)
      const json = Schema.parseJson(WordErrors.Comparison)
      expect(Equal.equals(Schema.decodeSync(json)(JSON.stringify(one)), one)).toBe(true)
      expect(WordErrors.total([one.words, (yield* compare("d e f", "")).words])).toMatchObject({ errors: 4, rate: 0.8 })
      expect(WordErrors.total([])).toMatchObject({ reference: 0, rate: 0 })
    })
  )
})

describe("words that are written in two ways are the same", () => {
  it.effect.each([
    ["case and punctuation", "Don’t STOP — (it's) “here”!", "dont stop its here"],
    ["a German sharp s and a Greek sigma", "Straße STRAẞE ΣΟΦΟΣ", "STRASSE strasse σοφος"],
    ["digits of every script", "४२ ৪২ ૪૨ ௪௨ ౪౨ ೪೨ ൪൨ ۴۲ ٤٢ ４２", "42 ".repeat(10)],
    ["digits in groups", "1,00,000 ۱٬۰۰۰ 3.50 ३.५०", "100000 1000 3.50 3.50"],
    ["abbreviations and missing spaces", "U.S. a.m. है।वह है.वह", "us am है वह है वह"],
    ["a nukta in its letter, or after it", "\u0958लम \u095cा", "\u0915\u093cलम \u0921\u093cा"],
    ["joiners and non-joiners", "क्\u200dष क्\u200cष soft\u00adhyphen", "क्ष क्ष softhyphen"],
    ["a chillu, an eyelash ra and a khanda ta", "അവൻ दऱ्या ৎ", "അവന്\u200d दर्\u200dया ত্\u200d"],
    ["letters of Arabic in Urdu, and its vowel marks", "كيسے ہيں، اُردُو", "کیسے ہیں اردو"],
    ["accents as one letter, or after it", "café ｃａｆé", "cafe\u0301 café"],
    ["fractions, and decimals without their 0", "1½ १¾ 10² .5 '.५'", "1 1/2 1 3/4 10 2 0.5 0.5"],
    ["both encodings of nta", "എ\u0d28\u0d4d\u0d31െ ന\u0d4d\u200cറ", "എ\u0d7b\u0d4d\u0d31െ \u0d7b\u0d4dറ"]
  ] as const)("%s", ([, one, other]) =>
    Effect.gen(function* () {
      const { characters, words } = yield* compare(one, other)
      expect(words).toMatchObject({ errors: 0, hits: other.trim().split(/[ /]/).length })
      expect(characters.errors).toBe(0)
    })
  )

  it.effect.each(Object.entries(paragraphs))("but in %s, words that stand between spaces stay apart", ([lang, all]) =>
    Effect.gen(function* () {
      // Two addresses of the English text have no spaces.
      const text = all.join(" ").replaceAll(/\S+@\S+|https?:\S+/g, "")
      const words = text.split(/[\s—–-]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
      expect(yield* wordsOf(text), lang).toHaveLength(words.length)
    })
  )

  it.effect.each([
    ["3.5", "35"],
    [".5", "5"],
    ["1½", "11 2"],
    ["൨൰", "2"],
    ["20", "twenty"],
    ["ज़रा", "जरा"],
    ["हैं", "है"],
    ["e-mail", "email"]
  ] as const)("but %s is not %s", ([one, other]) =>
    Effect.map(compare(one, other), ({ words }) => expect(words.errors).toBeGreaterThan(0))
  )
})

describe("the comparison of any two texts", () => {
  it.effect("finds no error in a text and itself, and compares words in a form that stays", () =>
    law([texts], (text) =>
      Effect.gen(function* () {
        expect(yield* compare(text, text)).toMatchObject({ words: { errors: 0 }, characters: { errors: 0 } })
        const words = yield* wordsOf(text)
        expect(yield* wordsOf(words.join(" "))).toEqual(words)
      })
    )
  )

  it.effect("has the fewest errors, and an alignment that has the words of both texts", () =>
    law([sentences, sentences], (reference, heard) =>
      Effect.gen(function* () {
        const { pairs, words } = yield* compare(reference, heard)
        const sides = { reference: yield* wordsOf(reference), heard: yield* wordsOf(heard) }
        expect(sidesOf(pairs)).toEqual(sides)
        expect(words.errors).toBe(distanceByTable(sides.reference, sides.heard))
        expect([words.reference, words.heard]).toEqual([sides.reference.length, sides.heard.length])
        expect(pairs.filter(({ kind }) => kind === "same")).toHaveLength(words.hits)
        for (const pair of pairs) {
          if ("heard" in pair && "reference" in pair) {
            expect(pair.kind).toBe(pair.heard === pair.reference ? "same" : "substituted")
          }
        }
      })
    )
  )

  it.effect("is a distance: it is symmetric, and no way through a third text is shorter", () =>
    law([sentences, sentences, sentences], (one, two, three) =>
      Effect.gen(function* () {
        const there = yield* compare(one, two)
        const back = yield* compare(two, one)
        expect([back.words.errors, back.characters.errors]).toEqual([there.words.errors, there.characters.errors])
        expect(back.words.insertions - back.words.deletions).toBe(there.words.deletions - there.words.insertions)
        const further = yield* compare(two, three)
        const direct = yield* compare(one, three)
        expect(direct.words.errors).toBeLessThanOrEqual(there.words.errors + further.words.errors)
        expect(direct.characters.errors).toBeLessThanOrEqual(there.characters.errors + further.characters.errors)
      })
    )
  )
})

describe("the comparison of long texts", () => {
  it.effect("cuts a text without spaces, since Intl.Segmenter copies its whole input into each segment", () =>
    Effect.gen(function* () {
      const random = chances(37)
      const han = Array.from({ length: 600 }, () => String.fromCharCode(0x4e00 + random() * 3000)).join("")
      const letters = "नमस्ते".repeat(150)
      const segment = vi.spyOn(Intl.Segmenter.prototype, "segment")
      const compared = yield* compare(han + letters, "")
      const copies = segment.mock.calls.map(([input], call) => {
        const segments = Array.from((segment.mock.contexts[call] as Intl.Segmenter).segment(input))
        return { length: input.length, segments: segments.length }
      })
      segment.mockRestore()
      expect(copies.filter(({ length, segments }) => length > 512 && segments > 8)).toEqual([])
      expect(compared.pairs.map((pair) => ("reference" in pair ? pair.reference : "")).join("")).toBe(han + letters)
      expect(compared.words.reference).toBeGreaterThan(300)
      expect(compared.characters.reference).toBe(600 + 3 * 150)
    })
  )

  it.effect("has the fewest errors too, and lets the event loop run", () =>
    Effect.gen(function* () {
      const random = chances(37)
      const word = () => String(Math.floor(random() ** 2 * 500))
      const said = Array.from({ length: 4400 }, word)
      const got = said.flatMap(
        (each) => (random() < 0.1 ? [[], [word()], [each, word()]][Math.floor(random() * 3)] : each) ?? []
      )
      let turns = 0
      const count = setInterval(() => turns++, 0)
      const fiber = yield* Effect.fork(compare(said.join(" "), got.join("\n")))
      const { characters, pairs, words } = yield* Fiber.join(fiber)
      clearInterval(count)
      expect(words.errors).toBe(distanceByTable(said, got))
      expect(sidesOf(pairs)).toEqual({ reference: said, heard: got })
      expect(characters.reference).toBe(said.join("").length)
      expect(turns).toBeGreaterThan(2)
    })
  )
})
