/**
 * An alignment of two sequences with the fewest errors: substitutions, deletions and insertions, each of which counts one (Levenshtein).
 *
 * The table of distances is computed 32 rows at a time, from the differences of neighbours, which are -1, 0 or 1: Hyyrö, "A bit-vector
 * algorithm for computing Levenshtein and Damerau edit distances" (2003), after Myers (1999). Where the bits of the table are small
 * enough to keep, the alignment is read from them, as in Hyyrö, "A note on bit-parallel alignment computation" (2004). A larger table
 * is divided at the middle column (Hirschberg, 1975), so that memory grows with the length of the sequences, not with their product.
 */
import type { Steps } from "@effect-speech/common/Cooperative"

/** What happened to a symbol of the reference, or that one was heard which the reference does not have. */
export const same = 0
export const substituted = 1
export const deleted = 2
export const inserted = 3

/** A column of the table: by how much each row is more, or less, than the row above it. A row is a bit, and a block has 32. */
interface Column {
  readonly more: Int32Array
  readonly less: Int32Array
}

/** The bits of a table that is small enough to keep, a column after the other. */
interface Kept {
  /** Rows that are as the row above it in the column before. */
  readonly diagonal: Int32Array
  readonly more: Int32Array
}

/** In blocks, each with 8 bytes: 4 MiB. */
const largestTable = 2 ** 19

/** Blocks between two steps: less than a millisecond. */
const blocksOfStep = 2 ** 15

const firstColumn = (rows: number): Column => {
  const blocks = Math.ceil(rows / 32)
  return { more: new Int32Array(blocks).fill(-1), less: new Int32Array(blocks) }
}

const placesOf = (rows: Int32Array): ReadonlyMap<number, ReadonlyArray<number>> => {
  const places = new Map<number, Array<number>>()
  for (const [row, symbol] of rows.entries()) {
    const all = places.get(symbol)
    if (all === undefined) places.set(symbol, [row])
    else all.push(row)
  }
  return places
}

/**
 * Which rows have a symbol, as bits. The result of a rare symbol is valid until the next call: a block for each symbol and 32 rows would
 * take more memory than the table.
 */
const masksOf = (rows: Int32Array): ((symbol: number) => Int32Array) => {
  const blocks = Math.ceil(rows.length / 32)
  const places = placesOf(rows)
  const isFrequent = (all: ReadonlyArray<number>) => all.length * 8 > blocks
  const frequent = new Map<number, Int32Array>()
  const scratch = new Int32Array(blocks)
  let written: ReadonlyArray<number> = []
  const write = (mask: Int32Array, all: ReadonlyArray<number>) => {
    for (const row of all) mask[row >> 5] = (mask[row >> 5] as number) | (1 << (row & 31))
    return mask
  }
  for (const [symbol, all] of places) {
    if (isFrequent(all)) frequent.set(symbol, write(new Int32Array(blocks), all))
  }
  return (symbol) => {
    const mask = frequent.get(symbol)
    if (mask !== undefined) return mask
    for (const row of written) scratch[row >> 5] = 0
    written = places.get(symbol) ?? []
    return write(scratch, written)
  }
}

/** Computes the next column of the table from the last one. */
const advance = ({ less, more }: Column, equal: Int32Array, kept: Kept | undefined, at: number): void => {
  // The row above the table grows by one with each column.
  let carriesMore = 1
  let carriesLess = 0
  for (let block = 0; block < more.length; block++) {
    const above = more[block] as number
    const below = less[block] as number
    const matches = (equal[block] as number) | carriesLess
    const diagonal = (((matches & above) + above) ^ above) | matches | below
    const right = below | ~(diagonal | above)
    const left = above & diagonal
    const rightAbove = (right << 1) | carriesMore
    const leftAbove = (left << 1) | carriesLess
    carriesMore = right >>> 31
    carriesLess = left >>> 31
    const next = leftAbove | ~(diagonal | rightAbove)
    more[block] = next
    less[block] = rightAbove & diagonal
    if (kept !== undefined) {
      kept.diagonal[at + block] = diagonal
      kept.more[at + block] = next
    }
  }
}

function* lastColumn(rows: Int32Array, columns: Int32Array, kept?: Kept): Steps<Column> {
  const column = firstColumn(rows.length)
  const masks = masksOf(rows)
  const blocks = column.more.length
  let done = 0
  for (let index = 0; index < columns.length; index++) {
    advance(column, masks(columns[index] as number), kept, index * blocks)
    done += blocks
    if (done >= blocksOfStep) {
      done = 0
      yield
    }
  }
  return column
}

const isSet = (bits: Int32Array, from: number, row: number): boolean =>
  (((bits[from + (row >> 5)] as number) >>> (row & 31)) & 1) === 1

/** Reads an alignment backwards from a table that is kept. A substitution goes before a deletion, and that before an insertion. */
function* readTable(rows: Int32Array, columns: Int32Array): Steps<ReadonlyArray<number>> {
  const blocks = Math.ceil(rows.length / 32)
  const kept = { diagonal: new Int32Array(blocks * columns.length), more: new Int32Array(blocks * columns.length) }
  yield* lastColumn(rows, columns, kept)
  const backwards: Array<number> = []
  let row = rows.length - 1
  let column = columns.length - 1
  while (row >= 0 && column >= 0) {
    const isSame = rows[row] === columns[column]
    const at = column * blocks
    if (isSame || !isSet(kept.diagonal, at, row)) {
      backwards.push(isSame ? same : substituted)
      row--
      column--
    } else if (isSet(kept.more, at, row)) {
      backwards.push(deleted)
      row--
    } else {
      backwards.push(inserted)
      column--
    }
  }
  for (; row >= 0; row--) backwards.push(deleted)
  for (; column >= 0; column--) backwards.push(inserted)
  return backwards.reverse()
}

/** The distance of each beginning of the rows from all columns. */
const distancesOf = ({ less, more }: Column, rows: number, columns: number): Int32Array => {
  const distances = new Int32Array(rows + 1)
  distances[0] = columns
  for (let row = 0; row < rows; row++) {
    distances[row + 1] = (distances[row] as number) + Number(isSet(more, 0, row)) - Number(isSet(less, 0, row))
  }
  return distances
}

const reversed = (symbols: Int32Array): Int32Array => symbols.slice().reverse()

/** How many rows belong to the columns before the middle one. */
function* divide(rows: Int32Array, columns: Int32Array, middle: number): Steps<number> {
  const left = columns.subarray(0, middle)
  const right = columns.subarray(middle)
  const before = distancesOf(yield* lastColumn(rows, left), rows.length, left.length)
  const after = distancesOf(yield* lastColumn(reversed(rows), reversed(right)), rows.length, right.length)
  const sum = (row: number) => (before[row] as number) + (after[rows.length - row] as number)
  let best = 0
  for (let row = 1; row <= rows.length; row++) if (sum(row) < sum(best)) best = row
  return best
}

const lengthOfSame = (reference: Int32Array, heard: Int32Array): number => {
  const end = Math.min(reference.length, heard.length)
  let length = 0
  while (length < end && reference[length] === heard[length]) length++
  return length
}

/** The steps of an alignment from the beginning to the end, such as {@link same}. It is one of those with the fewest errors. */
export function* align(reference: Int32Array, heard: Int32Array): Steps<Array<number>> {
  const steps: Array<number> = []
  const add = (step: number, count: number) => {
    for (let index = 0; index < count; index++) steps.push(step)
  }
  function* alignPart(rows: Int32Array, columns: Int32Array): Steps<void> {
    const first = lengthOfSame(rows, columns)
    add(same, first)
    const last = lengthOfSame(reversed(rows.subarray(first)), reversed(columns.subarray(first)))
    yield* alignDifferent(rows.subarray(first, rows.length - last), columns.subarray(first, columns.length - last))
    add(same, last)
  }
  function* alignDifferent(rows: Int32Array, columns: Int32Array): Steps<void> {
    if (rows.length === 0) return add(inserted, columns.length)
    if (columns.length === 0) return add(deleted, rows.length)
    if (columns.length === 1 || Math.ceil(rows.length / 32) * columns.length <= largestTable) {
      for (const step of yield* readTable(rows, columns)) steps.push(step)
      return
    }
    const middle = columns.length >> 1
    const row = yield* divide(rows, columns, middle)
    yield* alignPart(rows.subarray(0, row), columns.subarray(0, middle))
    yield* alignPart(rows.subarray(row), columns.subarray(middle))
  }
  yield* alignPart(reference, heard)
  return steps
}
