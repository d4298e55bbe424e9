/** The spaces of a text, and its line ends. */

/** Whether a text may be cut at this UTF-16 unit. A no-break space is no such space. */
export const isSpace = (unit: number): boolean =>
  unit === 0x20 ||
  (unit >= 0x09 && unit <= 0x0d) ||
  unit === 0x85 ||
  unit === 0x1680 ||
  (unit >= 0x2000 && unit <= 0x200a && unit !== 0x2007) ||
  unit === 0x2028 ||
  unit === 0x2029 ||
  unit === 0x205f ||
  unit === 0x3000

/** The same as a class of a regular expression. */
export const spaceClass = "\\t-\\r \\x85\\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000"

/** The spaces that keep two words together. */
export const noBreak = "\\xa0\\u2007\\u202f\\u2060\\ufeff"

/** Spaces beyond this many units are not read: each place is judged in constant time. */
export const longestSpaces = 256

/** The beginning of the spaces that end at a place. */
export const spacesBefore = (text: string, at: number): number => {
  const least = Math.max(0, at - longestSpaces)
  let from = at
  while (from > least && isSpace(text.charCodeAt(from - 1))) from--
  return from
}

/** The end of the spaces that begin at a place. */
export const spacesAfter = (text: string, at: number): number => {
  const most = Math.min(text.length, at + longestSpaces)
  let to = at
  while (to < most && isSpace(text.charCodeAt(to))) to++
  return to
}

export const isLineEnd = (unit: number): boolean =>
  (unit >= 0x0a && unit <= 0x0d) || unit === 0x85 || unit === 0x2028 || unit === 0x2029

const columns = (line: string): number => line.replace(/\p{M}/gu, "").length

/**
 * Whether the lines before and after a line end belong to one paragraph of plain text that was wrapped at a width of 50 to 100
 * columns: the line is about that long, ends without punctuation, and the next begins with a letter or a digit.
 */
const isWrapped = (text: string, from: number, to: number): boolean => {
  const least = Math.max(0, from - 256)
  let start = from
  while (start > least && !isLineEnd(text.charCodeAt(start - 1))) start--
  if (start > 0 && start === least) return false
  const line = text.slice(start, from)
  const width = columns(line)
  if (width < 50 || width > 100 || !/[\p{L}\p{M}\p{N},–—-]/u.test(line.slice(-1))) return false
  const next = text.slice(to, to + 4)
  return /^[\p{L}\p{N}("“‘]/u.test(next) && !/^[\p{L}\p{N}]{1,3}[.)]/u.test(next)
}

export type LineEnd = "paragraph" | "line"

/** What kind of line ends the spaces from `from` to `to` hold, if any. */
export const lineEnd = (text: string, from: number, to: number): LineEnd | undefined => {
  const found = text.slice(from, to).match(/\r\n|[\n\r\v\f\x85\u2028\u2029]/g)
  if (found === null) return undefined
  if (found.length > 1 || found.includes("\u2029")) return "paragraph"
  return isWrapped(text, from, to) ? undefined : "line"
}
