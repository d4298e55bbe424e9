import { fromBase64, fromHex } from "./alphabets.js"
import { gap, type Span } from "./decoded.js"
import { unescaped } from "./escapes.js"

/** Patterns that find a key or its secret. */
export interface Secrets {
  readonly pattern: RegExp
  /** Like `pattern`, with each character plain or as in a URL. It finds a key whose end looks like the beginning of an escape. */
  readonly inUrl: RegExp
  /** The length of the shortest one. */
  readonly length: number
}

/** Encodings that may be one in the other. */
const mostEncodings = 4

/** Fewer characters may occur in other text by chance, once it is decoded, or once case and blanks do not count. */
export const shortestSecret = 8

const quoted = (character: string): string => character.replace(/[^A-Za-z0-9]/, "\\$&")
const quotedInUrl = (character: string): string =>
  `(?:${quoted(character)}|%(?:25){0,64}${character.charCodeAt(0).toString(16)})`

/** All texts are at least {@link shortestSecret} long, or there is only one. */
export const secretsOf = (texts: readonly [string, ...Array<string>]): Secrets => {
  const [first] = texts
  const patternOf = (forms: Iterable<string>, one: (character: string) => string, between: string, flags: string) =>
    new RegExp(Array.from(forms, (form) => Array.from(form, one).join(between)).join("|"), flags)
  if (first.length < shortestSecret) {
    return {
      pattern: patternOf(texts, quoted, "", "g"),
      inUrl: patternOf(texts, quotedInUrl, "", "g"),
      length: first.length
    }
  }
  const forms = new Set(texts)
  // A text that holds escapes itself is found without them, too.
  for (const form of forms) {
    for (const { text } of unescaped(form)) if (text.length >= shortestSecret) forms.add(text)
  }
  return {
    pattern: patternOf(forms, quoted, gap, "gi"),
    inUrl: patternOf(texts, quotedInUrl, gap, "gi"),
    length: Math.min(...Array.from(forms, (form) => form.length))
  }
}

/** The pattern has the flag `g`. `matchAll` would copy it for each text. */
const matches = (text: string, pattern: RegExp): Array<Span> => {
  const spans: Array<Span> = []
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    spans.push([found.index, pattern.lastIndex])
  }
  return spans
}

/**
 * Finds the secrets in a text, plain or encoded. It decodes each encoding that a part of the text may have, and searches the result
 * in the same way. The time grows with the text alone.
 */
export const findSecrets = (text: string, secrets: Secrets, encodings = mostEncodings): ReadonlyArray<Span> => {
  const { inUrl, length, pattern } = secrets
  if (text.length < length) return []
  const found = matches(text, pattern)
  if (encodings === mostEncodings && text.includes("%")) found.push(...matches(text, inUrl))
  if (encodings === 0) return found
  const decodings = [...unescaped(text)]
  if (length >= shortestSecret) decodings.push(...fromHex(text, length), ...fromBase64(text, length))
  for (const decoded of decodings) {
    for (const [start, end] of findSecrets(decoded.text, secrets, encodings - 1)) found.push(decoded.origin(start, end))
  }
  return found
}

/** The text with `replacement` for each span. Spans that overlap are one. */
export const withoutSpans = (text: string, spans: ReadonlyArray<Span>, replacement: string): string => {
  const parts: Array<string> = []
  let read = 0
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (start >= read || parts.length === 0) parts.push(text.slice(read, start), replacement)
    read = Math.max(read, end)
  }
  return parts.join("") + text.slice(read)
}
