/** In UTF-16 units: about 15 seconds of speech. Up to here a text is spoken as one. */
const longest = 250

/** Where a text may be divided, the best places first: after a sentence, after a part of one, between words. */
const places = [/[.!?।॥؟۔…\n][\p{P}]*\s+/gu, /[,;:،؛][\p{P}]*\s+/gu, /\s+/gu]

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** A text in passages that are spoken one after another. */
export const passages = (text: string): ReadonlyArray<string> => {
  const all: Array<string> = []
  let rest = text
  while (rest.length > longest) {
    const length = lengthOfFirst(rest.slice(0, longest))
    all.push(rest.slice(0, length))
    rest = rest.slice(length)
  }
  return rest === "" && all.length > 0 ? all : [...all, rest]
}

const lengthOfFirst = (window: string): number => {
  for (const place of places) {
    const last = [...window.matchAll(place)].at(-1)
    if (last !== undefined) return last.index + last[0].length
  }
  // The last one may go on beyond the window.
  const last = [...characters.segment(window)].at(-1)?.index ?? 0
  return last === 0 ? window.length : last
}
