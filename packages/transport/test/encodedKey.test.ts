import { describe, expect, it } from "@effect/vitest"
import { ApiKey } from "@effect-speech/transport"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"

const value = "prefix.Secretlong+/=&9"
const key = Redacted.make(value)
const secret = value.slice(value.indexOf(".") + 1)

const each = (text: string, encode: (character: string, hex: string, at: number) => string) =>
  Array.from(text, (character, at) =>
    encode(character, character.charCodeAt(0).toString(16).padStart(2, "0"), at)
  ).join("")
const hex = (text: string) => Buffer.from(text).toString("hex")
const base64 = (text: string) => Buffer.from(text).toString("base64")
const inLines = (text: string, width: number, end = "\r\n") =>
  text.replace(new RegExp(`[^]{${width}}(?=[^])`, "g"), `$&${end}`)
const percent = (text: string) => each(text, (_, digits) => `%${digits}`)
const inBigEndian = (text: string) => Buffer.from(text, "utf16le").swap16().toString("base64")

describe("a key in other text", () => {
  it.each([
    { what: "capitals", text: value.toUpperCase() },
    { what: "small letters", text: value.toLowerCase() },
    { what: "spaces between", text: [...value].join(" ") },
    { what: "line breaks between", text: inLines(value, 5) },
    { what: "zero-width characters between", text: [...value].join("\u200b") },
    { what: "a filler of Hangul between", text: [...value].join("\u3164") },
    { what: "tags of Unicode between", text: [...value].join("\u{e0061}") },
    { what: "UTF-16 read as ASCII", text: [...value].join("\0") },
    { what: "hex with colons", text: hex(value).replace(/..(?=.)/g, "$&:") },
    { what: "hex with spaces", text: hex(value).replace(/..(?=.)/g, "$& ") },
    { what: "hex of a C program", text: each(value, (_, digits) => `0x${digits.toUpperCase()}, `).slice(0, -2) },
    { what: "hex of mixed case", text: each(hex(value), (digit, _, at) => (at % 3 ? digit : digit.toUpperCase())) },
    { what: "base64 in percents", text: base64(value).replace(/[+/=]/g, percent) },
    { what: "base64 in JSON", text: base64(value).replace(/[+/=]/g, (letter) => `\\u00${hex(letter)}`) },
    { what: "base64 in HTML", text: base64(value).replace(/[+/=]/g, (letter) => `&#${letter.charCodeAt(0)};`) },
    { what: "base64 in lines", text: inLines(base64(value), 7) },
    { what: "base64 in lines in JSON", text: inLines(base64(value), 7, "\\r\\n") },
    { what: "base64 with zero-width characters", text: inLines(base64(value), 1, "\u2060") },
    { what: "base64 of UTF-16", text: Buffer.from(value, "utf16le").toString("base64") },
    { what: "base64 of UTF-16, high byte first", text: inBigEndian(value) },
    { what: "base64 of base64", text: base64(base64(secret)) },
    { what: "base64 of hex of percents", text: base64(hex(percent(value))) },
    { what: "percents of IIS", text: each(value, (_, digits) => `%u00${digits}`) },
    { what: "percents with line breaks", text: inLines(percent(value), 4, "\n") },
    { what: "points of Unicode", text: each(value, (_, digits) => `\\u{${digits}}`) },
    {
      what: "octal digits",
      text: each(value, (_, digits) => `\\${Number.parseInt(digits, 16).toString(8).padStart(3, "0")}`)
    }
  ])("is removed: $what", ({ text }) => {
    // What is left of an encoding tells nothing: a prefix of hex, padding, or a zero byte of UTF-16.
    expect(ApiKey.withoutKey(`the key «${text}» is wrong`, key)).toMatch(
      /^the key «(0x|A|)<redacted>[A\u2060=]{0,4}» is wrong$/
    )
  })

  it.each([
    { end: "\\", after: "n" },
    { end: "%", after: "dd" }
  ])("is removed from a URL if its last character $end would begin an escape with the next", ({ after, end }) => {
    const ending = Redacted.make(`${after}.!!!!!!!!${end}`)
    expect(ApiKey.withoutKey(`!!!!!!%21!${end}${after}.!!!!!!!!${end}`, ending)).not.toContain("!!!")
  })

  it("is removed from base64 that holds more, and nothing else is", () => {
    const text = `Log: ${base64(`ключ ${value} wrong`)}, see ${base64("another text, without it")}.`
    const without = ApiKey.withoutKey(text, key)
    expect(without).toMatch(/^Log: [A-Za-z0-9]+<redacted>[A-Za-z0-9]+=*, see /)
    expect(without.slice(without.indexOf(", see"))).toBe(text.slice(text.indexOf(", see")))
  })

  it("is removed if it holds escapes itself", () => {
    for (const odd of ["a.%2541%41bcdefgh", "a.b&amp;cdefgh\\n\\u0041", "a.\\\\x41&#65;bcdefgh"]) {
      for (const text of [
        odd,
        JSON.stringify(odd).slice(1, -1),
        encodeURIComponent(odd),
        base64(odd),
        percent(percent(odd))
      ]) {
        expect(ApiKey.withoutKey(text, Redacted.make(odd))).toBe("<redacted>")
      }
    }
  })
})

const visible = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at))
const letters = FastCheck.constantFrom(...visible(0x30, 0x39), ...visible(0x41, 0x5a), ...visible(0x61, 0x7a))
const anyKey = FastCheck.tuple(
  FastCheck.string({ unit: letters, minLength: 1, maxLength: 8 }),
  FastCheck.string({
    unit: FastCheck.oneof(letters, FastCheck.constantFrom(..."-_+/=.~:&%\"'<")),
    minLength: 16,
    maxLength: 40
  })
).map(([prefix, rest]) => `${prefix}.${rest}`)

const anyText = FastCheck.oneof(
  FastCheck.string({ unit: "binary", maxLength: 40 }),
  FastCheck.string({ unit: letters, maxLength: 40 }),
  FastCheck.lorem()
)

type Encode = (text: string, chance: () => boolean) => string
/** Escapes any letters. No encoder leaves out the one that its escapes begin with. */
const mixed =
  (one: Encode, first = ""): Encode =>
  (text, chance) =>
    each(text, (letter) => (letter === first || chance() ? one(letter, chance) : letter))
const names: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  '"': "quot",
  ".": "period",
  "+": "plus",
  "/": "sol",
  "=": "equals"
}
const bytesOf = (text: string) => [...Buffer.from(text)]
const hexOf = (byte: number) => byte.toString(16).padStart(2, "0")
const encodings: Record<string, Encode> = {
  "some percents": mixed(
    (letter) =>
      bytesOf(letter)
        .map((byte) => `%${hexOf(byte).toUpperCase()}`)
        .join(""),
    "%"
  ),
  percents: (text) =>
    bytesOf(text)
      .map((byte) => `%${hexOf(byte)}`)
      .join(""),
  uri: encodeURIComponent,
  json: (text) => JSON.stringify(text).slice(1, -1),
  "some \\u": mixed((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`, "\\"),
  "html numbers": mixed((letter) => `&#${letter.charCodeAt(0)};`, "&"),
  "html hex": mixed((letter) => `&#x${letter.charCodeAt(0).toString(16)};`, "&"),
  "html names": (text) => text.replace(/[&<".+/=]/g, (letter) => `&${names[letter]};`),
  hex,
  HEX: (text) => hex(text).toUpperCase(),
  "hex with colons": (text) => hex(text).replace(/..(?=.)/g, "$&:"),
  "hex with spaces": (text) => hex(text).replace(/..(?=.)/g, "$& "),
  base64,
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  "base64 behind others": (text, chance) => base64(`${chance() ? "x" : "Bearer "}${text}${chance() ? ":" : ""}`),
  "lines of 76": (text) => inLines(text, 76),
  "short lines": (text) => inLines(text, 5, "\n"),
  "zero-width characters": mixed((letter) => `${letter}\u200b`)
}
/** Without its case, a text in base64 is lost. */
const cases: Record<string, Encode> = { upper: (text) => text.toUpperCase(), lower: (text) => text.toLowerCase() }

describe("a key in any three encodings, one in the other", () => {
  const quoted = FastCheck.record({
    key: anyKey,
    whole: FastCheck.boolean(),
    inner: FastCheck.option(FastCheck.constantFrom(...Object.keys(cases))),
    outer: FastCheck.array(FastCheck.constantFrom(...Object.keys(encodings)), { maxLength: 3 }),
    chances: FastCheck.infiniteStream(FastCheck.boolean()),
    before: anyText,
    after: anyText
  })

  it("is removed from any text", () => {
    FastCheck.assert(
      FastCheck.property(quoted, ({ after, before, chances, inner, key, outer, whole }) => {
        const secret = key.slice(key.indexOf(".") + 1)
        const chance = () => chances.next().value
        const names = inner === null ? outer : [inner, ...outer].slice(0, 3)
        const encoded = names.reduce(
          (text, name) => (cases[name] ?? encodings[name] ?? String)(text, chance),
          whole ? key : secret
        )
        const without = ApiKey.withoutKey(`${before}«${encoded}»${after}`, Redacted.make(key))
        // Text that was encoded together with the key may stay.
        if (
          !without.includes("<redacted>") ||
          without.length > before.length + after.length + 40 + encoded.length / 2
        ) {
          throw new Error(`${names.join(", ")}: ${encoded} became ${without}`)
        }
      }),
      { seed: 7, numRuns: 300 }
    )
  })

  it("changes no text without it", () => {
    FastCheck.assert(
      FastCheck.property(
        anyKey,
        FastCheck.array(FastCheck.oneof(anyText, FastCheck.constantFrom(..."%&\\", "&amp;", "%25", base64("another")))),
        (key, parts) => {
          const text = parts.join(" ")
          return ApiKey.withoutKey(text, Redacted.make(key)) === text
        }
      ),
      { seed: 7, numRuns: 300 }
    )
  })
})
