/**
 * Both clients under load for minutes, at a service that fails now and then: `pnpm verify soak`, with `--minutes N`,
 * `--concurrency N` and `--seed N`; `--quick` for a short form.
 *
 * One call in twenty meets a fault, and one in twenty is interrupted. Every error must have its cause in what the service
 * did, every result must be right, and nothing may grow or be left behind. Ctrl-C ends the load early and reports what was
 * measured; a second Ctrl-C exits. Clients and service are processes of their own, from the built packages.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Usage } from "@effect-speech/local-service/Accounts"
import type { Fault, FaultRecord } from "@effect-speech/local-service/Faults"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { exitOnInterrupt, startScript, temporaryFolder } from "effect-speech-test-support/processes"
import {
  bar,
  countBy,
  exitStatus,
  median,
  megabytes,
  sum,
  table,
  title,
  whole
} from "effect-speech-test-support/report"
import { startJournaled, usedOf } from "../../support/journal.js"
import { barOfFlat, medianOfPart, temporaryFiles } from "../../support/memory.js"
import { integerOf } from "../../support/parts.js"
import { barAtMost, barOfNone } from "../../support/print.js"
import { until } from "../../support/until.js"
import { account, type Call, ledgerProblems } from "./account.js"
import type { Request, Responses, Setting } from "./client.js"

const values = readOptions({
  minutes: { type: "string", default: "10" },
  concurrency: { type: "string" },
  seed: { type: "string", default: "1" },
  quick: { type: "boolean", default: false }
})
const { quick } = values
const seed = integerOf("--seed", values.seed)
const concurrency = integerOf("--concurrency", values.concurrency ?? (quick ? 16 : 32), 1)
const totalMillis = quick ? 2500 : Number(values.minutes) * 60_000
if (!(totalMillis > 0)) refuseOptions("--minutes takes a number above 0.")

/** Even on a slow machine, so that there are calls to check. */
const leastCalls = 40
/** The probability that a request fails in any way. */
const faultProbability = quick ? 0.25 : 0.05
/** Far above what a call takes on a busy machine: a deadline must not cause an error without a fault. */
const answerMillis = 20_000
const downloadIdleMillis = quick ? 10_000 : 5_000
const graceMillis = quick ? 250 : answerMillis + 5_000
/** How much memory the last third may take, compared with the second. */
const flat = quick ? 1.5 : 1.1

type Operation = Usage["operation"]

/** Every kind of fault, for each operation, with an equal part of the probability. */
const faults = (): ReadonlyArray<Fault> => {
  const effects = (
    operation: Operation,
    truncateAtByte: number,
    body: string
  ): ReadonlyArray<Omit<Fault, "probability">> =>
    [
      ...[429, 500, 502, 503].map((status) => ({ status })),
      ...[{ reset: "request" } as const, { reset: "answer" } as const, { malformedHeader: true } as const],
      ...[{ truncateAtByte }, { stallAtByte: truncateAtByte }, { body }],
      ...[{ delayMillis: 100 }, { delayMillis: answerMillis + 2_000 }]
    ].map((fault) => ({ operation, ...fault }))
  const each = [
    ...effects("transcribe", 20, '{"status":"error","error":"injected"}'),
    ...effects("synthesize", 1000, '{"error":"injected"}')
  ]
  const probability = faultProbability / (each.length / 2)
  return each.map((fault, index) => ({ ...fault, probability, seed: seed * 1000 + index }))
}

const effectOf = ({ operation, probability, seed, ...effect }: Fault) =>
  Object.entries(effect)
    .map(([name, value]) => (name === "body" ? name : `${name} ${value}`))
    .join(", ")

const temporary = temporaryFolder("check-soak-")
const service = await startJournaled(temporary, { cannedByText: true, knownSeconds: 120 })
const setting: Setting = {
  ...{ service, folder: temporary, concurrency, seed, answerMillis, downloadIdleMillis, graceMillis },
  allEvents: quick
}
const client = await startScript(new URL("client.js", import.meta.url), [JSON.stringify(setting)])
const requestClient = <Name extends Request>(name: Name) => client.request<Responses[Name]>(name)

const calls: Array<Call> = []
const read = async () => calls.push(...(await requestClient("calls")))

const sample = async () => ({
  at: Date.now(),
  client: await requestClient("sample"),
  service: await service.sampleCollected()
})
type Sample = Awaited<ReturnType<typeof sample>>
const sides = ["client", "service"] as const
const counts = ["descriptors", "sockets", "fibers"] as const

await requestClient("warmUp")
const usedBefore = await usedOf(service)
const requestsBefore = (await service.journal()).length
await service.platform("PUT", "faults", faults())
const before = await sample()

const stopped = new AbortController()
process.off("SIGINT", exitOnInterrupt)
process.once("SIGINT", () => {
  console.error("Stopping: the measurements so far follow. Press Ctrl-C again to exit at once.")
  process.once("SIGINT", exitOnInterrupt)
  stopped.abort()
})

const samples: Array<Sample> = []
const startedAt = Date.now()
const readEveryMillis = 500
const sampleEveryMillis = Math.max(readEveryMillis, totalMillis / 60)
await requestClient("start")
while ((Date.now() < startedAt + totalMillis || calls.length < leastCalls) && !stopped.signal.aborted) {
  await sleep(readEveryMillis, undefined, { signal: stopped.signal }).catch(() => undefined)
  await read()
  if (Date.now() < startedAt + (samples.length + 1) * sampleEveryMillis) continue
  samples.push(await sample())
  if (samples.length % 6 === 0) console.error(`${calls.length} calls, ${samples.length} of 60 samples`)
}
const millis = Date.now() - startedAt
await requestClient("stop")

let after = before
let left: ReadonlyArray<string> = []
const isAtRest = async () => {
  after = await sample()
  left = sides.flatMap((side) =>
    counts.flatMap((count) =>
      after[side][count] > before[side][count]
        ? [`${side}: ${after[side][count]} ${count}, ${before[side][count]} before`]
        : []
    )
  )
  return left.length === 0 && temporaryFiles(temporary) === 0
}
const own = (await service.journal()).slice(requestsBefore)
await until(isAtRest, { seconds: 15 })
const files = temporaryFiles(temporary)
await read()
const usedAfter = await usedOf(service)
const happened: ReadonlyArray<FaultRecord> = (await service.platform("GET", "faults")).body
await client.stop()
await service.stop()

const { faults: results, problems } = account(calls, own)
const unexplained = ledgerProblems(calls, usedBefore, usedAfter)

const attempts = sum(calls.map((call) => call.attempts.length))
title("Under load")
console.log(
  `${(millis / 1000).toFixed(0)} seconds at ${concurrency} calls at once, with the seed ${seed}: ${calls.length} calls, ` +
    `${(calls.length / (millis / 1000)).toFixed(0)} a second, ${attempts} attempts.\n`
)

const inPart = (at: number, part: number, parts: number) =>
  Math.min(parts - 1, Math.floor(((at - startedAt) / millis) * parts)) === part
const parts = quick ? 3 : 10
const figures = ["memory", "held", ...counts]
table([
  ["part", "calls", "errors", "retries", ...sides.flatMap((side) => figures.map((figure) => `${side}: ${figure}`))],
  ...Array.from({ length: parts }, (_, part) => {
    const ended = calls.filter(({ endedAt }) => inPart(endedAt, part, parts))
    const seen = samples.filter(({ at }) => inPart(at, part, parts))
    const shown = (of: (sample: Sample) => number, show: (value: number) => string) => {
      const value = medianOfPart(seen, 1, 1, of)
      return value === undefined ? "" : show(value)
    }
    return [
      `${part + 1}.`,
      String(ended.length),
      String(ended.filter(({ outcome }) => outcome !== "success" && outcome !== "interrupted").length),
      String(sum(ended.map((call) => call.attempts.length - 1))),
      ...sides.flatMap((side) => [
        shown((each) => each[side].rss, megabytes),
        shown((each) => each[side].held, megabytes),
        ...counts.map((count) => shown((each) => each[side][count], whole))
      ])
    ]
  })
])
const printCounts = (header: string, counted: ReadonlyMap<string, number>) =>
  table([[header, "number"], ...[...counted].sort().map(([name, count]) => [name, String(count)])])
for (const [header, field] of [["call", "kind"] as const, ["outcome of the call", "outcome"] as const]) {
  printCounts(
    header,
    countBy(calls, (call) => call[field])
  )
}
const countOf = (operation: string, effect: string) =>
  happened.find(({ fault }) => fault.operation === operation && effectOf(fault) === effect)?.happened ?? 0
table([
  ["fault", "transcribe", "synthesize"],
  ...[...new Set(happened.map(({ fault }) => effectOf(fault)))].map((effect) => [
    effect,
    ...["transcribe", "synthesize"].map((operation) => String(countOf(operation, effect)))
  ])
])
printCounts("result of a fault", results)

barOfNone("every error has its cause, and every request its call", problems, `${problems.length} have none`)
const faultCount = sum(happened.map((each) => each.happened))
const accounted = sum(results.values())
bar("every fault has a result", accounted === faultCount && faultCount > 0, `${accounted} of ${faultCount}`)
// Otherwise `journal` would have failed.
bar("every request was read", own.length > 0, `${own.length}`)
const bad = calls.filter(({ outcome }) => outcome === "wrong" || outcome === "defect")
bar("every result is right", bad.length === 0 && calls.length > 0, `${bad.length} of ${calls.length} are not`)
barOfNone("the calls explain the bill", unexplained)
barOfNone("no descriptor, socket or fiber is left", left, `${left.length} figures are higher than before`)
const warnings = sum(sides.map((side) => after[side].tooManyListeners))
barAtMost("no listener accumulates", warnings, 0, (times) => `Node warned ${times} times`)
barAtMost("no file is left", files, 0)
if (stopped.signal.aborted) console.log("- not checked: whether memory grows, since the run was stopped early")
else {
  const names = { held: "memory that is held", rss: "resident memory" }
  for (const side of sides) {
    for (const figure of ["held", "rss"] as const) {
      const [second, last] = [1, 2].map((third) => {
        const seen = samples.filter(({ at }) => inPart(at, third, 3)).map((each) => each[side][figure])
        return seen.length === 0 ? undefined : median(seen)
      })
      if (second === undefined || last === undefined) continue
      barOfFlat(
        `${side}: the ${names[figure]} of the last third is at most ${flat}x that of the second`,
        flat,
        second,
        last
      )
    }
  }
}
process.exitCode = exitStatus()
