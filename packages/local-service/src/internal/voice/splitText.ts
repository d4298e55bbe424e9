/** A part of a text that is spoken in one go, and how long the voice rests after it at its own rate, in seconds. */
export interface Passage {
  readonly text: string
  readonly pause: number
}

/** In UTF-16 units, about 15 seconds of speech. Up to here a text is one passage. */
const longest = 250

/** Where a text may be divided, the best places first. The pauses are those that espeak-ng makes there itself. */
const places = [
  { what: /[.!?।॥؟۔…\n]\p{P}*\s+/gu, pause: 0.3 },
  { what: /[,;:،؛]\p{P}*\s+/gu, pause: 0.12 },
  { what: /\s+/gu, pause: 0 }
]

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** A text in passages that are spoken one after another. */
export const passages = (text: string): ReadonlyArray<Passage> => {
  const all: Array<Passage> = []
  let rest = text
  while (rest.length > longest) {
    const { length, pause } = endOfFirst(rest.slice(0, longest))
    all.push({ text: rest.slice(0, length), pause })
    rest = rest.slice(length)
  }
  return rest === "" && all.length > 0 ? all : [...all, { text: rest, pause: 0 }]
}

const endOfFirst = (window: string): { readonly length: number; readonly pause: number } => {
  for (const { pause, what } of places) {
    const last = [...window.matchAll(what)].at(-1)
    if (last !== undefined) return { length: last.index + last[0].length, pause }
  }
  // The last character may go on beyond the window.
  const last = [...characters.segment(window)].at(-1)?.index ?? 0
  return { length: last === 0 ? window.length : last, pause: 0 }
}
