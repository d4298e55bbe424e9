import { blanks, type Decoded, gap, noCharacter, ofByte } from "./decoded.js"

/** Names that HTML has for visible characters and for blanks. The entities of all others are numbers. */
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "!": "excl",
    '"': "quot",
    "#": "num",
    $: "dollar",
    "%": "percnt",
    "&": "amp",
    "'": "apos",
    "(": "lpar",
    ")": "rpar",
    "*": "ast midast",
    "+": "plus",
    ",": "comma",
    ".": "period",
    "/": "sol",
    ":": "colon",
    ";": "semi",
    "<": "lt",
    "=": "equals",
    ">": "gt",
    "?": "quest",
    "@": "commat",
    "[": "lsqb lbrack",
    "\\": "bsol",
    "]": "rsqb rbrack",
    "^": "hat",
    _: "lowbar underbar",
    "`": "grave diacriticalgrave",
    "{": "lcub lbrace",
    "|": "verbar vert verticalline",
    "}": "rcub rbrace",
    " ": "tab newline nbsp nonbreakingspace shy zerowidthspace zwj zwnj nobreak"
  }).flatMap(([character, names]) => names.split(" ").map((name): [string, string] => [name, character]))
)

const digit = "[0-9a-f]"

/**
 * An escape of a URL, of JSON and programming languages, or of HTML, each escaped again any number of times: `%252e`, `\\\\u002e`,
 * `&amp;#46;`. Each alternative also matches where no escape follows, so that its beginning is read once. `between` is what may be
 * between its characters, `end` the end of an entity.
 */
const escapes = (between: string, end: string): RegExp => {
  const spaced = (...tokens: ReadonlyArray<string>): string => tokens.join(between)
  const names = [...entities.keys()].map((name) => spaced(...name)).join("|")
  return new RegExp(
    [
      `%(?:${spaced("", "2", "5")}){0,64}(?:${between}(?:${spaced("u", "0", "0", "")})?${spaced(digit, digit)})?`,
      `\\\\(?:${between}\\\\){0,64}(?:${between}(?:${[
        spaced("u", digit, digit, digit, digit),
        `u\\{${digit}{1,8}\\}`,
        spaced("x", digit, digit),
        spaced("[01]", "[0-7]", "[0-7]"),
        "0(?![0-7])",
        "[bfnrtv]",
        "[!-$'-\\/:-@\\[\\]-`{-~]"
      ].join("|")}))?`,
      `&(?:${spaced("", "a", "m", "p", ";")}){0,64}(?:${between}(?:${[
        `${spaced("#", "x")}(?:${between}${digit}){1,16}${between};`,
        `#(?:${between}[0-9]){1,16}${between};`,
        `#x${digit}{1,16}${end}`,
        `#[0-9]{1,16}${end}`,
        `(?:${names})(?:${between};|${end})`
      ].join("|")}))?`
    ].join("|"),
    "gi"
  )
}

/** What programs read differs: whether blanks may be within an escape, and an entity without a semicolon, as in a browser. */
const readings = [escapes("", ";"), escapes(gap, ";"), escapes(gap, "")]

const allBlanks = new RegExp(`[${blanks}]+`, "g")

const ofCode = (code: number): string => (code > 0xffff ? noCharacter : String.fromCharCode(code))

/** What an escape stands for, without blanks in it. */
const meaning = (escaped: string): string => {
  if (escaped.startsWith("%")) {
    const byte = /^%(?:25)*(?:u00)?([0-9a-f]{2})$/.exec(escaped)
    return byte === null ? "%" : ofByte(Number.parseInt(byte[1] ?? "", 16))
  }
  if (escaped.startsWith("\\")) {
    const body = escaped.replace(/^\\+/, "")
    if (body === "") return "\\"
    if (body === "0") return ""
    if (!/^[a-z0-9]/.test(body)) return body
    if (body.startsWith("u")) return ofCode(Number.parseInt(body.replace(/[u{}]/g, ""), 16))
    if (body.startsWith("x")) return ofByte(Number.parseInt(body.slice(1), 16))
    return /\d/.test(body) ? ofByte(Number.parseInt(body, 8)) : "\n"
  }
  const body = escaped.replace(/^&(?:amp;)*/, "").replace(";", "")
  if (body === "") return "&"
  if (body.startsWith("#x")) return ofCode(Number.parseInt(body.slice(2), 16))
  return body.startsWith("#") ? ofCode(Number.parseInt(body.slice(1), 10)) : (entities.get(body) ?? "")
}

/** A text without its escapes, in each way in which they can be read. */
export const unescaped = (text: string): ReadonlyArray<Decoded> => {
  if (!/[%\\&]/.test(text)) return []
  const results = new Map<string, Decoded>()
  for (const pattern of readings) {
    const result = replaced(text, pattern)
    if (result !== undefined && !results.has(result.text)) results.set(result.text, result)
  }
  return [...results.values()]
}

const replaced = (text: string, pattern: RegExp): Decoded | undefined => {
  const parts: Array<string> = []
  /** For each escape: its place in the text (`from`, `to`), and the place of its meaning in the result (`start`, `end`). */
  const places: Array<{ readonly from: number; readonly to: number; readonly start: number; readonly end: number }> = []
  let read = 0
  let length = 0
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (found.length === 1) continue
    const character = meaning(found.replace(allBlanks, "").toLowerCase())
    if (character === found) continue
    const start = length + index - read
    parts.push(text.slice(read, index), character)
    read = index + found.length
    length = start + character.length
    places.push({ from: index, to: read, start, end: length })
  }
  if (places.length === 0) return undefined
  parts.push(text.slice(read))

  /** The last escape that begins at or before a character of the result. */
  const placeOf = (at: number) => {
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle]?.start ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return places[low - 1]
  }
  const originOf = (at: number) => {
    const place = placeOf(at)
    if (place === undefined) return { from: at, to: at + 1 }
    if (at < place.end) return place
    const from = place.to + at - place.end
    return { from, to: from + 1 }
  }
  return { text: parts.join(""), origin: (start, end) => [originOf(start).from, originOf(end - 1).to] }
}
