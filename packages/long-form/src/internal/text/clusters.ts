/** The places between two code points at which a reader sees a new character begin. */
import { segmentsOf } from "./segments.js"
import { joiningViramas, tamilVirama } from "./viramas.js"

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const viramas = new Set(`${joiningViramas}${tamilVirama}`)

const isLetter = (unit: string | undefined): boolean => unit !== undefined && /\p{L}/u.test(unit)

/**
 * Whether a virama joins the letters on both sides of a place into a conjunct. ICU knows this from version 74 on, and not for
 * all scripts (Unicode 15.1, UAX #29, rule GB9c: neither Gurmukhi, Kannada nor Tamil). In Tamil only க்ஷ and ஸ்ரீ are joined.
 */
const isJoined = (text: string, at: number): boolean => {
  const virama = text[at - 1] === "\u200d" ? at - 2 : at - 1
  const sign = text[virama] ?? ""
  if (!viramas.has(sign) || !isLetter(text[at])) return false
  if (sign === tamilVirama) return /^(?:க்\u200d?ஷ|[ஸஶ]்\u200d?ரீ)/.test(text.slice(virama - 1, at + 2))
  return sign.charCodeAt(0) >> 7 === text.charCodeAt(at) >> 7
}

/** The last boundary of a cluster after `start`, at most at `limit`. It is `start` if the first cluster goes beyond the limit. */
export const lastBoundary = (text: string, start: number, limit: number): number => {
  if (limit >= text.length) return text.length
  const window = text.slice(start, limit + 2)
  const clusters = graphemes.segment(window)
  let at = limit - start
  while (at > 0) {
    const { index = 0 } = clusters.containing(at) ?? {}
    if (index < at) at = index
    else if (isJoined(window, at)) at--
    else break
  }
  return start + at
}

/** Whether a cluster ends at a place. `start` is an earlier boundary. */
export const isBoundary = (text: string, start: number, at: number): boolean => lastBoundary(text, start, at) === at

/** The end of the cluster at `start`, at most at `limit`. */
export const endOfCluster = (text: string, start: number, limit: number): number => {
  const window = text.slice(start, limit + 2)
  for (const { index } of graphemes.segment(window)) {
    if (index === 0 || isJoined(window, index)) continue
    return Math.min(limit, start + index)
  }
  return limit
}

/** The clusters of a word. */
export function* clustersOf(word: string): Generator<string, void> {
  let cluster = ""
  let at = 0
  for (const { segment } of segmentsOf(graphemes, word)) {
    if (at > 0 && !isJoined(word, at)) {
      yield cluster
      cluster = ""
    }
    cluster += segment
    at += segment.length
  }
  if (cluster !== "") yield cluster
}
