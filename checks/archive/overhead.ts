/** What the engine costs: small files with a double, beside the same work without an engine. */
import { run, startScript } from "effect-speech-test-support/processes"
import { bar, median, megabytes, ratio, table, title } from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../support/interleave.js"
import { rate } from "../support/print.js"
import type { Options, Result } from "./bare.js"
import { complete, fresh, recordings, type Settings, startArchive, storeSize } from "./support.js"

const concurrency = 64

interface Figures extends Result {
  readonly bytes: number
}

const bare = async (folder: string, millis: number, store?: string): Promise<Figures> => {
  const options: Options = { folder, out: fresh("out"), concurrency, millis, ...(store !== undefined && { store }) }
  const { request, stop } = await startScript(new URL("bare.js", import.meta.url), [JSON.stringify(options)])
  const result = await request<Result>("work")
  await stop()
  return { ...result, bytes: store === undefined ? 0 : storeSize(store) }
}

/** Runs a folder through an archive, in a process of its own. */
const archived = async (folder: string, millis: number) => {
  const path = fresh("store")
  const out = fresh("out")
  const archive = await startArchive({ store: { path }, speech: { millis }, concurrency })
  const result = await complete(archive, { source: { folder }, out })
  await archive.stop()
  await run("rm", ["-rf", out])
  return { ...result, bytes: storeSize(path) }
}

export const checkOverhead = async ({ quick }: Settings) => {
  const count = quick ? 2_000 : 10_000
  const folder = recordings(count)
  const all = await interleave<Figures>(
    [
      { name: "plain", run: () => bare(folder, 1) },
      { name: "two commits", run: () => bare(folder, 1, fresh("bare")) },
      { name: "archive", run: () => archived(folder, 1) }
    ],
    { rounds: quick ? 1 : 3 }
  )
  const figure = (name: string, field: keyof Figures) => median(resultsOf(all, name).map((each) => each[field]))
  const withoutEngine = figure("two commits", "millis")
  title(`Overhead: ${count} files, calls of 1 ms, ${concurrency} at once`)
  table([
    ["", "files/s", "by two commits", "CPU a file", "bytes of database a file", "memory"],
    ...[
      ["without an engine and a database", "plain"],
      ["without an engine, two commits a file", "two commits"],
      ["archive", "archive"]
    ].map(([label = "", name = ""]) => [
      label,
      rate(count, figure(name, "millis")),
      ratio(withoutEngine, figure(name, "millis")),
      `${(figure(name, "cpuMillis") / count).toFixed(2)} ms`,
      (figure(name, "bytes") / count).toFixed(0),
      megabytes(figure(name, "peak"))
    ])
  ])
  const own = figure("archive", "millis")
  bar("an archive has at least half the rate of two commits", withoutEngine / own >= 0.5, ratio(withoutEngine, own))

  // The heap of a process that allocates much grows in its first 20 seconds, by some 120 MB, and no further.
  if (!quick) {
    const warm = await archived(recordings(3 * count), 1)
    const more = await archived(recordings(10 * count), 1)
    const grown = more.peak - warm.peak
    for (const [files, { millis, peak }] of [
      [3 * count, warm],
      [10 * count, more]
    ] as const)
      console.log(`- ${files} files: ${rate(files, millis)}, ${megabytes(peak)}`)
    bar(`${10 * count} files take no more than 60 MB more than ${3 * count}`, grown < 60e6, megabytes(grown))
  }

  const slow = quick ? 1_280 : 10_000
  const slowFolder = quick ? recordings(slow) : folder
  const ideal = (slow / concurrency) * 100
  const calls = await interleave(
    [
      { name: "plain", run: async () => (await bare(slowFolder, 100)).millis },
      { name: "two commits", run: async () => (await bare(slowFolder, 100, fresh("bare"))).millis },
      {
        name: "archive",
        run: async () => {
          const { listedMillis, millis } = await archived(slowFolder, 100)
          return millis - listedMillis
        }
      }
    ],
    { rounds: quick ? 1 : 3 }
  )
  const share = (name: string) => (ideal / median(resultsOf(calls, name))).toFixed(2)
  console.log(
    `- ${slow} calls of 100 ms, by the ideal: without an engine ${share("plain")}, with two commits ${share("two commits")}`
  )
  bar("calls of 100 ms have at least 0.9 of the ideal rate", Number(share("archive")) >= 0.9, share("archive"))
}
