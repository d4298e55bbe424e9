/** What grows: the cost of a call with the number of calls, of hotwords and of segments. */
import { at, measuredBar, median, title, whole } from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../../support/interleave.js"
import { tableOf } from "../../support/print.js"
import { measureInProcess, type Setting, startServer } from "../harness.js"
import type { Cost } from "./measure.js"

const tenths = (value: number) => value.toFixed(1)

/** Measures each size for each client, in turn. The result gives the median of a figure. */
const measureAll = async (
  what: string,
  { quick }: Setting,
  url: string,
  sides: ReadonlyArray<readonly [client: string, size: number]>
) => {
  const all = await interleave(
    sides.map(([client, size]) => ({
      name: `${client}, ${size}`,
      run: () => measureInProcess<Cost>("growth", what, client, url, size)
    })),
    { rounds: quick ? 1 : 3 }
  )
  return (client: string, size: number, figure: keyof Cost) =>
    median(resultsOf(all, `${client}, ${size}`).map((cost) => cost[figure]))
}

/** A bar for a cost that must not grow: at most `limit` times from one size to another. */
const barOfGrowth = (claim: string, limit: number, less: number, more: number) =>
  measuredBar(`${claim}: at most ${limit}x`, more <= limit * less, `${(more / less).toFixed(2)}x`)

export const run = async (setting: Setting) => {
  const server = await startServer()
  await measureCalls(setting, server.url)
  await measureHotwords(setting, server.url)
  await measureSegments(setting, server.url)
  await server.stop()
}

const measureCalls = async (setting: Setting, url: string) => {
  title("Calls under way")
  console.log(
    "Syntheses of 4800 bytes. Memory is that of the heap and of buffers after a garbage collection, while all calls wait for a " +
      "response.\n"
  )
  const sizes = setting.quick ? [64, 1000] : [64, 1000, 10_000]
  // A bare client opens up to two connections for each call, and a system allows a process only so many.
  const ofBare = sizes.filter((size) => size < 10_000)
  const calls = await measureAll("calls", setting, url, [
    ...sizes.map((size) => ["ours", size] as const),
    ...ofBare.map((size) => ["bare", size] as const)
  ])
  const bare = (size: number, figure: keyof Cost) => (ofBare.includes(size) ? calls("bare", size, figure) : Number.NaN)
  const shown = (value: number, show: (value: number) => string) => (Number.isNaN(value) ? "" : show(value))
  tableOf(sizes, {
    "calls under way": whole,
    "CPU each, µs": (size) => whole(calls("ours", size, "cpuMicros")),
    "of bare": (size) => shown(bare(size, "cpuMicros"), whole),
    "memory each, kB": (size) => tenths(calls("ours", size, "memory") / 1000),
    "memory of bare": (size) => shown(bare(size, "memory") / 1000, tenths)
  })
  // Undici looks for a free connection among all of them, and the garbage collector follows what all calls hold.
  const [fewer, most] = setting.quick ? [64, 1000] : [1000, 10_000]
  const ofOurs = (size: number, figure: keyof Cost) => calls("ours", size, figure)
  const cpuClaim = `CPU of a call, ${most} under way to ${fewer}`
  barOfGrowth(cpuClaim, 2, ofOurs(fewer, "cpuMicros"), ofOurs(most, "cpuMicros"))
  barOfGrowth(`memory of a call, ${most} under way to 64`, 1.5, ofOurs(64, "memory"), ofOurs(most, "memory"))
}

const measureHotwords = async (setting: Setting, url: string) => {
  title("Hotwords of a transcription")
  console.log("The CPU of a whole call with a recording of 100 kB.\n")
  const sizes = [1, 100, 1000, 10_000]
  const hotwords = await measureAll(
    "hotwords",
    setting,
    url,
    sizes.map((size) => ["ours", size] as const)
  )
  const cpu = (size: number) => hotwords("ours", size, "cpuMicros")
  const each = (size: number) => (cpu(size) - cpu(1)) / size
  tableOf(sizes, {
    hotwords: whole,
    "CPU of the call, ms": (size) => tenths(cpu(size) / 1000),
    "of each hotword, µs": (size) => (size === 1 ? "" : tenths(each(size)))
  })
  barOfGrowth("CPU of a hotword, 10000 of them to 1000", 1.5, each(1000), each(10_000))
}

const measureSegments = async (setting: Setting, url: string) => {
  title("Segments of a response")
  console.log(
    "From the request to the transcription. Memory is the peak of resident memory above that before, with the result.\n"
  )
  const sizes = setting.quick ? [1000, 10_000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
  const both = sizes.flatMap((size) => [["ours", size] as const, ["JSON.parse", size] as const])
  const segments = await measureAll("segments", setting, url, both)
  const each = (size: number) => segments("ours", size, "cpuMicros") / size
  tableOf(sizes, {
    segments: whole,
    "CPU, ms": (size) => tenths(segments("ours", size, "cpuMicros") / 1000),
    "of `node:http` and `JSON.parse`": (size) => tenths(segments("JSON.parse", size, "cpuMicros") / 1000),
    "each, µs": (size) => tenths(each(size)),
    "memory, MB": (size) => whole(segments("ours", size, "memory") / 1e6),
    "of `JSON.parse`": (size) => whole(segments("JSON.parse", size, "memory") / 1e6)
  })
  const most = at(sizes, sizes.length - 1)
  barOfGrowth(`CPU of a segment, ${most} of them to ${most / 10}`, 1.5, each(most / 10), each(most))
}
