/**
 * `pnpm verify network`: thousands of calls over networks that fail in many ways, checked against the laws of `laws.ts`.
 *
 * | option           | meaning                                                                                        |
 * | ---------------- | ---------------------------------------------------------------------------------------------- |
 * | `--schedules N`  | number of schedules. Default: 5000                                                             |
 * | `--seed N`       | seed of the schedules. Default: 1                                                              |
 * | `--path PATH`    | runs the schedule of a violation again, with the seed that was printed with it, and prints it all |
 * | `--layers NAMES` | of recommended, undici, node, fetch, with commas. Default: recommended                         |
 */

import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Logger from "effect/Logger"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { type HttpClientName, httpClients } from "effect-speech-test-support/httpClients"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { bar, countBy, exitStatus, table, title, whole } from "effect-speech-test-support/report"
import { actions, schedules } from "./schedule.js"
import { makeRecordings, makeServices, type Service } from "./services.js"
import { runTrial, type TrialResult } from "./trial.js"

const values = readOptions({
  schedules: { type: "string", default: "5000" },
  seed: { type: "string", default: "1" },
  path: { type: "string" },
  layers: { type: "string", default: "recommended" }
})
const seed = Number(values.seed)
const count = values.path === undefined ? Number(values.schedules) : 1
const layers = values.layers.split(",") as Array<HttpClientName>
const areNumbers = [seed, count].every((value) => Number.isSafeInteger(value) && value >= 0)
if (!areNumbers || count === 0 || !layers.every((layer) => Object.hasOwn(httpClients, layer))) {
  const names = Object.keys(httpClients).join(", ")
  refuseOptions(`--schedules takes a number above 0, --seed a whole number, --layers some of ${names}.`)
}

/** The part of a result that is kept. The audio of thousands would not fit into memory. */
const summaryOf = ({ ended, happened, schedule }: TrialResult) => ({
  happened: new Set<string>(schedule.isRefused ? ["refused"] : happened.length === 0 ? ["nothing"] : happened),
  // Count both operations together.
  outcomes: ended.map(({ outcome }) => outcome.replace(/^(Stt|Tts)/, ""))
})

const folder = temporaryFolder("check-network-")
// After Ctrl-C no scope closes, so the services keep their files in this folder, which is always removed.
process.env.TMPDIR = folder
const recordings = makeRecordings(folder)
const kept: Array<ReturnType<typeof summaryOf>> = []
let violated = 0

/** Runs schedules until one violates a law. Then it prints the smallest that still does. */
const work = async (service: Service, worker: number, workers: number) => {
  const property = FastCheck.asyncProperty(schedules(layers), async (schedule) => {
    const result = await Effect.runPromise(
      Effect.provide(runTrial(schedule, service, recordings), Logger.remove(Logger.defaultLogger))
    )
    if (values.path !== undefined) console.dir(result, { depth: 8 })
    kept.push(summaryOf(result))
    if (kept.length % 500 === 0) console.error(`${kept.length} of ${count}`)
    if (result.violations.length > 0) throw new Error(result.violations.join("\n"))
  })
  const details = await FastCheck.check(property, {
    seed: seed + worker,
    numRuns: Math.ceil(count / workers),
    ...(values.path !== undefined && { path: values.path, endOnFailure: true })
  })
  if (!details.failed) return
  violated++
  console.error(`--seed ${details.seed} --path ${details.counterexamplePath} --layers ${values.layers}`)
  console.error(FastCheck.defaultReportMessage(details))
}

await Effect.gen(function* () {
  const services = yield* makeServices(Math.min(count, 12), recordings)
  yield* Effect.promise(() => Promise.all(services.map((service, at) => work(service, at, services.length))))
}).pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger)), Effect.runPromise)

const networks = ["nothing", ...actions, "refused"]
const outcomes = [...new Set(kept.flatMap((one) => one.outcomes))].sort()
title(`Outcomes of the calls of ${kept.length} schedules, by what happened on the network`)
table([
  ["network", "schedules", ...outcomes],
  ...networks.map((network) => {
    const same = kept.filter(({ happened }) => happened.has(network))
    const counts = countBy(
      same.flatMap((one) => one.outcomes),
      (outcome) => outcome
    )
    return [network, whole(same.length), ...outcomes.map((outcome) => whole(counts.get(outcome) ?? 0))]
  })
])

/** Sockets of this process, of clients and services. */
const sockets = await Effect.runPromise(
  untilZero(Effect.sync(() => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length))
)
const missing = networks.filter((network) => !kept.some(({ happened }) => happened.has(network)))
bar("every schedule keeps the laws: end, leaks, content, billing, report", violated === 0, `${violated} do not`)
bar("no socket is left", sockets === 0, `${sockets}`)
if (count >= 500) bar("every kind of disturbance occurred", missing.length === 0, `missing: ${missing.length}`)
// A leaked socket would keep the process running.
process.exit(exitStatus())
