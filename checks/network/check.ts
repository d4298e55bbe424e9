/**
 * `pnpm verify network`: thousands of calls over networks that fail in many ways, checked against the laws of `laws.ts`.
 *
 * | option           | meaning                                                                          |
 * | ---------------- | -------------------------------------------------------------------------------- |
 * | `--schedules N`  | number of schedules. Default: 5000                                               |
 * | `--seed N`       | seed of the schedules. Default: 1                                                |
 * | `--only INDEX`   | runs one schedule and prints all of it; a violation prints the options to repeat it |
 * | `--layers NAMES` | of recommended, undici, node, fetch, with commas. Default: recommended           |
 */

import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { type HttpClientName, httpClients } from "effect-speech-test-support/httpClients"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { bar, table, title, whole } from "effect-speech-test-support/report"
import { billingOf } from "./laws.js"
import { draw, kinds } from "./schedule.js"
import { makeServices } from "./services.js"
import { runTrial, type TrialResult } from "./trial.js"

const values = readOptions({
  schedules: { type: "string", default: "5000" },
  seed: { type: "string", default: "1" },
  only: { type: "string" },
  layers: { type: "string", default: "recommended" }
})
const seed = Number(values.seed)
const first = Number(values.only ?? 0)
const count = values.only === undefined ? Number(values.schedules) : 1
/** Number of schedules in parallel. */
const workers = Math.min(count, 12)
const layers = values.layers.split(",") as Array<HttpClientName>
const areNumbers = [seed, first, count].every((value) => Number.isSafeInteger(value) && value >= 0)
if (!areNumbers || count === 0 || !layers.every((layer) => Object.hasOwn(httpClients, layer))) {
  const names = Object.keys(httpClients).join(", ")
  refuseOptions(`--schedules takes a number above 0, --seed and --only a whole number, --layers some of ${names}.`)
}
const again = (index: number) => `--seed ${seed} --only ${index} --layers ${values.layers}`

/** The part of a result that is kept. The audio of thousands would not fit into memory. */
const summaryOf = (result: TrialResult) => ({
  kind: result.schedule.kind,
  breaks: result.happened.length,
  isBroken: result.violations.length > 0,
  left: result.left,
  calls: result.ended.map((ended) => ({
    ...billingOf(ended, result),
    // Count both operations together.
    outcome: ended.outcome.replace(/^(Stt|Tts)/, ""),
    overrunMillis: ended.overrunMillis,
    retries: Math.max(0, (ended.report?.attempts.length ?? 1) - 1),
    byteLength: ended.bytes.length,
    isTranscribed: ended.text !== undefined
  }))
})

const folder = temporaryFolder("check-network-")
// After Ctrl-C no scope closes, so the services keep their files in this folder, which is always removed.
process.env.TMPDIR = folder
const kept: Array<ReturnType<typeof summaryOf>> = []
const program = Effect.gen(function* () {
  const services = yield* makeServices(workers, folder)
  let next = first
  const work = (service: (typeof services.workers)[number]) =>
    Effect.gen(function* () {
      while (next < first + count) {
        const result = yield* runTrial(draw(seed, next++, layers), service, services)
        if (values.only !== undefined) console.dir(result, { depth: 8 })
        for (const violation of result.violations) console.error(`${again(result.schedule.index)}: ${violation}`)
        kept.push(summaryOf(result))
        if (kept.length % 500 === 0) console.error(`${kept.length} of ${count}`)
      }
    })
  yield* Effect.forEach(services.workers, work, { concurrency: "unbounded" })
}).pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger)))
await Effect.runPromise(program)

const calls = kept.flatMap((one) => one.calls)
const sum = (of: (call: (typeof calls)[number]) => number) => calls.reduce((all, call) => all + of(call), 0)
const outcomes = [...new Set(calls.map(({ outcome }) => outcome))].sort()
title(`Outcomes of ${calls.length} calls in ${kept.length} schedules, by network`)
table([
  ["network", "schedules", "disturbances", ...outcomes],
  ...kinds.map((kind) => {
    const same = kept.filter((one) => one.kind === kind)
    const ended = same.flatMap((one) => one.calls)
    return [
      kind,
      whole(same.length),
      whole(same.reduce((all, { breaks }) => all + breaks, 0)),
      ...outcomes.map((outcome) => whole(ended.filter((call) => call.outcome === outcome).length))
    ]
  })
])

title("Billing")
table([
  ["responses", "number"],
  ["billed", whole(sum(({ billed }) => billed))],
  ["received completely", whole(sum(({ received }) => received))],
  ["billed and written completely, but lost or not read", whole(sum((call) => call.answered - call.received))],
  ["billed, but the last byte was lost", whole(sum((call) => call.billed - call.answered))]
])

/** Sockets of this process, of clients and services. */
const socketsOfProcess = await Effect.runPromise(
  untilZero(Effect.sync(() => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length))
)
const left = (of: (one: (typeof kept)[number]["left"]) => number) => kept.reduce((all, one) => all + of(one.left), 0)
const socketsLeft = left(({ attached, busy, open }) => attached + busy + open) + socketsOfProcess
const fibersLeft = left(({ fibers }) => fibers)
title("Figures")
table([
  ["", "number"],
  ["latest end after a deadline, in milliseconds", whole(Math.max(0, ...calls.map((call) => call.overrunMillis)))],
  ["retries", whole(sum(({ retries }) => retries))],
  ["bytes of audio compared", whole(sum(({ byteLength }) => byteLength))],
  ["transcripts compared", whole(calls.filter(({ isTranscribed }) => isTranscribed).length)],
  ["sockets left", whole(socketsLeft)],
  ["fibers left", whole(fibersLeft)]
])

const broken = kept.filter(({ isBroken }) => isBroken).length
// A kind without a call shows nothing.
const idle = kinds.filter((kind) => !kept.some((one) => one.kind === kind && one.calls.length > 0)).length
const hasIdle = count >= kinds.length && idle > 0
bar("every schedule keeps the laws: end, leaks, content, billing, report, turns", broken === 0, `${broken} do not`)
bar("no socket and no fiber is left", socketsLeft + fibersLeft === 0, `${socketsLeft} and ${fibersLeft}`)
if (count >= kinds.length) bar("every kind of network occurred", !hasIdle, `${kinds.length - idle} of ${kinds.length}`)
// A leaked socket would keep the process running.
process.exit(broken + socketsLeft + fibersLeft === 0 && !hasIdle ? 0 : 1)
