/** Small synthesis calls, many at a time: what a client adds to each. */

import { bar, median, ratio, spread, table, title, whole } from "../../support/report.js"
import { race } from "./harness.js"
import { audio, concurrency } from "./wire.js"

/** @type {ReadonlyArray<readonly [name: string, label: string]>} */
const clients = [
  ["ours", "`TextToSpeech.synthesize`, `NodeTransport.layer`, tracing off"],
  ["bare", "bare `HttpClient`, `NodeHttpClient.layerUndici`, tracing off"],
  ["bare-scoped", "the same with `HttpClient.withScope`"],
  ["ours-tracing", "`TextToSpeech.synthesize`, tracing on"],
  ["bare-tracing", "bare `HttpClient`, tracing on"],
  ["undici", "`undici.request`"],
  ["fetch", "`fetch`"],
  ["openai", "`openai`, `audio.speech.create`"],
  ["deepgram", "`@deepgram/sdk`, `speak.v1.audio.generate`"]
]

/** @param {import("./harness.js").Setting} setting */
export const measureCalls = async ({ quick, url }) => {
  const { count, rounds, warmup } = quick
    ? { count: 2000, rounds: 2, warmup: 500 }
    : { count: 10_000, rounds: 5, warmup: 2000 }
  const names = clients.map(([name]) => name)
  /** @type {(name: string) => ReadonlyArray<import("./caller.js").Calls>} */
  const results = await race("caller.js", names, rounds, [url, warmup, count])

  /** @param {string} name */
  const cpus = (name) => results(name).map(({ cpuMicros }) => cpuMicros / count)
  /** @param {string} name */
  const cpu = (name) => median(cpus(name))

  title(`Synthesis calls of ${audio.byteLength} bytes, ${concurrency} at a time`)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: ${warmup} calls to warm up, then ${count} that ` +
      "count. CPU is user and system, of the client's process alone; calls per second depend on the server too.\n"
  )
  table([
    ["client", "CPU per call, µs", "of all rounds", "CPU / bare", "calls/s"],
    ...clients.map(([name, label]) => [
      label,
      whole(cpu(name)),
      spread(cpus(name), whole),
      ratio(cpu(name), cpu("bare")),
      whole(median(results(name).map(({ wallMillis }) => (count / wallMillis) * 1000)))
    ])
  ])
  const overBare = cpu("ours") / cpu("bare")
  bar(
    "ours takes at most 1.15x the CPU of bare",
    overBare <= 1.15,
    `${overBare.toFixed(2)}x; ${ratio(cpu("ours"), cpu("bare-scoped"))} of bare with a scope, ` +
      `${ratio(cpu("ours-tracing"), cpu("bare-tracing"))} with tracing on`
  )
  for (const sdk of ["openai", "deepgram"]) {
    bar(`ours takes less CPU than ${sdk}`, cpu("ours") < cpu(sdk), ratio(cpu("ours"), cpu(sdk)))
  }
}
