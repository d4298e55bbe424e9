import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Printable from "../src/Printable.js"

const isUnprintable = (character: string): boolean =>
  unprintable.includes(character) || (character.length === 1 && /\p{Surrogate}/u.test(character))

/** Written as code points, so that this test shares no pattern with the code. */
const unprintable = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  ...[0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
  ...[0xd800, 0xdbff, 0xdc00, 0xdfff]
].map((code) => String.fromCharCode(code))

const anyText = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom(...unprintable),
    FastCheck.constantFrom("a", "\\", '"', " ", "क", "्", "\u200d", "\u200c", "😀", "\ufeff"),
    FastCheck.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))
  ),
  { maxLength: 20 }
).map((parts) => parts.join(""))

describe("printable text", () => {
  it.each(unprintable.map((character) => [character.charCodeAt(0).toString(16), character] as const))(
    "has an escape for U+%s",
    (_, character) => {
      const escaped = Printable.line(`a${character}b`)
      expect(escaped).toMatch(/^a\\(u[0-9a-f]{4}|[nrt])b$/)
      expect(JSON.parse(`"${escaped}"`)).toBe(`a${character}b`)
    }
  )

  it.each([
    "नमस्ते, क्‍ष और श्‌र",
    "سلام دنیا",
    "👩🏽‍🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️",
    "a\\b \\u001b no-break\u00a0space, soft\u00adhyphen",
    "\ufffd"
  ])("is unchanged: %s", (text) => {
    expect(Printable.line(text)).toBe(text)
    expect(Printable.lines(text)).toBe(text)
  })

  it("keeps line breaks and tabs in lines, but no lone carriage return, which would overwrite a line", () => {
    expect(Printable.lines("a\tb\r\nc\nd\re\u2028f\u001b[2J")).toBe("a\tb\r\nc\nd\\re\\u2028f\\u001b[2J")
  })

  it("holds no control, stays the same when it is made printable again, and keeps the value of JSON", () => {
    FastCheck.assert(
      FastCheck.property(anyText, (text) => {
        const line = Printable.line(text)
        const lines = Printable.lines(text)
        for (const shown of [line, lines.replaceAll(/\r\n|[\n\t]/g, "")]) {
          expect(Array.from(shown).filter(isUnprintable)).toEqual([])
        }
        expect([Printable.line(line), Printable.lines(lines)]).toEqual([line, lines])
        const json = Printable.line(JSON.stringify({ [text]: text }))
        expect(JSON.parse(json)).toEqual({ [text]: text })
      })
    )
  })

  it.each([
    ["The disk is full.", "the disk is full"],
    ["A file is damaged.", "a file is damaged"],
    ["WAV has no length.", "WAV has no length"]
  ])("ends a sentence: %s", (sentence, phrase) => {
    expect(Printable.asPhrase(sentence)).toBe(phrase)
  })
})
