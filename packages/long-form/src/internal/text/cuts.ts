/** Finds the best place to cut a text near a limit. */

import { closers, terminators } from "./around.js"
import type { Boundary } from "./boundary.js"
import { endOfCluster, lastBoundary } from "./clusters.js"
import { endsClause, endsSentence } from "./sentenceEnds.js"
import { isSpace, lineEnd, noBreak, spaceClass, spacesAfter, spacesBefore } from "./spaces.js"

/** The offset after a number of code points, or the end of the text. */
export const offsetOf = (text: string, from: number, codePoints: number): number => {
  let at = from
  for (let left = codePoints; left > 0 && at < text.length; left--) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  return at
}

export const codePointsOf = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

const lineEndAt = (text: string, at: number) =>
  isSpace(text.charCodeAt(at - 1)) ? lineEnd(text, spacesBefore(text, at), spacesAfter(text, at)) : undefined

const sentenceAt = (text: string, at: number, lang: string | undefined): boolean =>
  endsSentence(text, spacesBefore(text, at), lang)

/** The boundary at a place where a piece may end. */
export const boundaryAt = (text: string, at: number, lang: string | undefined): Boundary =>
  lineEndAt(text, at) ?? (sentenceAt(text, at, lang) ? "sentence" : endsClause(text, at) ? "clause" : "word")

/** Where a piece may end: after spaces, and after marks that need none. */
const opportunity = new RegExp(
  `[${spaceClass}]+|[${terminators}،؛、，；：—]${closers}(?![${spaceClass}${terminators}])`,
  "gu"
)

/** Code points that belong to the cluster before them, and spaces that keep two words together. */
const goesOn = new RegExp(`^[\\p{M}\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200d${noBreak}]`, "u")

/** The places after `from`, at most at `limit`, where a piece may end. */
const placesIn = (text: string, from: number, limit: number, lang: string | undefined): ReadonlyArray<number> => {
  const window = text.slice(from, limit + 2)
  const found: Array<number> = []
  for (const match of window.matchAll(opportunity)) {
    if (from + match.index >= limit) break
    const end = from + match.index + match[0].length
    const spaces = isSpace(match[0].charCodeAt(0))
    let at = Math.min(end, limit)
    if (end > limit && !spaces) continue
    if (text[at - 1] === "\r" && text[at] === "\n") at--
    if (at <= from || at === found.at(-1) || goesOn.test(text.slice(at, at + 2))) continue
    if (!spaces && !sentenceAt(text, at, lang) && !endsClause(text, at)) continue
    found.push(at)
  }
  return found
}

interface Cut {
  readonly at: number
  readonly boundary: Boundary
}

/** The first end of a paragraph, else the last of the best boundary. */
const best = (text: string, places: ReadonlyArray<number>, lang: string | undefined): Cut | undefined => {
  const lines = places.map((at) => lineEndAt(text, at))
  const paragraph = lines.indexOf("paragraph")
  if (paragraph >= 0) return { at: places[paragraph] ?? 0, boundary: "paragraph" }
  const line = lines.lastIndexOf("line")
  if (line >= 0) return { at: places[line] ?? 0, boundary: "line" }
  const sentence = places.findLast((at) => sentenceAt(text, at, lang))
  if (sentence !== undefined) return { at: sentence, boundary: "sentence" }
  const clause = places.findLast((at) => endsClause(text, at))
  if (clause !== undefined) return { at: clause, boundary: "clause" }
  const word = places.at(-1)
  return word === undefined ? undefined : { at: word, boundary: "word" }
}

/**
 * The end of the piece that begins at `start` and has at most `budget` code points. A cluster that exceeds the budget is kept
 * whole, unless it exceeds `maximum` too.
 */
export const cut = (text: string, start: number, budget: number, maximum: number, lang: string | undefined): Cut => {
  const half = offsetOf(text, start, Math.floor(budget / 2))
  const limit = offsetOf(text, half, Math.ceil(budget / 2))
  if (limit === text.length) return { at: limit, boundary: "end" }
  const found = best(text, placesIn(text, half, limit, lang), lang)
  if (found !== undefined) return found
  const earlier = placesIn(text, start, half, lang).at(-1)
  if (earlier !== undefined) return { at: earlier, boundary: boundaryAt(text, earlier, lang) }
  const at = lastBoundary(text, start, limit)
  if (at > start) return { at, boundary: "cluster" }
  const end = endOfCluster(text, start, offsetOf(text, start, maximum))
  return { at: end, boundary: end === text.length ? "end" : "cluster" }
}
