/** A local service and its clients as two processes, from the built packages: what they take, keep and leave behind. */
import { startScript, temporaryFolder } from "effect-speech-test-support/processes"
import { megabytes, title } from "effect-speech-test-support/report"
import { type Sample, startService } from "effect-speech-test-support/serviceProcess"
import { barOfFlat, fifths, medianOfPart, temporaryFiles } from "../support/memory.js"
import { barAtMost, tableOf } from "../support/print.js"
import { until, untilIdle } from "../support/until.js"
import type { Result, Setting, Task } from "./client.js"

export const temporary = temporaryFolder("check-load-")
const files = () => temporaryFiles(temporary)

/** Starts a pair. With a canned voice the service remembers so few recordings that a warm-up fills it. */
export const startPair = async ({
  canned = true,
  ...setting
}: { readonly canned?: boolean } & Omit<Setting, "service"> = {}) => {
  const service = await startService(
    {
      ...(canned && { cannedByText: true, knownSeconds: 120 }),
      ...{ credits: 1e12, maximumUploadBytes: 2 ** 32, maximumRecording: "1000000 seconds" }
    },
    { temporary }
  )
  const script = new URL("client.js", import.meta.url)
  const client = await startScript(script, [JSON.stringify({ ...setting, service } satisfies Setting)])
  return {
    service,
    client,
    stop: async () => {
      await client.stop()
      await service.stop()
    }
  }
}
export type Pair = Awaited<ReturnType<typeof startPair>>

export interface Case {
  readonly label: string
  readonly warmUp?: Task
  readonly task: Task
}

export interface Row extends Result {
  readonly label: string
  readonly service: { readonly before: Sample; readonly after: Sample }
  readonly seconds: number
}

export const measure = async ({ client, service }: Pair, { label, task, warmUp }: Case): Promise<Row> => {
  console.error(label)
  if (warmUp !== undefined) await client.request(warmUp)
  // The service learns after its last response.
  const serviceIsIdle = () => untilIdle(async () => (await service.sample()).cpuMicros)
  await serviceIsIdle()
  await service.sampleCollected()
  const before = await service.resetPeak()
  const start = performance.now()
  const result = await client.request<Result>(task)
  const seconds = (performance.now() - start) / 1000
  const { peak } = await service.sample()
  // The journal has files of the requests. `isFree` counts files, so they are removed first.
  await service.platform("DELETE", "requests")
  // After an upload of 2 GB the service needs some seconds.
  const isFree = async () => {
    const now = await service.sample()
    return files() === 0 && now.fibers <= before.fibers && now.descriptors <= before.descriptors
  }
  await until(isFree, { seconds: 15 })
  await serviceIsIdle()
  return { ...result, label, seconds, service: { before, after: { ...(await service.sampleCollected()), peak } } }
}

const rssOfFifth = ({ after, samples }: Row, number: number) =>
  medianOfPart(samples, number, 5, ({ rss }) => rss) ?? after.rss
const aboveIdle = ({ before, peak }: Row) => Math.max(0, peak - before.rss)
const serviceAboveIdle = ({ service }: Row) => Math.max(0, service.after.peak - service.before.rss)
const highest = (rows: ReadonlyArray<Row>, of: (row: Row) => number) => Math.max(...rows.map(of))
const tenths = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const held = (before: { held: number }, after: { held: number }) =>
  `${(before.held / 1e6).toFixed(1)}, ${tenths(after.held)}`

export const print = (heading: string, rows: ReadonlyArray<Row>) => {
  title(heading)
  tableOf(rows, {
    client: ({ label }) => label,
    seconds: ({ seconds }) => seconds.toFixed(0),
    idle: ({ before }) => megabytes(before.rss),
    "peak above": (row) => megabytes(aboveIdle(row)),
    "median of each fifth": (row) => fifths.map((number) => megabytes(rssOfFifth(row, number))).join(", "),
    "held, begin and end": ({ after, before }) => held(before, after),
    "service, idle": ({ service }) => megabytes(service.before.rss),
    "its peak above": (row) => megabytes(serviceAboveIdle(row)),
    "its held": ({ service }) => held(service.before, service.after)
  })
}

export const checkPeak = (rows: ReadonlyArray<Row>, limit: number) => {
  const claim = `${rows.map(({ label }) => label).join("; ")}: the client takes at most ${megabytes(limit)} above idle`
  barAtMost(claim, highest(rows, aboveIdle), limit, megabytes)
}

export const checkServicePeak = (rows: ReadonlyArray<Row>, limit: number) =>
  barAtMost(
    `the service takes at most ${megabytes(limit)} above idle`,
    highest(rows, serviceAboveIdle),
    limit,
    megabytes
  )

export const checkFlat = (rows: ReadonlyArray<Row>, limit: number) => {
  for (const row of rows) {
    // The system may take memory back while the process waits, so idle memory is the least that counts.
    const second = Math.max(row.before.rss, rssOfFifth(row, 2))
    barOfFlat(
      `${row.label}: the last fifth takes at most ${limit}x the memory of the second`,
      limit,
      second,
      rssOfFifth(row, 5)
    )
  }
}

/** At most so many bytes more than before are held when all calls are over. */
export const checkKept = (rows: ReadonlyArray<Row>, limit: number, side: "client" | "service") => {
  const most = highest(rows, (row) => {
    const { after, before } = side === "client" ? row : row.service
    return after.held - before.held
  })
  barAtMost(`the ${side} keeps at most ${megabytes(limit)}`, most, limit, tenths)
}

export const checkNothingLeft = (rows: ReadonlyArray<Row>) => {
  const more = (figure: "fibers" | "descriptors") =>
    highest(rows, ({ after, before, service }) =>
      Math.max(after[figure] - before[figure], service.after[figure] - service.before[figure])
    )
  barAtMost("no fiber is left, in either", more("fibers"), 0)
  // One idle connection to each host is kept.
  barAtMost("no descriptor accumulates, in either", more("descriptors"), 2, (count) => `${count} more`)
  const warnings = highest(rows, ({ after, service }) => after.tooManyListeners + service.after.tooManyListeners)
  barAtMost("no listener accumulates, in either", warnings, 0, (times) => `Node warned ${times} times`)
  barAtMost("the service keeps no file", files(), 0)
}
