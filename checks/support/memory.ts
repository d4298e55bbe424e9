/** Memory that must not grow while something is repeated, and what must not be left. */
import { readdirSync } from "node:fs"
import { bar, median, megabytes, ratio } from "effect-speech-test-support/report"

/** The number of files that the local service has in its temporary folder. WAV files are those of the check. */
export const temporaryFiles = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".wav")
  ).length

export const fifths = [1, 2, 3, 4, 5]

/** The median over one of several equal parts of the samples, counted from 1. `undefined` if it has no samples. */
export const medianOfPart = <T>(samples: ReadonlyArray<T>, part: number, parts: number, of: (sample: T) => number) => {
  const at = (number: number) => Math.floor((number * samples.length) / parts)
  const values = samples.slice(at(part - 1), at(part)).map(of)
  return values.length === 0 ? undefined : median(values)
}

/** The bar for memory over time: that of the last part beside that of the second. */
export const barOfFlat = (claim: string, limit: number, second: number, last: number) =>
  bar(claim, last <= limit * second, ratio(last, second))

/** The bar for memory that does not depend on a size. In bytes. */
export const barOfGrowth = (claim: string, limit: number, less: number, more: number) =>
  bar(claim, more - less <= limit, megabytes(more - less))
