/** Very many files: the time, the memory and the size of the store. */
import { rmSync } from "node:fs"
import { bar, megabytes, title } from "effect-speech-test-support/report"
import { barOfGrowth } from "../support/memory.js"
import { rate, seconds, tableOf } from "../support/print.js"
import { fresh, type Settings, startArchive, storeSize } from "./support.js"

/** Lists so many files, which are not read: the limit suspends the run before its first call. */
const listed = async (count: number) => {
  const path = fresh("store")
  const archive = await startArchive({ store: { path }, speech: { millis: 0 }, concurrency: 8 })
  const { id, millis, peak } = await archive.start({
    source: { items: count, root: "/recordings" },
    out: fresh("out"),
    limits: { maxFiles: 0 }
  })
  const suspended = await archive.await(id)
  const { counts, millis: statusMillis } = await archive.status(id)
  await archive.stop()
  const bytes = storeSize(path)
  rmSync(path)
  return { count, millis, statusMillis, peak: Math.max(peak, suspended.peak), bytes, pending: counts.pending }
}

export const checkList = async ({ quick }: Settings) => {
  title("Listed")
  const results = []
  for (const count of quick ? [10_000, 100_000] : [100_000, 1_000_000]) {
    results.push(await listed(count))
    console.error(`${count} files listed`)
  }
  tableOf(results, {
    files: ({ count }) => count,
    time: ({ millis }) => seconds(millis),
    "files/s": ({ count, millis }) => rate(count, millis),
    status: ({ statusMillis }) => seconds(statusMillis),
    "bytes a file": ({ bytes, count }) => (bytes / count).toFixed(0),
    memory: ({ peak }) => megabytes(peak)
  })
  const [less, more] = results
  barOfGrowth("ten times the files take no more than 60 MB more", 60e6, less?.peak ?? 0, more?.peak ?? 0)
  bar(
    "each file is listed",
    results.every(({ count, pending }) => pending === count),
    `${more?.pending}`
  )
}
