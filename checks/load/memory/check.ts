/**
 * Memory does not grow: `pnpm verify memory`; `--only upload|speech|calls` for one part, `--quick` for a short form.
 *
 * Uploads two gigabytes, downloads more than an hour of speech, makes ten thousand calls over one layer, leaves calls, and
 * builds layers: so many that the heap of V8 has grown to its size before the last fifth.
 * A tenth of each size is measured beside it. Clients and service are processes of their own, a new pair for each row, from
 * the built packages. The short form has one pair for all rows. Needs 4 GB in the folder for temporary files.
 */
import { readdirSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { readOptions } from "effect-speech-test-support/options"
import { startScript, temporaryFolder } from "effect-speech-test-support/processes"
import { writeNoise } from "effect-speech-test-support/recordings"
import { at, bar, exitStatus, megabytes, title } from "effect-speech-test-support/report"
import { type Sample, startService } from "effect-speech-test-support/serviceProcess"
import { barOfFlat, fifths, medianOfPart, temporaryFiles } from "../../support/memory.js"
import { runParts } from "../../support/parts.js"
import { barAtMost, tableOf } from "../../support/print.js"
import { until, untilIdle } from "../../support/until.js"
import type { Result, Setting, Spoken, Task } from "./client.js"

interface Case {
  readonly label: string
  readonly task: Task
  readonly warmUp: Task
}

interface Row extends Result {
  readonly label: string
  readonly service: { readonly before: Sample; readonly after: Sample }
  readonly seconds: number
}

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })

/** In bytes, but for `flat`. A new process still grows, so the short form has looser limits, and one for what is held. */
const limits = quick
  ? { file: 60e6, stream: 160e6, held: 16e6, service: 250e6, kept: 3e6, flat: 1.4 }
  : { file: 60e6, stream: 160e6, held: Number.POSITIVE_INFINITY, service: 250e6, kept: 2e6, flat: 1.1 }

const size = quick
  ? { upload: 32_000_000, texts: 1, codePoints: 400, calls: 40, left: 8, built: 4 }
  : { upload: 2_000_000_000, texts: 2, codePoints: 10_000, calls: 10_000, left: 30_000, built: 60_000 }

const temporary = temporaryFolder("check-memory-")
const files = () => temporaryFiles(temporary)

const startPair = async (canned: boolean) => {
  const service = await startService(
    {
      cannedByText: canned,
      // Full after the warm-up, so that it does not grow while it is measured.
      knownSeconds: canned ? 10 : undefined,
      ...{ credits: 1e12, maximumUploadBytes: 2 ** 32, maximumRecordingSeconds: 1_000_000 }
    },
    { temporary }
  )
  const setting: Setting = { service, collecting: quick }
  const client = await startScript(new URL("client.js", import.meta.url), [JSON.stringify(setting)])
  return { service, client }
}
type Pair = Awaited<ReturnType<typeof startPair>>
const stopPair = async ({ client, service }: Pair) => {
  await client.stop()
  await service.stop()
}

const measure = async ({ client, service }: Pair, { label, task, warmUp }: Case): Promise<Row> => {
  console.error(label)
  await client.request(warmUp)
  // The service learns after its last response.
  const serviceIsIdle = () => untilIdle(async () => (await service.sample()).cpuMicros)
  await serviceIsIdle()
  await service.sampleCollected()
  const before = await service.resetPeak()
  const start = performance.now()
  const result = await client.request<Result>(task)
  const seconds = (performance.now() - start) / 1000
  const { peak } = await service.sample()
  // After an upload of 2 GB the service needs some seconds.
  const isFree = async () => {
    const now = await service.sample()
    return files() === 0 && now.fibers <= before.fibers && now.descriptors <= before.descriptors
  }
  await until(isFree, { seconds: 15 })
  await serviceIsIdle()
  return { ...result, label, seconds, service: { before, after: { ...(await service.sampleCollected()), peak } } }
}

/** The pair of the short form, with a canned voice: a new pair for each row would take too long. */
let shared: Pair | undefined

/** Measures each case, by default with a canned voice. */
const measureAll = async (cases: ReadonlyArray<Case>, canned = true) => {
  const rows: Array<Row> = []
  for (const each of cases) {
    if (quick) shared ??= await startPair(true)
    const pair = shared ?? (await startPair(canned))
    rows.push(await measure(pair, each))
    if (shared === undefined) await stopPair(pair)
  }
  return rows
}

const rssOfFifth = ({ after, samples }: Row, number: number) =>
  medianOfPart(samples, number, 5, ({ rss }) => rss) ?? after.rss
const aboveIdle = ({ before, peak }: Row) => Math.max(0, peak - before.rss)
const serviceAboveIdle = ({ service }: Row) => Math.max(0, service.after.peak - service.before.rss)
const highest = (rows: ReadonlyArray<Row>, of: (row: Row) => number) => Math.max(...rows.map(of))
const tenths = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const held = (before: { held: number }, after: { held: number }) =>
  `${(before.held / 1e6).toFixed(1)}, ${tenths(after.held)}`

const print = (heading: string, rows: ReadonlyArray<Row>) => {
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

const checkPeak = (rows: ReadonlyArray<Row>, limit: number) => {
  const labels = rows.map(({ label }) => label).join("; ")
  if (quick) {
    // Only the first samples come after a collection.
    const most = highest(rows, ({ before, samples }) =>
      Math.max(0, ...samples.slice(0, 4).map((now) => now.held - before.held))
    )
    barAtMost(`${labels}: the client holds at most ${megabytes(limits.held)}`, most, limits.held, tenths)
  }
  const claim = `${labels}: the client takes at most ${megabytes(limit)} above idle`
  barAtMost(claim, highest(rows, aboveIdle), limit, megabytes)
}

const checkService = (rows: ReadonlyArray<Row>) => {
  const claim = `the service takes at most ${megabytes(limits.service)} above idle`
  barAtMost(claim, highest(rows, serviceAboveIdle), limits.service, megabytes)
}

const checkFlat = (rows: ReadonlyArray<Row>) => {
  for (const row of rows) {
    // The system may take memory back while the process waits, so idle memory is the least that counts.
    const second = Math.max(row.before.rss, rssOfFifth(row, 2))
    const claim = `${row.label}: the last fifth takes at most ${limits.flat}x the memory of the second`
    barOfFlat(claim, limits.flat, second, rssOfFifth(row, 5))
  }
}

const checkKept = (rows: ReadonlyArray<Row>, side: "client" | "service") => {
  const of = (row: Row) => (side === "client" ? row : row.service)
  const most = highest(rows, (row) => of(row).after.held - of(row).before.held)
  barAtMost(`the ${side} keeps at most ${megabytes(limits.kept)}`, most, limits.kept, tenths)
}

/** For cases after which nothing should be held. */
const checkNothingLeft = (rows: ReadonlyArray<Row>) => {
  checkKept(rows, "client")
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

const checkUpload = async () => {
  const { bavail, bsize } = statfsSync(temporary)
  if (bavail * bsize < 2 * size.upload) {
    console.error(`${temporary} has ${megabytes(bavail * bsize)} free. This check needs ${megabytes(2 * size.upload)}.`)
    process.exit(1)
  }
  const recording = (name: string, byteLength: number) => {
    const path = join(temporary, `${name}.wav`)
    // The service listens to each second, so a high rate makes the file short for its size.
    writeNoise(path, byteLength, 96_000)
    return { path, byteLength }
  }
  const warmUp = recording("warmUp", 1_000_000)
  const recordings = [...(quick ? [] : [recording("tenth", size.upload / 10)]), recording("whole", size.upload)]
  const sources = [
    ["path", "a file"],
    ["stream", "a stream"],
    ...(quick ? [] : [["streamOfUnknownLength", "a stream of unknown length"] as const])
  ] as const
  const rows = await measureAll(
    sources.flatMap(([source, label]) =>
      recordings.map(({ byteLength, path }) => ({
        label: `${label}, ${megabytes(byteLength)}`,
        warmUp: { task: "upload", source, path: warmUp.path } as const,
        task: { task: "upload", source, path } as const
      }))
    )
  )
  for (const { path } of [warmUp, ...recordings]) rmSync(path)
  print("A recording up", rows)
  checkPeak(rows.slice(0, recordings.length), limits.file)
  checkPeak(rows.slice(recordings.length), limits.stream)
  checkFlat(rows.filter((_, index) => (index + 1) % recordings.length === 0))
  checkService(rows)
  checkNothingLeft(rows)
}

const checkSpeech = async () => {
  const path = join(temporary, "speech.wav")
  const { texts } = size
  const rows = await measureAll(
    (quick ? [size.codePoints] : [size.codePoints / 10, size.codePoints]).map((codePoints) => ({
      label: `${texts} texts of ${codePoints} characters`,
      warmUp: { task: "speak", path, texts: 1, codePoints: 20, speed: 1 },
      task: { task: "speak", path, texts, codePoints, speed: 0.25 }
    })),
    false
  )
  rmSync(path)
  print("Speech down into a WAV file", rows)
  checkPeak(rows, limits.stream)
  checkFlat(rows.slice(-1))
  checkService(rows)
  checkNothingLeft(rows)
  const spoken = rows.map(({ result }) => result as Spoken)
  const minutes = at(spoken, spoken.length - 1).announcedMillis / 60_000
  const [least, name] = quick ? [1 / 3, "20 seconds"] : [60, "an hour"]
  bar(`there is at least ${name} of speech`, minutes >= least, `${minutes.toFixed(1)} minutes`)
  bar(
    "each file reads back as long as the service announced",
    spoken.every(
      ({ announcedBytes, announcedMillis, readBytes, readMillis, writtenBytes }) =>
        readBytes === announcedBytes &&
        writtenBytes === announcedBytes &&
        // The service rounds the duration of each text to a millisecond.
        Math.abs(readMillis - announcedMillis) <= texts
    ),
    spoken.map(({ announcedBytes, readBytes }) => `${readBytes} of ${announcedBytes} bytes`).join("; ")
  )
}

const checkCalls = async () => {
  const repeated = (task: "call" | "leave" | "build", count: number, label: string): Case => ({
    label: `${count} ${label}`,
    warmUp: { task, count: Math.min(2000, Math.ceil(count / 5)) },
    task: { task, count }
  })
  const rows = await measureAll([
    repeated("call", size.calls, "calls over one layer, texts and recordings in turn"),
    repeated("leave", size.left, "calls left before their end"),
    repeated("build", size.built, "layers of both clients, each for one call")
  ])
  print("One call after another", rows)
  checkFlat(rows)
  checkNothingLeft(rows)
  checkKept(rows, "service")
}

await runParts({ upload: checkUpload, speech: checkSpeech, calls: checkCalls }, only)
if (shared !== undefined) await stopPair(shared)
title("At the end")
barAtMost("no file is left", readdirSync(temporary).length, 0)
process.exitCode = exitStatus()
