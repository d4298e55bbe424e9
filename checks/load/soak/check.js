/**
 * Both clients under load for minutes, at a service that fails now and then: `pnpm verify soak`, with `--minutes N`,
 * `--concurrency N` and `--seed N`; a short form with `--quick`. One call in twenty meets a fault, and one in twenty is
 * interrupted. Every error must have its cause in what the service did, every result must be the right one, and nothing may
 * grow or be left. Ctrl-C ends it early, with what was measured so far. Clients and service are processes of their own, from
 * the built packages.
 */
import { readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { readOptions, refuseOptions } from "../../../test/support/options.js"
import { bar, median, megabytes, ratio, table, title } from "../../../test/support/report.js"
import {
  ask,
  endAtOnce,
  letGo,
  startProcess,
  startService,
  temporaryFolder
} from "../../../test/support/serviceProcess.js"
import { account, ledgerProblems } from "./account.js"

/**
 * @typedef {import("./account.js").Call} Call
 * @typedef {import("./account.js").Entry} Entry
 * @typedef {import("./account.js").Ledger} Ledger
 * @typedef {import("./client.js").Answers} Answers
 * @typedef {import("@effect-speech/local-service/Faults").Fault} Fault
 */

const values = readOptions({
  minutes: { type: "string", default: "10" },
  concurrency: { type: "string" },
  seed: { type: "string", default: "1" },
  quick: { type: "boolean", default: false }
})
const { quick } = values
const seed = Number(values.seed)
const concurrency = Number(values.concurrency ?? (quick ? 16 : 32))
const totalMillis = quick ? 2500 : Number(values.minutes) * 60_000
if (!Number.isInteger(concurrency) || concurrency < 1 || !(totalMillis > 0) || !Number.isInteger(seed)) {
  refuseOptions("--minutes takes a number above 0, --concurrency a whole one above 0, --seed a whole one.")
}

/** However slow the machine, so that there is something to account for. */
const leastCalls = 40

/** How likely a request is to fail, whatever way. */
const faulty = quick ? 0.25 : 0.05
/** A deadline must be far above what a call takes on a busy machine, or there would be errors that nobody asked for. */
const answerMillis = 20_000
const downloadIdleMillis = quick ? 10_000 : 5_000
const graceMillis = quick ? 250 : answerMillis + 5_000
/** How much the last third may take of what the second did. */
const flat = quick ? 1.5 : 1.1

/** Whatever can go wrong, with a part of the chance each. @returns {ReadonlyArray<Fault>} */
const faults = () => {
  /** @param {string} operation @param {number} truncatedAt @returns {ReadonlyArray<Partial<Fault>>} */
  const ofBoth = (operation, truncatedAt) => [
    ...[429, 500, 502, 503].map((status) => ({ status })),
    { reset: /** @type {const} */ ("request") },
    { reset: /** @type {const} */ ("answer") },
    { malformedHeader: true },
    { truncateAtByte: truncatedAt },
    { stallAtByte: truncatedAt },
    { delayMillis: 100 },
    { delayMillis: answerMillis + 2_000 },
    { body: operation === "transcribe" ? '{"status":"error","error":"asked for"}' : '{"error":"asked for"}' }
  ]
  const each = [
    ...ofBoth("transcribe", 20).map((fault) => ({ operation: /** @type {const} */ ("transcribe"), ...fault })),
    ...ofBoth("synthesize", 1000).map((fault) => ({ operation: /** @type {const} */ ("synthesize"), ...fault }))
  ]
  const probability = faulty / (each.length / 2)
  return each.map((fault, index) => ({ ...fault, probability, seed: seed * 1000 + index }))
}

/** @param {Fault} fault */
const nameOf = ({ operation, probability, seed, ...effect }) =>
  Object.entries(effect)
    .map(([name, value]) => (name === "body" ? name : `${name} ${value}`))
    .join(", ")

const temporary = temporaryFolder("check-soak-")
/** The files that the service has not removed: the client's own have names. */
const spooled = () =>
  readdirSync(temporary, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".wav")
  ).length

const service = await startService({ cannedByText: true, knownSeconds: 120, credits: 1e12 }, { temporary })
/** @type {import("./client.js").Setting} */
const setting = {
  service,
  folder: temporary,
  concurrency,
  seed,
  answerMillis,
  downloadIdleMillis,
  graceMillis,
  watched: quick
}
const started = await startProcess(fileURLToPath(new URL("client.js", import.meta.url)), [JSON.stringify(setting)])
/** @param {import("./client.js").Question} question @returns {Promise<any>} */
const askClient = (question) => ask(started.child, question)

/** @returns {Promise<Ledger>} */
const readLedger = async () => {
  /** @type {ReadonlyArray<import("@effect-speech/local-service/Accounts").Usage>} */
  const usage = (await service.platform("GET", "usage")).body
  const ledger = { transcribe: { calls: 0, credits: 0 }, synthesize: { calls: 0, credits: 0 } }
  for (const { calls, credits, operation } of usage) {
    ledger[operation].calls += calls
    ledger[operation].credits += credits
  }
  return ledger
}

/** By their numbers: one that was under way is read again. @type {Map<number, Entry>} */
const entries = new Map()
/** @type {Array<Call>} */
const calls = []
const read = async () => {
  /** @type {Answers["calls"]} */
  const since = await askClient("calls")
  calls.push(...since)
  /** @type {ReadonlyArray<Entry>} */
  const latest = (await service.platform("GET", "requests")).body
  for (const entry of latest) entries.set(entry.number, entry)
}

/** @typedef {{ readonly at: number, readonly client: Answers["sample"], readonly service: import("../../../test/support/serviceProcess.js").Sample }} Sample */
/** @returns {Promise<Sample>} */
const sample = async () => ({
  at: Date.now(),
  client: await askClient("sample"),
  service: await service.sampleCollected()
})

await askClient("warmUp")
const ledgerBefore = await readLedger()
const requestsBefore = (await service.platform("GET", "requests")).body.length
await service.platform("PUT", "faults", faults())
const before = await sample()

const stopped = new AbortController()
process.off("SIGINT", endAtOnce)
process.once("SIGINT", () => {
  console.error("It ends, with what was measured so far; once more ends it at once.")
  process.once("SIGINT", endAtOnce)
  stopped.abort()
})

/** @type {Array<Sample>} */
const samples = []
const startedAt = Date.now()
/** Often enough that the service, which keeps a thousand requests, has forgotten none. */
const readEvery = 500
const sampleEvery = Math.max(readEvery, totalMillis / 60)
await askClient("start")
while ((Date.now() < startedAt + totalMillis || calls.length < leastCalls) && !stopped.signal.aborted) {
  await sleep(readEvery, undefined, { signal: stopped.signal }).catch(() => undefined)
  await read()
  if (Date.now() < startedAt + (samples.length + 1) * sampleEvery) continue
  samples.push(await sample())
  if (samples.length % 6 === 0) console.error(`${calls.length} calls, ${samples.length} of 60 samples`)
}
const millis = Date.now() - startedAt
let over = false
const stopping = askClient("stop").finally(() => {
  over = true
})
// What is under way may fill what the service keeps.
while (!over) {
  await Promise.race([stopping, sleep(readEvery)])
  for (const entry of (await service.platform("GET", "requests")).body) entries.set(entry.number, entry)
}

/** What is left when nothing is asked any more: some of it goes a moment later. */
const settle = async () => {
  for (let patience = 100; ; patience--) {
    const now = await sample()
    const left = /** @type {const} */ (["client", "service"]).flatMap((side) =>
      /** @type {const} */ (["descriptors", "sockets", "fibers"]).flatMap((figure) =>
        now[side][figure] > before[side][figure]
          ? [`${side}: ${now[side][figure]} ${figure}, ${before[side][figure]} before`]
          : []
      )
    )
    const underWay = (await service.platform("GET", "requests")).body.some(
      (/** @type {Entry} */ { outcome }) => outcome === "underWay"
    )
    const files = spooled()
    if (patience === 0 || (left.length === 0 && files === 0 && !underWay)) return { now, left, files }
    await sleep(50)
  }
}
const { files, left, now: after } = await settle()
await read()
const ledgerAfter = await readLedger()
/** @type {ReadonlyArray<import("@effect-speech/local-service/Faults").FaultRecord>} */
const happened = (await service.platform("GET", "faults")).body
await letGo(started)
await service.stop()

const own = [...entries.values()].filter(({ number }) => number > requestsBefore)
const { faults: became, problems } = account(calls, own)
const unexplained = ledgerProblems(calls, ledgerBefore, ledgerAfter)

/** @template T @param {ReadonlyArray<T>} values @param {(value: T) => string} keyOf */
const counted = (values, keyOf) => {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1)
  return counts
}

const attempts = calls.reduce((sum, call) => sum + call.attempts.length, 0)
title("Under load")
console.log(
  `${(millis / 1000).toFixed(0)} seconds at ${concurrency} calls at once, with the seed ${seed}: ${calls.length} calls, ` +
    `${(calls.length / (millis / 1000)).toFixed(0)} a second, ${attempts} attempts.\n`
)

/** Those of a part of the run, counted from 0. @template T @param {ReadonlyArray<T>} values @param {number} part @param {number} parts @param {(value: T) => number} timeOf */
const partOf = (values, part, parts, timeOf) =>
  values.filter((value) => Math.min(parts - 1, Math.floor(((timeOf(value) - startedAt) / millis) * parts)) === part)

/** @param {ReadonlyArray<Sample>} part @param {(sample: Sample) => number} of @param {(value: number) => string} show */
const medianOf = (part, of, show) => (part.length === 0 ? "" : show(median(part.map(of))))
const tenths = quick ? 3 : 10
table([
  [
    "part",
    "calls",
    "errors",
    "repeated",
    "client: memory",
    "held",
    "descriptors",
    "sockets",
    "fibers",
    "service: memory",
    "held",
    "descriptors",
    "sockets",
    "fibers"
  ],
  ...Array.from({ length: tenths }, (_, part) => {
    const ended = partOf(calls, part, tenths, ({ endedAt }) => endedAt)
    const seen = partOf(samples, part, tenths, ({ at }) => at)
    return [
      `${part + 1}.`,
      String(ended.length),
      String(ended.filter(({ outcome }) => outcome !== "success" && outcome !== "interrupted").length),
      String(ended.reduce((sum, call) => sum + call.attempts.length - 1, 0)),
      .../** @type {const} */ (["client", "service"]).flatMap((side) => [
        medianOf(seen, (sample) => sample[side].rss, megabytes),
        medianOf(seen, (sample) => sample[side].held, megabytes),
        .../** @type {const} */ (["descriptors", "sockets", "fibers"]).map((figure) =>
          medianOf(
            seen,
            (sample) => sample[side][figure],
            (value) => value.toFixed(0)
          )
        )
      ])
    ]
  })
])
table([["call", "of these"], ...[...counted(calls, ({ kind }) => kind)].map(([kind, count]) => [kind, String(count)])])
table([
  ["it ended with", "calls"],
  ...[...counted(calls, ({ outcome }) => outcome)].sort().map(([outcome, count]) => [outcome, String(count)])
])
table([
  ["fault", "transcribe", "synthesize"],
  ...[...new Set(happened.map(({ fault }) => nameOf(fault)))].map((name) => [
    name,
    ...["transcribe", "synthesize"].map((operation) =>
      String(happened.find(({ fault }) => fault.operation === operation && nameOf(fault) === name)?.happened ?? 0)
    )
  ])
])
table([["what became of a fault", "times"], ...[...became].sort().map(([what, count]) => [what, String(count)])])

/** @param {ReadonlyArray<string>} all */
const tell = (all) => {
  for (const problem of all.slice(0, 20)) console.log(`- ${problem}`)
}
let failed = false
/** @param {string} claim @param {boolean} met @param {string} figure */
const claim = (claim, met, figure) => {
  bar(claim, met, figure)
  if (!met) failed = true
}
tell(problems)
tell(unexplained)
tell(left)
claim("every error has its cause, and every request its call", problems.length === 0, `${problems.length} have none`)
const faultCount = happened.reduce((sum, each) => sum + each.happened, 0)
const accounted = [...became.values()].reduce((sum, count) => sum + count, 0)
claim(
  "every fault has become of something",
  accounted === faultCount && faultCount > 0,
  `${accounted} of ${faultCount}`
)
const numbers = own.map(({ number }) => number)
claim("every request was read", numbers.length === Math.max(0, ...numbers) - requestsBefore, `${numbers.length}`)
const bad = calls.filter(({ outcome }) => outcome === "wrong" || outcome === "defect")
claim("every result is the right one", bad.length === 0 && calls.length > 0, `${bad.length} of ${calls.length} are not`)
claim("what was billed is what the calls explain", unexplained.length === 0, `${unexplained.length} differences`)
claim("no descriptor, socket or fiber is left", left.length === 0, `${left.length} figures are higher than before`)
claim(
  "no listener accumulates",
  after.client.tooManyListeners + after.service.tooManyListeners === 0,
  "Node warned of none"
)
claim("no file is left", files === 0, `${files}`)
// What has just begun still grows.
const isWhole = !stopped.signal.aborted
if (!isWhole) console.log("- not asked: whether memory grows, since it was ended early")
for (const side of isWhole ? /** @type {const} */ (["client", "service"]) : []) {
  for (const [name, of] of /** @type {const} */ ([
    ["memory that is held", (/** @type {Sample} */ sample) => sample[side].held],
    ["resident memory", (/** @type {Sample} */ sample) => sample[side].rss]
  ])) {
    const [second, last] = [1, 2].map((third) => partOf(samples, third, 3, ({ at }) => at).map(of))
    if (second === undefined || last === undefined || second.length === 0 || last.length === 0) continue
    claim(
      `${side}: the ${name} of the last third is at most ${flat}x that of the second`,
      median(last) <= flat * median(second),
      ratio(median(last), median(second))
    )
  }
}
process.exitCode = failed ? 1 : 0
