/** Small calls: what a client adds to each, alone and many at a time. */
import { at, bar, median, ratio, spread, table, title, whole } from "../../../test/support/report.js"
import { interleave, resultsOf } from "../../support/interleave.js"
import { audio, recording } from "../contract.js"
import { measureInProcess, type Setting, startServer } from "../harness.js"
import { peers } from "../peers/index.js"
import { type Calls, concurrencies, type Length, operations } from "./measure.js"

type OperationName = keyof typeof operations

interface Plan {
  readonly rounds: number
  readonly length: Length
  /** Default: all clients. */
  readonly takesPart?: (name: string) => boolean
  /** The results by concurrency. */
  readonly measure: (operation: OperationName, name: string, url: string) => Promise<ReadonlyArray<Calls>>
}

export const run = async ({ quick }: Setting) => {
  const length = quick
    ? { warmUpMillis: 300, warmUpCalls: 0, countedMillis: 300 }
    : { warmUpMillis: 1000, warmUpCalls: 2000, countedMillis: 1200 }
  const server = await startServer()
  await compare(server.url, {
    rounds: quick ? 2 : 5,
    length,
    measure: (...which) => measureInProcess("calls", ...which, length)
  })
  await server.stop()
}

export const compare = async (url: string, plan: Plan) => {
  const synthesis = await compareOne("synthesis", url, plan, `Synthesis calls of ${audio.byteLength} bytes`)
  if (synthesis.has("bare")) {
    const { cpu } = synthesis
    checkBare(synthesis, "ours", "bare", [1, 1.15])
    console.log(
      `\nCPU compared with bare \`HttpClient\` and a scope: ${ratio(cpu("ours"), cpu("bare-scoped"))}, ${ratio(cpu("ours", 1), cpu("bare-scoped", 1))}; ` +
        `with tracing on: ${ratio(cpu("ours-tracing"), cpu("bare-tracing"))}, ` +
        `${ratio(cpu("ours-tracing", 1), cpu("bare-tracing", 1))}.\n`
    )
  }
  checkPeers(synthesis)
  const heading = `Transcription calls of ${recording.byteLength / 1000} kB`
  const transcription = await compareOne("transcription", url, plan, heading)
  if (transcription.has("bare")) {
    checkBare(transcription, "ours", "bare", [1.15, 1.25])
    console.log(
      `\nCPU for a file, compared with bare \`HttpClient\` and \`readFile\`: ${concurrencies.map((_, index) => ratio(transcription.cpu("ours-file", index), transcription.cpu("bare-file", index))).join(", ")}. ` +
        "Ours makes 6 disk calls, and `readFile` 4: it also asks whether the path is a pipe, and " +
        "whether the file has changed.\n"
    )
  }
  checkPeers(transcription)
}

/** Compares the CPU time of a client with that of a bare HttpClient, many at a time and alone. */
const checkBare = (
  { cpu, label }: Compared,
  ours: string,
  bare: string,
  atMost: readonly [many: number, alone: number]
) => {
  const figures = concurrencies.map((_, index) => cpu(ours, index) / cpu(bare, index))
  bar(
    `${label(ours)}: at most ${atMost.join("x, ")}x the CPU of ${label(bare)}, many at a time and alone`,
    figures.every((figure, index) => figure <= at(atMost, index)),
    figures.map((figure) => `${figure.toFixed(2)}x`).join(", ")
  )
}

type Compared = Awaited<ReturnType<typeof compareOne>>

const checkPeers = ({ cpu, has }: Compared) => {
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

const compareOne = async (
  operation: OperationName,
  url: string,
  { length, measure, rounds, takesPart = () => true }: Plan,
  heading: string
) => {
  const clients = Object.entries(operations[operation]).filter(([name]) => takesPart(name))
  const has = (name: string) => clients.some(([client]) => client === name)
  const sides = clients.map(([name]) => ({ name, run: () => measure(operation, name, url) }))
  const all = await interleave(sides, { rounds })
  const values = (name: string, figure: keyof Calls, concurrency: number) =>
    resultsOf(all, name).map((calls) => at(calls, concurrency)[figure])
  const cpu = (name: string, concurrency = 0) => median(values(name, "cpuMicros", concurrency))

  title(heading)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: at least ${length.warmUpMillis} ms and ` +
      `${length.warmUpCalls} calls to warm up, then ${length.countedMillis} ms that count. CPU is user and system, of the ` +
      "client's process alone; calls per second depend on the server too. Every response is checked, and every upload. " +
      "Tracing is off if the name does not say otherwise." +
      (has("assemblyai") && operation === "transcription"
        ? " A call of AssemblyAI's client is three requests: upload, order, status.\n"
        : "\n")
  )
  table([
    [
      "client",
      ...concurrencies.flatMap((number) => [`CPU, µs, ${number} at a time`, "of all rounds", "CPU / ours", "calls/s"])
    ],
    ...clients.map(([name, { label }]) => [
      label,
      ...concurrencies.flatMap((_, index) => [
        whole(cpu(name, index)),
        spread(values(name, "cpuMicros", index), whole),
        ratio(cpu(name, index), cpu("ours", index)),
        whole(median(values(name, "perSecond", index)))
      ])
    ])
  ])
  const label = (name: string) => clients.find(([client]) => client === name)?.[1].label ?? name
  return { cpu, has, label }
}
