/** Small calls: what a client adds to each, alone and many at a time. */
import { at, bar, median, ratio, spread, table, title, whole } from "../../../test/support/report.js"
import { race, runScript, startServer } from "../harness.js"
import { peers } from "../peers/index.js"
import { audio, recording } from "../wire.js"
import { concurrencies, operations } from "./measure.js"

/**
 * @typedef {ReadonlyArray<import("./measure.js").Calls>} ByConcurrency
 *
 * @typedef {object} Plan
 * @property {number} rounds
 * @property {import("./measure.js").Length} length
 * @property {(name: string) => boolean} [takesPart]
 * @property {(operation: keyof typeof operations, name: string, url: string) => Promise<ByConcurrency>} measure
 */

/** @param {import("../harness.js").Setting} setting */
export const run = async ({ quick }) => {
  const length = quick
    ? { warmUpMillis: 300, warmUpCalls: 0, countedMillis: 300 }
    : { warmUpMillis: 1000, warmUpCalls: 2000, countedMillis: 1200 }
  const server = await startServer()
  await compare(server.url, {
    rounds: quick ? 2 : 5,
    length,
    measure: (...which) => runScript(new URL("caller.js", import.meta.url), [...which, JSON.stringify(length)])
  })
  await server.stop()
}

/** @param {string} url @param {Plan} plan */
export const compare = async (url, plan) => {
  const synthesis = await compareOne("synthesis", url, plan, `Synthesis calls of ${audio.byteLength} bytes`)
  if (synthesis.has("bare")) {
    const overBare = synthesis.cpu("ours") / synthesis.cpu("bare")
    bar(
      "64 at a time, ours takes at most 1.15x the CPU of bare",
      overBare <= 1.15,
      `${overBare.toFixed(2)}x; ${ratio(synthesis.cpu("ours"), synthesis.cpu("bare-scoped"))} of bare with a scope, ` +
        `${ratio(synthesis.cpu("ours-tracing"), synthesis.cpu("bare-tracing"))} with tracing on`
    )
  }
  barsOfPeers(synthesis)
  const transcription = await compareOne(
    "transcription",
    url,
    plan,
    `Transcription calls of ${recording.byteLength / 1000} kB`
  )
  barsOfPeers(transcription)
}

/** @param {Awaited<ReturnType<typeof compareOne>>} results */
const barsOfPeers = ({ cpu, has }) => {
  for (const [name, { package: packageName }] of Object.entries(peers)) {
    if (!has(name)) continue
    const figures = concurrencies.map((_, index) => cpu("ours", index) / cpu(name, index))
    bar(
      `ours takes less CPU than \`${packageName}\`, many at a time and alone`,
      figures.every((figure) => figure < 1),
      figures.map((figure) => `${figure.toFixed(2)}x`).join(", ")
    )
  }
}

/**
 * @param {keyof typeof operations} operation
 * @param {string} url
 * @param {Plan} plan
 * @param {string} heading
 */
const compareOne = async (operation, url, { length, measure, rounds, takesPart = () => true }, heading) => {
  const clients = Object.entries(operations[operation]).filter(([name]) => takesPart(name))
  const names = clients.map(([name]) => name)
  const results = await race(names, rounds, (name) => measure(operation, name, url))

  /** @param {string} name @param {number} index of the concurrency */
  const cpus = (name, index) => results(name).map((calls) => at(calls, index).cpuMicros)
  /** @param {string} name */
  const cpu = (name, index = 0) => median(cpus(name, index))
  /** @param {string} name @param {number} index */
  const perSecond = (name, index) => median(results(name).map((calls) => at(calls, index).perSecond))

  title(heading)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: at least ${length.warmUpMillis} ms and ` +
      `${length.warmUpCalls} calls to warm up, then ${length.countedMillis} ms that count. CPU is user and system, of the ` +
      "client's process alone; calls per second depend on the server too. Every answer is checked, and every upload. " +
      "Tracing is off where nothing else is said." +
      (names.includes("assemblyai") && operation === "transcription"
        ? " A call of AssemblyAI's client is three requests: an upload, an order, and a look at how it stands.\n"
        : "\n")
  )
  table([
    [
      "client",
      ...concurrencies.flatMap((concurrency) => [
        `CPU, µs, ${concurrency} at a time`,
        "of all rounds",
        "CPU / ours",
        "calls/s"
      ])
    ],
    ...clients.map(([name, { label }]) => [
      label,
      ...concurrencies.flatMap((_, index) => [
        whole(cpu(name, index)),
        spread(cpus(name, index), whole),
        ratio(cpu(name, index), cpu("ours", index)),
        whole(perSecond(name, index))
      ])
    ])
  ])
  return { cpu, has: (/** @type {string} */ name) => names.includes(name) }
}
