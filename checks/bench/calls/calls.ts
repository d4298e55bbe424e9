/** Small calls: what a client adds to each, alone and many at a time. */
import { node } from "effect-speech-test-support/processes"
import { at, measuredBar, median, ratio, spread, table, title, whole } from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../../support/interleave.js"
import { audio, recording } from "../contract.js"
import { measureIn, type Setting, startServer } from "../harness.js"
import { peers } from "../peers/index.js"
import { type Calls, concurrencies, type Length, operations } from "./measure.js"

export type OperationName = keyof typeof operations

export interface Plan {
  readonly url: string
  readonly rounds: number
  readonly length: Length
  /** What runs the clients. */
  readonly runtime: typeof node
  /** Whether a client takes part. */
  readonly hasClient: (name: string) => boolean
}

/** How long a comparison takes, with a server of its own. */
export const planOf = ({ quick }: Setting, url: string, hasClient: Plan["hasClient"]): Plan => ({
  url,
  rounds: quick ? 2 : 5,
  length: quick
    ? { warmUpMillis: 300, warmUpCalls: 0, countedMillis: 300 }
    : { warmUpMillis: 1000, warmUpCalls: 2000, countedMillis: 1200 },
  runtime: node,
  hasClient
})

export const headings = {
  synthesis: `Synthesis calls of ${audio.byteLength} bytes`,
  transcription: `Transcription calls of ${recording.byteLength / 1000} kB`
}

export const run = async (setting: Setting) => {
  const server = await startServer()
  // The parts `promise` and `layers` have the others.
  const names = ["ours", "ours-file", "bare", "bare-file", "undici", "fetch", ...Object.keys(peers)]
  const plan = planOf(setting, server.url, (name) => names.includes(name))
  const synthesis = await compareOne("synthesis", plan, headings.synthesis)
  checkBare(synthesis, [1, 1.15])
  checkPeers(synthesis)
  const transcription = await compareOne("transcription", plan, headings.transcription)
  checkBare(transcription, [1.15, 1.25])
  const ofFile = figuresOf(transcription, "bare-file", "ours-file")
  measuredBar(
    "a file takes at most 1.3x the CPU of a bare `HttpClient` and `readFile`, many at a time and alone",
    Math.max(...ofFile) <= 1.3,
    show(ofFile)
  )
  checkPeers(transcription)
  await server.stop()
}

type Compared = Awaited<ReturnType<typeof compareOne>>

const figuresOf = ({ cpu }: Compared, name: string, ours = "ours") =>
  concurrencies.map((_, index) => cpu(ours, index) / cpu(name, index))
const show = (figures: ReadonlyArray<number>) => figures.map((figure) => `${figure.toFixed(2)}x`).join(", ")

/** Compares the CPU time with that of a bare HttpClient, many at a time and alone. */
const checkBare = (compared: Compared, atMost: readonly [many: number, alone: number]) => {
  const figures = figuresOf(compared, "bare")
  measuredBar(
    `${compared.label("ours")}: at most ${atMost.join("x, ")}x the CPU of ${compared.label("bare")}, many at a time and alone`,
    figures.every((figure, index) => figure <= at(atMost, index)),
    show(figures)
  )
}

const checkPeers = (compared: Compared) => {
  for (const [name, { package: packageName }] of Object.entries(peers)) {
    const figures = figuresOf(compared, name)
    const claim = `ours takes less CPU than \`${packageName}\`, many at a time and alone`
    measuredBar(claim, Math.max(...figures) < 1, show(figures))
  }
}

/** Measures the clients of an operation in turn. */
export const measureClients = async (operation: OperationName, { hasClient, length, rounds, runtime, url }: Plan) => {
  const clients = Object.entries(operations[operation]).filter(([name]) => hasClient(name))
  const sides = clients.map(([name]) => ({
    name,
    run: () => measureIn<ReadonlyArray<Calls>>(runtime, "calls", [operation, name, url, length])
  }))
  const all = await interleave(sides, { rounds })
  const values = (name: string, figure: keyof Calls, concurrency: number) =>
    resultsOf(all, name).map((calls) => at(calls, concurrency)[figure])
  const cpu = (name: string, concurrency = 0) => median(values(name, "cpuMicros", concurrency))
  const label = (name: string) => clients.find(([client]) => client === name)?.[1].label ?? name
  /** The CPU time as a multiple of that of another client: the median of the rounds, each with both. */
  const paired = (name: string, reference: string) =>
    concurrencies.map((_, concurrency) => {
      const references = values(reference, "cpuMicros", concurrency)
      return median(values(name, "cpuMicros", concurrency).map((cpu, round) => cpu / at(references, round)))
    })
  return { names: clients.map(([name]) => name), values, cpu, label, paired }
}

/** How the figures are made, in Markdown. */
export const describePlan = ({ length, rounds }: Plan) =>
  `Medians of ${rounds} interleaved rounds, each client a new process: at least ${length.warmUpMillis} ms and ` +
  `${length.warmUpCalls} calls to warm up, then ${length.countedMillis} ms that count. CPU is user and system, of the ` +
  "client's process alone; calls per second depend on the server too. Every response is checked, and every upload. " +
  "Tracing is off."

export const compareOne = async (operation: OperationName, plan: Plan, heading: string) => {
  const measured = await measureClients(operation, plan)
  const { cpu, label, names, values } = measured
  title(heading)
  console.log(`${describePlan(plan)}\n`)
  table([
    [
      "client",
      ...concurrencies.flatMap((number) => [`CPU, µs, ${number} at a time`, "of all rounds", "CPU / ours", "calls/s"])
    ],
    ...names.map((name) => [
      label(name),
      ...concurrencies.flatMap((_, index) => [
        whole(cpu(name, index)),
        spread(values(name, "cpuMicros", index), whole),
        ratio(cpu(name, index), cpu("ours", index)),
        whole(median(values(name, "perSecond", index)))
      ])
    ])
  ])
  return measured
}
