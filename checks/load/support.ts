import { readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { median } from "../../test/support/report.js"

/** The number of files that the local service has in its temporary folder. WAV files are those of the check. */
export const temporaryFiles = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".wav")
  ).length

/** Waits until a condition holds, but at most for the given time: what is left after a call ends a moment later. */
export const waitUntil = async (isMet: () => boolean | Promise<boolean>, timeoutMillis = 2000) => {
  const end = Date.now() + timeoutMillis
  while (!(await isMet()) && Date.now() < end) await sleep(20)
}

/** The median over one of several equal parts of the samples, counted from 1. `undefined` if it has no samples. */
export const medianOfPart = <T>(samples: ReadonlyArray<T>, part: number, parts: number, of: (sample: T) => number) => {
  const at = (number: number) => Math.floor((number * samples.length) / parts)
  const values = samples.slice(at(part - 1), at(part)).map(of)
  return values.length === 0 ? undefined : median(values)
}
