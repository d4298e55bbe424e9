/** Small calls over the HttpClient layers that a program may already have, each beside that layer alone. */
import { at, bar, median, spread, table, title, whole } from "effect-speech-test-support/report"
import { describePlan, headings, measureClients, type OperationName, planOf } from "../calls/calls.js"
import { concurrencies } from "../calls/measure.js"
import { type Setting, startServer } from "../harness.js"

/** Our client over a layer, and the layer alone. */
export type Pair = readonly [ours: string, bare: string]

const pairs: ReadonlyArray<Pair> = [
  ["ours-undici", "bare"],
  ["ours-node", "bare-node"],
  ["ours-fetch", "bare-fetch"]
]

const limit = 1.5

export const run = async (setting: Setting) => {
  const server = await startServer()
  const plan = planOf(setting, server.url, (name) => pairs.flat().includes(name))
  for (const operation of ["synthesis", "transcription"] as const) {
    await comparePairs(operation, plan, pairs, `${headings[operation]}, over each layer`)
  }
  await server.stop()
}

const comparePairs = async (
  operation: OperationName,
  plan: Parameters<typeof describePlan>[0],
  pairs: ReadonlyArray<Pair>,
  heading: string
) => {
  const { cpu, label, paired, values } = await measureClients(operation, plan)
  title(heading)
  console.log(`${describePlan(plan)} \`CPU / bare\` is the median of the rounds, each with both clients.\n`)
  const multiples = (name: string, bare: string) => paired(name, bare).map((multiple) => `${multiple.toFixed(2)}x`)
  table([
    [
      "client",
      ...concurrencies.flatMap((number) => [`CPU, µs, ${number} at a time`, "of all rounds", "CPU / bare", "calls/s"])
    ],
    ...pairs.flatMap(([ours, bare]) =>
      [ours, bare].map((name) => [
        label(name),
        ...concurrencies.flatMap((_, index) => [
          whole(cpu(name, index)),
          spread(values(name, "cpuMicros", index), whole),
          at(multiples(name, bare), index),
          whole(median(values(name, "perSecond", index)))
        ])
      ])
    )
  ])
  for (const [ours, bare] of pairs) {
    bar(
      `${label(ours)}: at most ${limit}x the CPU of ${label(bare)}, many at a time and alone`,
      paired(ours, bare).every((multiple) => multiple <= limit),
      multiples(ours, bare).join(", ")
    )
  }
}
