/**
 * Suggests the word that a misspelt word most likely means. The usual libraries, such as `fastest-levenshtein`, count two letters in
 * the wrong order as two mistakes, so that `--modle` would be too far from `--model`.
 */

/** How many letters to insert, delete, replace or swap with their neighbour to get from one word to the other. */
const editDistance = (from: string, to: string): number => {
  const rows: Array<Array<number>> = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row += 1) {
    const distances = [row]
    rows.push(distances)
    for (let column = 1; column <= to.length; column += 1) {
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      distances.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1),
          isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
  }
  return at(from.length, to.length)
}

const letters = (word: string): string => word.toLowerCase().replace(/^-+/, "")

/** Whether a name begins with the word, is at least half of it, such as `out` of `output`, or has it as a part. */
const isRelated = (word: string, name: string): boolean =>
  name.startsWith(word) ||
  (name.length > 2 && word.startsWith(name) && name.length * 2 >= word.length) ||
  name.split("-").includes(word)

/** Returns one or two candidates that are related. */
export const suggestRelated = (given: string, candidates: ReadonlyArray<string>): string | undefined => {
  const related = candidates.filter((candidate) => isRelated(letters(given), letters(candidate)))
  return related.length === 1 || related.length === 2 ? related.join(" or ") : undefined
}

/**
 * Returns the candidate itself, or one or two that are related, or else the closest one. Allows one wrong letter in three,
 * at least one.
 */
export const suggest = (given: string, candidates: ReadonlyArray<string>): string | undefined => {
  const word = letters(given)
  const same = candidates.find((candidate) => letters(candidate) === word)
  if (same !== undefined) return same
  const related = suggestRelated(word, candidates)
  if (related !== undefined) return related
  const limit = Math.max(1, Math.floor(word.length / 3))
  const [closest] = candidates
    // The distance is at least the difference of the lengths, so a long text is compared with nothing.
    .filter((candidate) => Math.abs(letters(candidate).length - word.length) <= limit)
    .map((candidate) => ({ candidate, distance: editDistance(word, letters(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
  return closest?.candidate
}
