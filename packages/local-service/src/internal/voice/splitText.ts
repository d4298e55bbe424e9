/** A part of a text that the engine speaks at once. */
export interface Segment {
  readonly text: string
  /** Silence after the segment, in seconds at speed 1. */
  readonly pause: number
}

/** In UTF-16 units: about 15 seconds of speech. A text up to this length is one segment. */
const longestSegment = 250

/** Where a text may be split, the best boundaries first. The pauses are espeak-ng's own. */
const boundaries = [
  { pattern: /[.!?।॥؟۔…\n]\p{P}*\s+/gu, pause: 0.3 },
  { pattern: /[,;:،؛]\p{P}*\s+/gu, pause: 0.12 },
  { pattern: /\s+/gu, pause: 0 }
]

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Splits a text after sentences, otherwise after clauses, otherwise between words or characters. */
export const splitText = (text: string): ReadonlyArray<Segment> => {
  const segments: Array<Segment> = []
  let rest = text
  while (rest.length > longestSegment) {
    const { length, pause } = firstSplit(rest.slice(0, longestSegment))
    segments.push({ text: rest.slice(0, length), pause })
    rest = rest.slice(length)
  }
  return rest === "" && segments.length > 0 ? segments : [...segments, { text: rest, pause: 0 }]
}

const firstSplit = (window: string): { readonly length: number; readonly pause: number } => {
  for (const { pattern, pause } of boundaries) {
    const last = [...window.matchAll(pattern)].at(-1)
    if (last !== undefined) return { length: last.index + last[0].length, pause }
  }
  // The last character may continue after the window.
  const last = [...characters.segment(window)].at(-1)?.index ?? 0
  return { length: last === 0 ? window.length : last, pause: 0 }
}
