/** Finds the best place to cut a text near a limit. */
import type { Boundary } from "./boundary.js"
import { endOfCluster, isBoundary, lastBoundary } from "./clusters.js"
import { endsSentence, terminators } from "./sentenceEnds.js"
import { isSpace, lineEnds, spacesAfter, spacesBefore } from "./spaces.js"

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** The offset after a number of code points, or the end of the text. */
export const offsetOf = (text: string, from: number, codePoints: number): number => {
  let at = from
  for (let left = codePoints; left > 0 && at < text.length; left--) {
    at += isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1
  }
  return at
}

export const codePointsOf = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

const clauseMarks = ",;:،؛、，；：–—"

/** The boundary at a place that spaces surround, or that follows a mark; `undefined` if there is none. */
export const boundaryAt = (text: string, at: number, lang: string | undefined): Boundary | undefined => {
  const from = spacesBefore(text, at)
  const to = spacesAfter(text, at)
  const lines = lineEnds(text.slice(from, to))
  if (lines > 1) return "paragraph"
  if (lines > 0) return "line"
  if (endsSentence(text, from, lang)) return "sentence"
  const before = text[from - 1] ?? ""
  if (clauseMarks.includes(before) && (from < to || before > "\u05ff")) return "clause"
  return from < to ? "word" : undefined
}

const isMark = (unit: string | undefined): boolean =>
  (unit !== undefined && /["'\p{Pe}\p{Pf}]/u.test(unit)) || `${terminators}${clauseMarks}`.includes(unit ?? " ")

const noBreak = /[\xa0\u202f\u2007\u2060\ufeff]/

/** What may belong to the cluster before it. */
const extending = /[^\0-\xff\p{L}]/u

const order: ReadonlyArray<Boundary> = ["line", "sentence", "clause", "word"]

interface Cut {
  readonly at: number
  readonly boundary: Boundary
}

/** The best place after `from`, at most at `limit`: the first end of a paragraph, else the last of the best boundary. */
const best = (text: string, start: number, from: number, limit: number, lang: string | undefined): Cut | undefined => {
  const found = new Map<Boundary, number>()
  for (let at = from + 1; at <= limit; at++) {
    const open = isSpace(text[at - 1]) ? at === limit || !isSpace(text[at]) : isMark(text[at - 1])
    if (!open || noBreak.test(text[at] ?? "") || (extending.test(text[at] ?? "") && !isBoundary(text, start, at)))
      continue
    const boundary = boundaryAt(text, at, lang)
    if (boundary === "paragraph") return { at, boundary }
    if (boundary !== undefined) found.set(boundary, at)
  }
  for (const boundary of order) {
    const at = found.get(boundary)
    if (at !== undefined) return { at, boundary }
  }
  return undefined
}

/** The end of the piece that begins at `start`. */
export const cut = (text: string, start: number, budget: number, maximum: number, lang: string | undefined): Cut => {
  const limit = offsetOf(text, start, budget)
  if (limit === text.length) return { at: limit, boundary: "end" }
  const half = offsetOf(text, start, Math.floor(budget / 2))
  const found = best(text, start, half, limit, lang) ?? best(text, start, start, half, lang)
  if (found !== undefined) return found
  const at = lastBoundary(text, start, limit)
  return { at: at > start ? at : endOfCluster(text, start, offsetOf(text, start, maximum)), boundary: "cluster" }
}
