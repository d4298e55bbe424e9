/**
 * Memory that does not grow: `pnpm verify memory`, a part of it with `--only upload|speech|calls`, a short form with
 * `--quick`. Two gigabytes up, more than an hour of speech down, ten thousand calls over one layer, and whatever is left
 * before its end. What is large has a tenth of it beside it. Clients and service are processes of their own, a new pair for
 * each row, from the built packages; the short form has one pair for all. It takes 4 GB in the folder for temporary files,
 * which go with it.
 */
import { readdirSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readOptions, refuseOptions } from "../../../test/support/options.js"
import { writeNoise } from "../../../test/support/recordings.js"
import { at, bar, median, megabytes, ratio, table, title } from "../../../test/support/report.js"
import { ask, letGo, startProcess, startService, temporaryFolder } from "../../../test/support/serviceProcess.js"

/**
 * @typedef {import("./client.js").Task} Task
 * @typedef {import("../../../test/support/serviceProcess.js").Sample} Sample
 *
 * @typedef {object} Case
 * @property {string} label
 * @property {Task} task
 * @property {Task} warmUp
 *
 * @typedef {import("./client.js").Done & {
 *   readonly label: string
 *   readonly service: { readonly before: Sample, readonly after: Sample }
 *   readonly seconds: number
 * }} Row
 */

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })
const parts = ["upload", "speech", "calls"]
if (only !== undefined && !parts.includes(only)) {
  refuseOptions(`--only takes one of ${parts.join(", ")}.`)
}

/** In bytes. A process that has just begun still grows; but the short form sees what is held, without what is not yet collected. */
const most = quick
  ? { file: 60e6, stream: 160e6, held: 16e6, service: 250e6, flat: 1.4 }
  : { file: 60e6, stream: 160e6, held: Number.POSITIVE_INFINITY, service: 250e6, flat: 1.1 }

const size = quick
  ? { upload: 32_000_000, texts: 1, codePoints: 400, calls: 40, left: 8, built: 4 }
  : { upload: 2_000_000_000, texts: 2, codePoints: 10_000, calls: 10_000, left: 2000, built: 2000 }

const temporary = temporaryFolder("check-memory-")
const path = (/** @type {string} */ name) => join(temporary, name)
const spooled = () =>
  readdirSync(temporary, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".wav")
  ).length

/** The voice that costs nothing takes a twentieth of a second for each character. @param {{ readonly canned: boolean }} options */
const startPair = async ({ canned }) => {
  const service = await startService(
    {
      cannedByText: canned,
      // As much as the calls before those that count, so that it does not grow by what it comes to know.
      knownSeconds: canned ? 10 : undefined,
      credits: 1e12,
      maximumUploadBytes: 2 ** 32,
      maximumRecordingSeconds: 1_000_000
    },
    { temporary }
  )
  const script = fileURLToPath(new URL("client.js", import.meta.url))
  const client = await startProcess(script, [JSON.stringify(service), ...(quick ? ["collecting"] : [])])
  return {
    service,
    client,
    end: async () => {
      await letGo(client)
      await service.stop()
    }
  }
}
/** @typedef {Awaited<ReturnType<typeof startPair>>} Pair */

/** @param {Pair} pair @param {Case} wanted @returns {Promise<Row>} */
const measure = async ({ client, service }, { label, task, warmUp }) => {
  console.error(label)
  await ask(client.child, warmUp)
  await service.sampleCollected()
  const before = await service.forgetPeak()
  const start = performance.now()
  /** @type {import("./client.js").Done} */
  const done = await ask(client.child, task)
  const seconds = (performance.now() - start) / 1000
  const { peak } = await service.sample()
  return { ...done, label, seconds, service: { before, after: { ...(await settled(service, before)), peak } } }
}

/** What a client that has ended, or went away, has left at the service goes a moment later. @param {Pair["service"]} service @param {Sample} before */
const settled = async (service, before) => {
  for (let patience = 100; ; patience--) {
    const now = await service.sample()
    const isOver = spooled() === 0 && now.fibers <= before.fibers && now.descriptors <= before.descriptors
    if (isOver || patience === 0) return service.sampleCollected()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The short form's, without the real voice: to start anew would cost more than all else there. @type {Pair | undefined} */
let shared

/** @param {ReadonlyArray<Case>} cases @param {{ readonly canned: boolean }} options */
const measureAll = async (cases, { canned }) => {
  /** @type {Array<Row>} */
  const rows = []
  for (const wanted of cases) {
    if (quick) shared ??= await startPair({ canned: true })
    const pair = shared ?? (await startPair({ canned }))
    rows.push(await measure(pair, wanted))
    if (shared === undefined) await pair.end()
  }
  return rows
}

/** The median over a fifth of the time, counted from 1. @param {Row} row @param {number} number @param {"rss" | "descriptors" | "sockets" | "fibers"} figure */
const fifth = ({ after, meanwhile }, number, figure) => {
  const count = meanwhile.length
  const part = meanwhile.slice(Math.floor(((number - 1) * count) / 5), Math.floor((number * count) / 5))
  return part.length === 0 ? after[figure] : median(part.map((sample) => sample[figure]))
}
const fifths = [1, 2, 3, 4, 5]

/** @param {Row} row */
const aboveIdle = ({ before, peak }) => Math.max(0, peak - before.rss)
/** @param {Row} row */
const serviceAboveIdle = ({ service }) => Math.max(0, service.after.peak - service.before.rss)

/** @param {ReadonlyArray<Row>} rows */
const tell = (rows) =>
  table([
    [
      "client",
      "seconds",
      "idle",
      "peak above",
      "median of each fifth",
      "held, begin and end",
      "service, idle",
      "peak above",
      "held, begin and end"
    ],
    ...rows.map((row) => [
      row.label,
      row.seconds.toFixed(0),
      megabytes(row.before.rss),
      megabytes(aboveIdle(row)),
      fifths.map((number) => megabytes(fifth(row, number, "rss"))).join(", "),
      `${(row.before.held / 1e6).toFixed(1)}, ${(row.after.held / 1e6).toFixed(1)} MB`,
      megabytes(row.service.before.rss),
      megabytes(serviceAboveIdle(row)),
      `${(row.service.before.held / 1e6).toFixed(1)}, ${(row.service.after.held / 1e6).toFixed(1)} MB`
    ])
  ])

let failed = false
/** @param {string} claim @param {boolean} met @param {string} figure */
const claim = (claim, met, figure) => {
  bar(claim, met, figure)
  if (!met) failed = true
}

/** @param {ReadonlyArray<Row>} rows @param {number} limit */
const claimPeak = (rows, limit) => {
  const what = rows.map(({ label }) => label).join("; ")
  if (quick) {
    // The first looks alone come after a collection.
    const held = Math.max(
      ...rows.map(({ before, meanwhile }) => Math.max(0, ...meanwhile.slice(0, 4).map((now) => now.held - before.held)))
    )
    claim(
      `${what}: the client holds at most ${megabytes(most.held)} meanwhile`,
      held <= most.held,
      `${(held / 1e6).toFixed(1)} MB`
    )
  }
  const highest = Math.max(...rows.map(aboveIdle))
  claim(`${what}: the client takes at most ${megabytes(limit)} above idle`, highest <= limit, megabytes(highest))
}

/** @param {ReadonlyArray<Row>} rows */
const claimService = (rows) => {
  const highest = Math.max(...rows.map(serviceAboveIdle))
  claim(`the service takes at most ${megabytes(most.service)} above idle`, highest <= most.service, megabytes(highest))
}

/** @param {ReadonlyArray<Row>} rows */
const claimFlat = (rows) => {
  for (const row of rows) {
    // While it waits, the system may take back what it has when it is idle.
    const second = Math.max(row.before.rss, fifth(row, 2, "rss"))
    const last = fifth(row, 5, "rss")
    claim(
      `${row.label}: the last fifth takes at most ${most.flat}x the memory of the second`,
      last <= most.flat * second,
      ratio(last, second)
    )
  }
}

/** What is warmed up still grows by a little: code is compiled. */
const mostKept = quick ? 3e6 : 2e6

/** @param {ReadonlyArray<Row>} rows @param {string} who @param {(row: Row) => number} of */
const claimKept = (rows, who, of) => {
  const highest = Math.max(...rows.map(of))
  claim(
    `the ${who} keeps at most ${megabytes(mostKept)} of it`,
    highest <= mostKept,
    `${(highest / 1e6).toFixed(2)} MB`
  )
}

/** Of what holds nothing once it is over. @param {ReadonlyArray<Row>} rows */
const claimNothingKept = (rows) => {
  claimKept(rows, "client", ({ after, before }) => after.held - before.held)
  const fibers = Math.max(...rows.map(({ after, before }) => after.fibers - before.fibers))
  claim("no fiber of the client is left", fibers <= 0, `${fibers}`)
  const served = Math.max(...rows.map(({ service }) => service.after.fibers - service.before.fibers))
  claim("no fiber of the service is left", served <= 0, `${served}`)
  // One idle connection to each host is kept, whenever it was made.
  const descriptors = Math.max(
    ...rows.flatMap(({ after, before, service }) => [
      after.descriptors - before.descriptors,
      service.after.descriptors - service.before.descriptors
    ])
  )
  claim("no descriptor accumulates, in either", descriptors <= 2, `${descriptors} more`)
  const warnings = Math.max(
    ...rows.map(({ after, service }) => Math.max(after.tooManyListeners, service.after.tooManyListeners))
  )
  claim("no listener accumulates, in either", warnings === 0, `Node warned ${warnings} times`)
}

const uploads = async () => {
  const needed = 2 * size.upload
  const { bavail, bsize } = statfsSync(temporary)
  if (bavail * bsize < needed) {
    console.error(
      `The folder for temporary files has ${megabytes(bavail * bsize)} left, of ${megabytes(needed)} that this takes.`
    )
    process.exit(1)
  }
  const warmUp = path("warmUp.wav")
  writeNoise(warmUp, 1_000_000)
  const whole = path("whole.wav")
  writeNoise(whole, size.upload)
  const tenth = path("tenth.wav")
  writeNoise(tenth, size.upload / 10)
  const files = quick ? [whole] : [tenth, whole]
  /** @type {ReadonlyArray<readonly [import("./client.js").Upload["source"], string]>} */
  const sources = [
    ["path", "a file"],
    ["stream", "a stream"],
    ...(quick ? [] : [/** @type {const} */ (["streamOfUnknownLength", "a stream of unknown length"])])
  ]
  const rows = await measureAll(
    sources.flatMap(([source, label]) =>
      files.map((file) => ({
        label: `${label}, ${megabytes(file === whole ? size.upload : size.upload / 10)}`,
        warmUp: { task: "upload", source, path: warmUp },
        task: { task: "upload", source, path: file }
      }))
    ),
    { canned: true }
  )
  for (const file of [warmUp, tenth, whole]) rmSync(file)
  title("A recording up")
  tell(rows)
  claimPeak(rows.slice(0, files.length), most.file)
  claimPeak(rows.slice(files.length), most.stream)
  claimFlat(rows.filter((_, index) => (index + 1) % files.length === 0))
  claimService(rows)
  claimNothingKept(rows)
  const left = spooled()
  claim("the service keeps no file", left === 0, `${left}`)
}

const speech = async () => {
  const file = path("speech.wav")
  const { codePoints, texts } = size
  const rows = await measureAll(
    (quick ? [codePoints] : [codePoints / 10, codePoints]).map((each) => ({
      label: `${texts} texts of ${each} characters`,
      warmUp: { task: "speak", path: file, texts: 1, codePoints: 20, speed: 1 },
      task: { task: "speak", path: file, texts, codePoints: each, speed: 0.25 }
    })),
    { canned: false }
  )
  rmSync(file)
  const results = rows.map(({ result }) => /** @type {import("./client.js").Spoken} */ (result))
  title("Speech down into a WAV file")
  tell(rows)
  claimPeak(rows, most.stream)
  claimFlat(rows.slice(-1))
  claimService(rows)
  claimNothingKept(rows)
  const minutes = at(results, results.length - 1).toldMillis / 60_000
  claim(
    quick ? "there are 20 seconds of it" : "there is an hour of it",
    minutes >= (quick ? 1 / 3 : 60),
    `${minutes.toFixed(1)} minutes`
  )
  const whole = results.every(
    ({ readBytes, readMillis, toldBytes, toldMillis, writtenBytes }) =>
      // What is told is rounded to a millisecond, text by text.
      readBytes === toldBytes && writtenBytes === toldBytes && Math.abs(readMillis - toldMillis) <= texts
  )
  claim(
    "each file reads back as long as was told of its texts",
    whole,
    results.map(({ readBytes, toldBytes }) => `${readBytes} of ${toldBytes} bytes`).join("; ")
  )
}

const calls = async () => {
  const { built, calls, left } = size
  /** @type {(task: "call" | "leave" | "build", count: number, label: string) => Case} */
  const repeated = (task, count, label) => ({
    label: `${count} ${label}`,
    warmUp: { task, count: Math.ceil(count / 5) },
    task: { task, count }
  })
  const rows = await measureAll(
    [
      repeated("call", calls, "calls over one layer, texts and recordings in turn"),
      repeated("leave", left, "left before their end"),
      repeated("build", built, "layers of both clients, each for one call")
    ],
    { canned: true }
  )
  title("One call after another")
  tell(rows)
  claimFlat(rows)
  claimNothingKept(rows)
  claimKept(rows, "service", ({ service }) => service.after.held - service.before.held)
  const kept = spooled()
  claim("the service keeps no file", kept === 0, `${kept}`)
}

if (only === undefined || only === "upload") await uploads()
if (only === undefined || only === "speech") await speech()
if (only === undefined || only === "calls") await calls()
await shared?.end()
const remaining = readdirSync(temporary).length
title("In the end")
claim("no file is left", remaining === 0, `${remaining}`)
process.exitCode = failed ? 1 : 0
