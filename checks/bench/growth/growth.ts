/** What grows: the cost of a call with the number of calls, of hotwords and of segments, and of a journal that is full. */
import { runScript, temporaryFolder } from "../../../test/support/processes.js"
import { at, bar, median, table, title, whole } from "../../../test/support/report.js"
import { startService } from "../../../test/support/serviceProcess.js"
import { interleave, resultsOf } from "../../support/interleave.js"
import { measureInProcess, type Setting, startServer } from "../harness.js"
import type { Job } from "../service/load.js"

interface Cost {
  readonly cpuMicros: number
  /** In bytes. */
  readonly memory: number
}

const tenths = (value: number) => value.toFixed(1)
const kilobytes = (bytes: number) => tenths(bytes / 1000)
const inMegabytes = (bytes: number) => whole(bytes / 1e6)

/** Measures each size for each side, in turn. The result gives the median of a figure. */
const measureAll = async (
  sizes: ReadonlyArray<number>,
  names: ReadonlyArray<string>,
  rounds: number,
  run: (name: string, size: number) => Promise<Cost>,
  takesPart: (name: string, size: number) => boolean = () => true
) => {
  const nameOf = (name: string, size: number) => `${name}, ${size}`
  const sides = sizes.flatMap((size) =>
    names
      .filter((name) => takesPart(name, size))
      .map((name) => ({ name: nameOf(name, size), run: () => run(name, size) }))
  )
  const all = await interleave(sides, { rounds })
  return (name: string, size: number, figure: keyof Cost) =>
    median(resultsOf(all, nameOf(name, size)).map((cost) => cost[figure]))
}

/** A bar for a cost that must not grow: at most `limit` times from one size to another. */
const barOfGrowth = (claim: string, limit: number, less: number, more: number) =>
  bar(`${claim}: at most ${limit}x`, more <= limit * less, `${(more / less).toFixed(2)}x`)

export const run = async ({ quick }: Setting) => {
  const rounds = quick ? 1 : 3
  const server = await startServer()

  title("Calls under way")
  console.log(
    `Syntheses of 4800 bytes, medians of ${rounds}. Memory is that of the heap and of buffers after a garbage collection, while ` +
      "all calls wait for a response.\n"
  )
  const callSizes = quick ? [1, 64, 1000] : [1, 64, 1000, 10_000]
  // A bare client opens up to two connections for each call, and a system allows a process only so many.
  const fits = (name: string, size: number) => name === "ours" || size < 10_000
  const calls = await measureAll(
    callSizes,
    ["ours", "bare"],
    rounds,
    (name, size) => measureInProcess<Cost>("growth", "calls", name, server.url, size),
    fits
  )
  table([
    ["calls under way", "CPU each, µs", "of bare", "memory each, kB", "of bare"],
    ...callSizes.map((size) => [
      whole(size),
      ...["ours", "bare"].map((name) => (fits(name, size) ? whole(calls(name, size, "cpuMicros")) : "")),
      // That of one call is less than what else changes.
      ...["ours", "bare"].map((name) => (size === 1 || !fits(name, size) ? "" : kilobytes(calls(name, size, "memory"))))
    ])
  ])
  const mostCalls = callSizes.at(-1) ?? 0
  // Undici looks for a free connection among all of them, and the garbage collector follows what all calls hold.
  const fewerCalls = quick ? 64 : 1000
  barOfGrowth(
    `CPU of a call, ${mostCalls} under way to ${fewerCalls}`,
    2,
    calls("ours", fewerCalls, "cpuMicros"),
    calls("ours", mostCalls, "cpuMicros")
  )
  barOfGrowth(
    `memory of a call, ${mostCalls} under way to 64`,
    1.5,
    calls("ours", 64, "memory"),
    calls("ours", mostCalls, "memory")
  )

  title("Hotwords of a transcription")
  console.log(`The CPU of a whole call with a recording of 100 kB, medians of ${rounds}.\n`)
  const hotwordSizes = [1, 100, 1000, 10_000]
  const hotwords = await measureAll(hotwordSizes, ["ours"], rounds, (_, size) =>
    measureInProcess<Cost>("growth", "hotwords", server.url, size)
  )
  const ofHotwords = (size: number) => hotwords("ours", size, "cpuMicros")
  const each = (size: number) => (ofHotwords(size) - ofHotwords(1)) / size
  table([
    ["hotwords", "CPU of the call, ms", "of each hotword, µs"],
    ...hotwordSizes.map((size) => [whole(size), tenths(ofHotwords(size) / 1000), size === 1 ? "" : tenths(each(size))])
  ])
  barOfGrowth("CPU of a hotword, 10000 of them to 1000", 1.5, each(1000), each(10_000))

  title("Segments of a response")
  console.log(
    `From the request to the transcription, medians of ${rounds}. Memory is the peak of resident memory above that before, with ` +
      "the result.\n"
  )
  const segmentSizes = quick ? [1000, 10_000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
  const readers = ["ours", "JSON.parse"]
  const segments = await measureAll(segmentSizes, readers, rounds, (name, size) =>
    measureInProcess<Cost>("growth", "segments", name, server.url, size)
  )
  table([
    ["segments", "CPU, ms", "of `node:http` and `JSON.parse`", "each, µs", "memory, MB", "of `JSON.parse`"],
    ...segmentSizes.map((size) => [
      whole(size),
      ...readers.map((name) => tenths(segments(name, size, "cpuMicros") / 1000)),
      tenths(segments("ours", size, "cpuMicros") / size),
      ...readers.map((name) => inMegabytes(segments(name, size, "memory")))
    ])
  ])
  const mostSegments = segmentSizes.at(-1) ?? 0
  barOfGrowth(
    `CPU of a segment, ${mostSegments} of them to ${mostSegments / 10}`,
    1.5,
    segments("ours", mostSegments / 10, "cpuMicros") / (mostSegments / 10),
    segments("ours", mostSegments, "cpuMicros") / mostSegments
  )
  await server.stop()

  await measureJournal(quick ? 3 : 10)
}

const measureJournal = async (thousands: number) => {
  title("The journal of the local service")
  console.log("It keeps the latest 1000 requests. Syntheses of a second, 64 at a time; CPU is that of the service.\n")
  const service = await startService(
    { cannedSeconds: 1, knownSeconds: 100, credits: 1e12 },
    { temporary: temporaryFolder("bench-") }
  )
  const count = 1000
  const job: Job = {
    url: `${service.ttsBaseUrl}/tts/bytes`,
    headers: { "x-api-key": service.apiKey ?? "", "content-type": "application/json" },
    body: Buffer.from(
      JSON.stringify({ text: "The meeting is at ten.", lang: "en", output_format: "8000:pcm16" })
    ).toString("base64"),
    byteLength: 16_000,
    ...{ concurrency: 64, warmup: 0, count }
  }
  const costs: Array<Cost> = []
  for (let thousand = 0; thousand < thousands; thousand++) {
    const { cpuMicros } = await service.sample()
    await runScript(new URL("../service/load.js", import.meta.url), [JSON.stringify(job)])
    const after = await service.sampleCollected()
    costs.push({ cpuMicros: (after.cpuMicros - cpuMicros) / count, memory: after.held })
  }
  await service.stop()
  table([
    ["requests so far", "CPU of each, µs", "memory in use, MB"],
    ...costs.map(({ cpuMicros, memory }, index) => [whole((index + 1) * count), whole(cpuMicros), inMegabytes(memory)])
  ])
  // The first thousand warms up the process and fills the journal.
  barOfGrowth(
    "CPU of a request after a full journal",
    1.25,
    at(costs, 1).cpuMicros,
    at(costs, costs.length - 1).cpuMicros
  )
  barOfGrowth("memory after a full journal", 1.25, at(costs, 1).memory, at(costs, costs.length - 1).memory)
}
