import { type Decoded, isForeignByte, noCharacter, ofByte, otherBlanks, type Range, space } from "./decoded.js"

/** An alphabet whose letters are digits of bytes. */
interface Alphabet {
  /** The digit of each character; {@link skipped}, {@link sparse} or {@link foreign} if it has none. */
  readonly digits: Uint8Array
  /** Bits per digit. */
  readonly bits: number
  /** Number of letters after which a byte and a letter begin at the same bit again. */
  readonly period: number
  /** For `earlier * 2 ** bits + later`: the phases in which the byte in two letters can't be text, at the beginning of a period. */
  readonly impossible: Uint8Array
}

/** A character that may stand between any two letters. */
const skipped = 253
/** A character that may stand between groups of letters. */
const sparse = 254
/** A character that ends a run of letters. */
const foreign = 255

/** In characters: longer than a word of a language, shorter than a group of base64. */
const shortestGroup = 16

/** The byte that begins in the earlier of two letters, `place` letters behind the beginning of a byte. */
const byteIn = (bits: number, place: number, earlier: number, later: number): number | undefined => {
  const offset = (8 - ((place * bits) % 8)) % 8
  return offset >= bits ? undefined : (((earlier << bits) | later) >> (2 * bits - offset - 8)) & 255
}

/** By ranges: a pattern that is tried with each of 65,536 characters takes many milliseconds of a short process. */
const alphabetOf = (
  letters: ReadonlyArray<string>,
  between: ReadonlyArray<Range>,
  betweenGroups: ReadonlyArray<Range>
): Alphabet => {
  const digits = new Uint8Array(65_536).fill(foreign)
  for (const [first, last] of betweenGroups) digits.fill(sparse, first, last + 1)
  for (const [first, last] of between) digits.fill(skipped, first, last + 1)
  letters.forEach((alternatives, digit) => {
    for (const letter of alternatives) digits[letter.charCodeAt(0)] = digit
  })
  const bits = Math.log2(letters.length)
  const period = bits === 4 ? 2 : 4
  const impossible = new Uint8Array(letters.length ** 2)
  for (let phase = 0; phase < period; phase++) {
    for (let pair = 0; pair < impossible.length; pair++) {
      const byte = byteIn(bits, (period - phase) % period, pair >> bits, pair % letters.length)
      if (byte !== undefined && isForeignByte[byte]) impossible[pair] = (impossible[pair] ?? 0) | (1 << phase)
    }
  }
  return { digits, bits, period, impossible }
}

const code = (character: string): number => character.charCodeAt(0)

const lettersFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, at) => String.fromCharCode(code(first) + at))

/** Includes the colons of hex, and the quotes around the lines of a text. */
const punctuation: ReadonlyArray<Range> = ["!/", ":@", "[`", "{~"].map((ends) => [code(ends), ends.charCodeAt(1)])

let hex: Alphabet | undefined
const makeHex = () => {
  const letters = lettersFrom("a", 6).map((letter) => letter + letter.toUpperCase())
  const x: ReadonlyArray<Range> = ["X", "x"].map((letter) => [code(letter), code(letter)])
  return alphabetOf([...lettersFrom("0", 10), ...letters], [space, ...otherBlanks, ...punctuation, ...x], [])
}

let base64: Alphabet | undefined
const makeBase64 = () => {
  const letters = [...lettersFrom("A", 26), ...lettersFrom("a", 26), ...lettersFrom("0", 10), "+-", "/_"]
  return alphabetOf(letters, otherBlanks, [space, ...punctuation])
}

/** The texts in hex in a text: those that have at least `shortest` characters. */
export const fromHex = (text: string, shortest: number): ReadonlyArray<Decoded> => {
  if (text.length < 2 * shortest) return []
  hex ??= makeHex()
  return decode(text, hex, shortest, 2 * shortest)
}

/** The texts in base64 or base64url in a text, like {@link fromHex}. White space may be between groups of 16 letters. */
export const fromBase64 = (text: string, shortest: number): ReadonlyArray<Decoded> => {
  base64 ??= makeBase64()
  return decode(text, base64, shortest, Math.min(shortestGroup, shortest))
}

/** Decodes each run of letters that has `group` of them without a sparse character. */
const decode = (text: string, alphabet: Alphabet, shortest: number, group: number): ReadonlyArray<Decoded> => {
  const { digits } = alphabet
  let output: Output | undefined
  for (let at = group - 1; at < text.length; ) {
    // Most text is skipped, a group at a time.
    let before = at
    while (before > at - group && (digits[text.charCodeAt(before)] ?? foreign) <= skipped) before--
    if (before > at - group) {
      at = before + group
      continue
    }
    let start = before + 1
    while (start > 0 && (digits[text.charCodeAt(start - 1)] ?? foreign) < foreign) start--
    let end = at + 1
    while (end < text.length && (digits[text.charCodeAt(end)] ?? foreign) < foreign) end++
    output ??= { parts: [], starts: [], ends: [] }
    decodeRun(text, start, end, alphabet, shortest, output)
    at = end + group
  }
  if (output === undefined || output.parts.length === 0) return []
  const { ends, parts, starts } = output
  return [{ text: parts.join(""), origin: (start, end) => [starts[start] ?? 0, ends[end - 1] ?? 0] }]
}

/** Characters, and where each comes from. */
interface Output {
  readonly parts: Array<string>
  readonly starts: Array<number>
  readonly ends: Array<number>
}

/**
 * Decodes the letters from `start` to `end` in each phase, because a run may begin with letters of other words. Decoding ends
 * at bytes that can't be text, which one table finds.
 */
const decodeRun = (
  text: string,
  start: number,
  end: number,
  alphabet: Alphabet,
  shortest: number,
  output: Output
): void => {
  const { bits, digits, impossible, period } = alphabet
  const least = Math.ceil((shortest * 8) / bits)
  if (end - start < least) return
  /** For each phase: the first letter that may be text, and its place in the period. */
  const from = new Int32Array(period).fill(start)
  const places = new Uint8Array(period)
  let earlier = -1
  let place = 0
  for (let at = start; at < end; at++) {
    const digit = digits[text.charCodeAt(at)] ?? foreign
    if (digit >= skipped || (digit === 0 && isPrefix(text, at, alphabet))) continue
    if (earlier >= 0) {
      const atStart = impossible[(earlier << bits) | digit] ?? 0
      const ended = ((atStart << place) | (atStart >> (period - place))) & ((1 << period) - 1)
      place = (place + 1) % period
      for (let phase = 0; ended >> phase !== 0; phase++) {
        if (((ended >> phase) & 1) === 0) continue
        const first = from[phase] ?? 0
        if (at - first >= least) decodePhase(text, first, at, (places[phase] ?? 0) - phase, alphabet, shortest, output)
        from[phase] = at
        places[phase] = place
      }
    }
    earlier = digit
  }
  for (let phase = 0; phase < period; phase++) {
    decodePhase(text, from[phase] ?? 0, end, (places[phase] ?? 0) - phase, alphabet, shortest, output)
  }
}

const decodePhase = (
  text: string,
  start: number,
  end: number,
  firstPlace: number,
  alphabet: Alphabet,
  shortest: number,
  { ends, parts, starts }: Output
): void => {
  const { bits, digits, period } = alphabet
  const before = parts.length
  let place = firstPlace + period
  let earlier = -1
  let earlierAt = 0
  for (let at = start; at < end; at++) {
    const digit = digits[text.charCodeAt(at)] ?? foreign
    if (digit >= skipped || (digit === 0 && isPrefix(text, at, alphabet))) continue
    const byte = earlier < 0 ? undefined : byteIn(bits, (place - 1) % period, earlier, digit)
    const character = byte === undefined ? "" : ofByte(byte)
    if (character !== "") {
      parts.push(character)
      starts.push(earlierAt)
      ends.push(withPadding(text, at + 1))
    }
    earlier = digit
    earlierAt = at
    place++
  }
  if (parts.length - before < shortest) {
    parts.length = before
    starts.length = before
    ends.length = before
  } else {
    parts.push(noCharacter)
    starts.push(end)
    ends.push(end)
  }
}

const [smallX, equals] = [0x78, 0x3d]

/** Whether `0x` stands here, in front of hex. */
const isPrefix = (text: string, at: number, { bits, digits }: Alphabet): boolean =>
  bits === 4 &&
  (text.charCodeAt(at + 1) | 0x20) === smallX &&
  (at === 0 || (digits[text.charCodeAt(at - 1)] ?? foreign) >= skipped)

const withPadding = (text: string, end: number): number => {
  let padded = end
  while (padded < end + 2 && text.charCodeAt(padded) === equals) padded++
  return padded
}
