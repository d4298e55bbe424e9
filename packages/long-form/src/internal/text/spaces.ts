/** The spaces at which a text may be cut. A no-break space is none. */
export const isSpace = (unit: string | undefined): boolean =>
  unit !== undefined && /[\t-\r \x85\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/.test(unit)

/** A run of spaces longer than this is read in parts. */
const longest = 256

/** The beginning of the spaces that end at a place. */
export const spacesBefore = (text: string, at: number): number => {
  let from = at
  while (from > 0 && at - from < longest && isSpace(text[from - 1])) from--
  return from
}

/** The end of the spaces that begin at a place. */
export const spacesAfter = (text: string, at: number): number => {
  let to = at
  while (to - at < longest && isSpace(text[to])) to++
  return to
}

/** Number of line ends in a run of spaces. A paragraph separator (U+2029) counts as two. */
export const lineEnds = (spaces: string): number =>
  (spaces.match(/\r\n|[\n\r\v\f\x85\u2028]/g) ?? []).length + 2 * (spaces.match(/\u2029/g) ?? []).length
