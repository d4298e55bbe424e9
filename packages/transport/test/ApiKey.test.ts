import { describe, expect, it } from "@effect/vitest"
import * as Printable from "@effect-speech/common/Printable"
import { problemWith, withoutKey } from "@effect-speech/transport/ApiKey"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"

const redact = (text: string, key: Redacted.Redacted) => Printable.line(withoutKey(text, key))

describe("an API key", () => {
  it.each(["prefix.secret", "a.b.c.d", "sk_live-1.~!@#$%^&*()"])("may be %s", (key) => {
    expect(problemWith(Redacted.make(key))).toBeUndefined()
  })

  it.each([
    ["", "empty"],
    ["no-dot", "dot"],
    [".secret", "dot"],
    [".a.b", "dot"],
    ["prefix.", "dot"],
    ["pre fix.secret", "space"],
    ["prefix.secret\n", "line break"],
    ["prefix.sécret", "ASCII"]
  ])("must not be %j, and the problem does not quote it", (key, word) => {
    const problem = problemWith(Redacted.make(key))
    expect(problem).toContain(word)
    if (key !== "") expect(problem).not.toContain(key)
  })

  it("is removed from text", () => {
    expect(redact("key a.b is wrong: a.b", Redacted.make("a.b"))).toBe("key <redacted> is wrong: <redacted>")
    const long = Redacted.make("prefix.ab+cd/efgh==")
    expect(redact("ab+cd/efgh== and prefix.ab%2Bcd%2Fefgh%3D%3D", long)).toBe("<redacted> and <redacted>")
    const odd = Redacted.make("pfx.ab/cd+ef==gh(ij)")
    expect(redact("pfx.ab%2fcd%2bef%3d%3dgh%28ij%29 ab/cd%2Bef%3D%3Dgh(ij)", odd)).toBe("<redacted> <redacted>")
    // A short secret may be a regular word, so it is removed only together with its prefix.
    expect(redact("abcdefg pfx.abcdefg", Redacted.make("pfx.abcdefg"))).toBe("abcdefg <redacted>")
    expect(redact("abcdefgh pfx.abcdefgh", Redacted.make("pfx.abcdefgh"))).toBe("<redacted> <redacted>")
    expect(redact("clear\u001b[2J the\r\nscreen", Redacted.make("a.b"))).toBe("clear\\u001b[2J the\\r\\nscreen")
  })
})

const value = "prefix.Secretlong+/=&9"
const key = Redacted.make(value)

const each = (text: string, encode: (character: string, hex: string, at: number) => string) =>
  Array.from(text, (character, at) =>
    encode(character, character.charCodeAt(0).toString(16).padStart(2, "0"), at)
  ).join("")
const hex = (text: string) => Buffer.from(text).toString("hex")
const base64 = (text: string) => Buffer.from(text).toString("base64")
const inLines = (text: string, width: number, end = "\r\n") =>
  text.replace(new RegExp(`[^]{${width}}(?=[^])`, "g"), `$&${end}`)
const percent = (text: string) => each(text, (_, digits) => `%${digits}`)

describe("a key in other text", () => {
  // The property below tries the common encodings, up to three of them one in the other.
  it.each([
    { what: "one letter in percents", text: "prefix.Secret%6cong+/=&9" },
    { what: "escapes of JSON in JSON, in capitals", text: each(value, (_, hex) => `\\\\u00${hex.toUpperCase()}`) },
    { what: "a slash of JSON", text: value.replace("/", "\\/") },
    { what: "escapes of JavaScript", text: each(value, (_, hex) => `\\x${hex}`) },
    { what: "HTML in hex, without semicolons", text: each(value, (_, hex) => `&#X000${hex}`) },
    { what: "several encodings", text: "prefix%2ESecret&#108;ong\\u002b/%3D&amp;9" },
    { what: "spaces between", text: [...value].join(" ") },
    { what: "line breaks between", text: inLines(value, 5) },
    { what: "a filler of Hangul between", text: [...value].join("\u3164") },
    { what: "tags of Unicode between", text: [...value].join("\u{e0061}") },
    { what: "UTF-16 read as ASCII", text: [...value].join("\0") },
    { what: "hex of a C program", text: each(value, (_, hex) => `0x${hex.toUpperCase()}, `).slice(0, -2) },
    { what: "hex of mixed case", text: each(hex(value), (digit, _, at) => (at % 3 ? digit : digit.toUpperCase())) },
    { what: "base64 of UTF-16, high byte first", text: Buffer.from(value, "utf16le").swap16().toString("base64") },
    { what: "percents of IIS", text: each(value, (_, hex) => `%u00${hex}`) },
    { what: "points of Unicode", text: each(value, (_, hex) => `\\u{${hex}}`) },
    {
      what: "octal digits",
      text: each(value, (_, hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, "0")}`)
    }
  ])("is removed: $what", ({ text }) => {
    // What is left of an encoding tells nothing: a prefix of hex, padding, or a zero byte of UTF-16.
    expect(withoutKey(`the key «${text}» is wrong`, key)).toMatch(
      /^the key «(0x|A|)<redacted>[A\u2060=]{0,4}» is wrong$/
    )
  })

  it.each(["", "a", "ab", "abc"])("is removed in base64 behind '%s', with what follows", (before) => {
    for (const after of ["", ":", "::", ":::"]) {
      const redacted = redact(`Basic ${base64(before + value + after)}.`, key)
      expect(redacted).toMatch(/^Basic .{0,4}<redacted>.{0,8}\.$/)
    }
  })

  it.each([
    { end: "\\", after: "n" },
    { end: "%", after: "dd" }
  ])("is removed from a URL if its last character $end would begin an escape with the next", ({ after, end }) => {
    const ending = Redacted.make(`${after}.!!!!!!!!${end}`)
    expect(withoutKey(`!!!!!!%21!${end}${after}.!!!!!!!!${end}`, ending)).not.toContain("!!!")
  })

  it("is removed from base64 that holds more, and nothing else is", () => {
    const text = `Log: ${base64(`ключ ${value} wrong`)}, see ${base64("another text, without it")}.`
    const without = withoutKey(text, key)
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
        expect(withoutKey(text, Redacted.make(odd))).toBe("<redacted>")
      }
    }
  })

  it("is looked for in time that grows with the text alone", { timeout: 20_000 }, () => {
    // In time that grew with the square of the text, each of these would take minutes.
    for (const text of ["\\\\", "%25", "&amp;", "&#0", "&", "s", "%73", "p ", "7 0 ", "cHBw"]) {
      const long = text.repeat(50_000)
      expect(withoutKey(long, key)).toBe(long)
    }
  })

  it.each(["100 % of secret & long", "\\u0073ecret", "&#115;ecret&amp;", "%73%65%63%72%65%74", base64("prefix.")])(
    "leaves %j as it is",
    (text) => {
      expect(withoutKey(text, key)).toBe(text)
    }
  )
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
        const without = withoutKey(`${before}«${encoded}»${after}`, Redacted.make(key))
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
          return withoutKey(text, Redacted.make(key)) === text
        }
      ),
      { seed: 7, numRuns: 300 }
    )
  })
})
