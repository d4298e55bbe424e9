/** What grows: the cost of a call with the number of calls, of hotwords and of segments, and of a journal that is full. */
import { runScript, temporaryFolder } from "effect-speech-test-support/processes"
import { at, bar, median, table, title, whole } from "effect-speech-test-support/report"
import { startService } from "effect-speech-test-support/serviceProcess"
import { interleave, resultsOf } from "../../support/interleave.js"
import { tableOf } from "../../support/print.js"
import { measureInProcess, type Setting, startServer } from "../harness.js"
import type { Job } from "../service/load.js"

interface Cost {
  readonly cpuMicros: number
  /** In bytes. */
  readonly memory: number
}

const tenths = (value: number) => value.toFixed(1)
const inMegabytes = (bytes: number) => whole(bytes / 1e6)

interface Plan extends Setting {
  readonly url: string
  readonly rounds: number
}

/** Measures each size for each client, in turn. The result gives the median of a figure. */
const measureAll = async (
  { rounds, url }: Plan,
  what: string,
  clients: ReadonlyArray<string>,
  sizes: ReadonlyArray<number>,
  takesPart: (client: string, size: number) => boolean = () => true
) => {
  const nameOf = (client: string, size: number) => `${client}, ${size}`
  const sides = sizes.flatMap((size) =>
    clients
      .filter((client) => takesPart(client, size))
      .map((client) => ({
        name: nameOf(client, size),
        run: () => measureInProcess<Cost>("growth", what, client, url, size)
      }))
  )
  const all = await interleave(sides, { rounds })
  return (client: string, size: number, figure: keyof Cost) =>
    median(resultsOf(all, nameOf(client, size)).map((cost) => cost[figure]))
}

/** A bar for a cost that must not grow: at most `limit` times from one size to another. */
const barOfGrowth = (claim: string, limit: number, less: number, more: number) =>
  bar(`${claim}: at most ${limit}x`, more <= limit * less, `${(more / less).toFixed(2)}x`)

export const run = async ({ quick }: Setting) => {
  const server = await startServer()
  const plan = { quick, url: server.url, rounds: quick ? 1 : 3 }
  await measureCalls(plan)
  await measureHotwords(plan)
  await measureSegments(plan)
  await server.stop()
  await measureJournal(quick ? 3 : 10)
}

const measureCalls = async (plan: Plan) => {
  title("Calls under way")
  console.log(
    `Syntheses of 4800 bytes, medians of ${plan.rounds}. Memory is that of the heap and of buffers after a garbage collection, ` +
      "while all calls wait for a response.\n"
  )
  const sizes = plan.quick ? [1, 64, 1000] : [1, 64, 1000, 10_000]
  // A bare client opens up to two connections for each call, and a system allows a process only so many.
  const fits = (client: string, size: number) => client === "ours" || size < 10_000
  const clients = ["ours", "bare"]
  const calls = await measureAll(plan, "calls", clients, sizes, fits)
  table([
    ["calls under way", "CPU each, µs", "of bare", "memory each, kB", "of bare"],
    ...sizes.map((size) => [
      whole(size),
      ...clients.map((client) => (fits(client, size) ? whole(calls(client, size, "cpuMicros")) : "")),
      // That of one call is less than what else changes.
      ...clients.map((client) =>
        size === 1 || !fits(client, size) ? "" : tenths(calls(client, size, "memory") / 1000)
      )
    ])
  ])
  // Undici looks for a free connection among all of them, and the garbage collector follows what all calls hold.
  const [fewer, most] = plan.quick ? [64, 1000] : [1000, 10_000]
  const ofOurs = (size: number, figure: keyof Cost) => calls("ours", size, figure)
  const cpuClaim = `CPU of a call, ${most} under way to ${fewer}`
  barOfGrowth(cpuClaim, 2, ofOurs(fewer, "cpuMicros"), ofOurs(most, "cpuMicros"))
  barOfGrowth(`memory of a call, ${most} under way to 64`, 1.5, ofOurs(64, "memory"), ofOurs(most, "memory"))
}

const measureHotwords = async (plan: Plan) => {
  title("Hotwords of a transcription")
  console.log(`The CPU of a whole call with a recording of 100 kB, medians of ${plan.rounds}.\n`)
  const sizes = [1, 100, 1000, 10_000]
  const hotwords = await measureAll(plan, "hotwords", ["ours"], sizes)
  const cpu = (size: number) => hotwords("ours", size, "cpuMicros")
  const each = (size: number) => (cpu(size) - cpu(1)) / size
  tableOf(sizes, {
    hotwords: whole,
    "CPU of the call, ms": (size) => tenths(cpu(size) / 1000),
    "of each hotword, µs": (size) => (size === 1 ? "" : tenths(each(size)))
  })
  barOfGrowth("CPU of a hotword, 10000 of them to 1000", 1.5, each(1000), each(10_000))
}

const measureSegments = async (plan: Plan) => {
  title("Segments of a response")
  console.log(
    `From the request to the transcription, medians of ${plan.rounds}. Memory is the peak of resident memory above that before, ` +
      "with the result.\n"
  )
  const sizes = plan.quick ? [1000, 10_000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
  const segments = await measureAll(plan, "segments", ["ours", "JSON.parse"], sizes)
  const each = (size: number) => segments("ours", size, "cpuMicros") / size
  tableOf(sizes, {
    segments: whole,
    "CPU, ms": (size) => tenths(segments("ours", size, "cpuMicros") / 1000),
    "of `node:http` and `JSON.parse`": (size) => tenths(segments("JSON.parse", size, "cpuMicros") / 1000),
    "each, µs": (size) => tenths(each(size)),
    "memory, MB": (size) => inMegabytes(segments("ours", size, "memory")),
    "of `JSON.parse`": (size) => inMegabytes(segments("JSON.parse", size, "memory"))
  })
  const most = at(sizes, sizes.length - 1)
  barOfGrowth(`CPU of a segment, ${most} of them to ${most / 10}`, 1.5, each(most / 10), each(most))
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
  const [full, last] = [at(costs, 1), at(costs, costs.length - 1)]
  barOfGrowth("CPU of a request after a full journal", 1.25, full.cpuMicros, last.cpuMicros)
  barOfGrowth("memory after a full journal", 1.25, full.memory, last.memory)
}
