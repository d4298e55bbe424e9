/**
 * Both clients under load for minutes, at a service that fails now and then: `pnpm verify soak`, with `--minutes N`,
 * `--concurrency N` and `--seed N`; `--quick` for a short form.
 *
 * One request in twenty meets a fault, and one call in twenty is interrupted. As many attempts must fail as there were faults,
 * every result must be right, the calls must explain the bill, and nothing may grow or be left behind.
 */
import type { Usage } from "@effect-speech/local-service/Accounts"
import type { Fault, FaultRecord } from "@effect-speech/local-service/Faults"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { bar, exitStatus, sum, table } from "effect-speech-test-support/report"
import { usedOf } from "../support/journal.js"
import { integerOf } from "../support/parts.js"
import { barAtMost, tableOf } from "../support/print.js"
import * as Harness from "./harness.js"
import type { Soaked } from "./soaked.js"

const { quick, ...values } = readOptions({
  minutes: { type: "string", default: "10" },
  concurrency: { type: "string" },
  seed: { type: "string", default: "1" },
  quick: { type: "boolean", default: false }
})
const seed = integerOf("--seed", values.seed)
const concurrency = integerOf("--concurrency", values.concurrency ?? (quick ? 16 : 32), 1)
const millis = quick ? 2500 : Number(values.minutes) * 60_000
if (!(millis > 0)) refuseOptions("--minutes takes a number above 0.")

/** The probability that a request fails in any way. */
const faultProbability = quick ? 0.25 : 0.05
/** Far above what a call takes on a busy machine: a deadline must not cause an error without a fault. */
const answerMillis = 20_000
const graceMillis = quick ? 250 : answerMillis + 5_000

type Operation = Usage["operation"]
const operations: ReadonlyArray<Operation> = ["transcribe", "synthesize"]

const effects = (truncateAtByte: number): ReadonlyArray<Fault> => [
  ...[429, 500, 502, 503].map((status) => ({ status })),
  ...[{ reset: "request" } as const, { reset: "answer" } as const, { malformedHeader: true } as const],
  ...[{ truncateAtByte }, { stallAtByte: truncateAtByte }, { body: '{"error":"injected"}' }],
  { delayMillis: answerMillis + 2_000 }
]
/** Every kind of fault, for each operation, with an equal part of the probability. */
const faults = operations.flatMap((operation, first) => {
  const kinds = effects(operation === "transcribe" ? 20 : 1000)
  const probability = faultProbability / kinds.length
  return kinds.map((kind, index) => ({ ...kind, operation, probability, seed: seed * 1000 + first * 100 + index }))
})

const pair = await Harness.startPair({ deadlines: { answer: answerMillis, downloadIdle: quick ? 10_000 : 5_000 } })
const { service } = pair
// Fills the journal of the service, and all that grows at first.
await pair.client.request({ task: "call", count: quick ? 100 : 2000 })
await pair.client.request({ task: "teach" })
const usedBefore = await usedOf(service)
await service.platform("PUT", "faults", faults)
const label = `${concurrency} calls at a time`
const row = await Harness.measure(pair, { label, task: { task: "soak", concurrency, graceMillis, millis, seed } })
const happened: ReadonlyArray<FaultRecord> = (await service.platform("GET", "faults")).body
const usedAfter = await usedOf(service)
await pair.stop()

const { outcomes, totals } = row.result as Soaked
Harness.print("Under load", [row])
tableOf(Object.entries(outcomes), { outcome: ([name]) => name, calls: ([, count]) => count })
table([
  ["fault", ...operations],
  ...effects(0).map((kind, index) => [
    Object.entries(kind).flat().join(" "),
    ...operations.map((_, first) => String(happened[first * effects(0).length + index]?.happened ?? 0))
  ])
])

for (const operation of operations) {
  const { answered, failedAttempts, interrupted } = totals[operation]
  const count = sum(happened.filter(({ fault }) => fault.operation === operation).map((each) => each.happened))
  bar(
    `${operation}: each fault fails one attempt, and nothing else does`,
    failedAttempts > 0 && failedAttempts <= count && count <= failedAttempts + interrupted.calls,
    `${count} faults, ${failedAttempts} attempts failed, ${interrupted.calls} calls were interrupted`
  )
  for (const unit of ["calls", "credits"] as const) {
    const billed = usedAfter[operation][unit] - usedBefore[operation][unit]
    const most = answered[unit] + interrupted[unit]
    const isExplained = answered[unit] <= billed && billed <= most
    bar(`${operation}: the calls explain the bill`, isExplained, `${billed} ${unit}, of ${answered[unit]} to ${most}`)
  }
}
const bad = (outcomes.wrong ?? 0) + (outcomes.defect ?? 0)
barAtMost("every result is right", bad, 0)
const flat = quick ? 1.5 : 1.1
Harness.checkFlat([row], flat)
for (const side of ["client", "service"] as const) Harness.checkKept([row], quick ? 8e6 : 4e6, side)
Harness.checkNothingLeft([row])
process.exitCode = exitStatus()
