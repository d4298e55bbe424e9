/** Small calls over the HttpClient layers that a program may already have, each beside that layer alone. */
import { at, measuredBar, median, spread, table, title, whole } from "effect-speech-test-support/report"
import { describePlan, headings, measureClients, type OperationName, type Plan, planOf } from "../calls/calls.js"
import { concurrencies } from "../calls/measure.js"
import { type Setting, startServer } from "../harness.js"

/** A layer alone, and our client over one layer or several. */
export interface Group {
  readonly bare: string
  readonly ours: ReadonlyArray<string>
}

const groups: ReadonlyArray<Group> = [
  { bare: "bare", ours: ["ours-undici"] },
  { bare: "bare-node", ours: ["ours-node"] },
  { bare: "bare-fetch", ours: ["ours-fetch"] }
]

const limit = 1.5

export const run = async (setting: Setting) => {
  const server = await startServer()
  const plan = planOf(setting, server.url, isIn(groups))
  for (const operation of ["synthesis", "transcription"] as const) {
    await compareGroups(operation, plan, groups, `${headings[operation]}, over each layer`)
  }
  await server.stop()
}

/** Whether a client is in some of the groups. */
export const isIn = (groups: ReadonlyArray<Group>) => {
  const names = new Set(groups.flatMap(({ bare, ours }) => [bare, ...ours]))
  return (name: string) => names.has(name)
}

export const compareGroups = async (
  operation: OperationName,
  plan: Plan,
  groups: ReadonlyArray<Group>,
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
    ...groups.flatMap(({ bare, ours }) =>
      [...ours, bare].map((name) => [
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
  for (const { bare, ours } of groups) {
    for (const name of ours) {
      measuredBar(
        `${label(name)}: at most ${limit}x the CPU of ${label(bare)}, many at a time and alone`,
        paired(name, bare).every((multiple) => multiple <= limit),
        multiples(name, bare).join(", ")
      )
    }
  }
}
