/** Small calls: what a client adds to each, alone and many at a time. */
import { at, bar, median, ratio, spread, table, title, whole } from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../../support/interleave.js"
import { audio, recording } from "../contract.js"
import { measureInProcess, type Setting, startServer } from "../harness.js"
import { peers } from "../peers/index.js"
import { type Calls, concurrencies, type Length, operations } from "./measure.js"

type OperationName = keyof typeof operations

interface Plan {
  readonly url: string
  readonly rounds: number
  readonly length: Length
}

export const run = async ({ quick }: Setting) => {
  const length = quick
    ? { warmUpMillis: 300, warmUpCalls: 0, countedMillis: 300 }
    : { warmUpMillis: 1000, warmUpCalls: 2000, countedMillis: 1200 }
  const server = await startServer()
  const plan = { url: server.url, rounds: quick ? 2 : 5, length }
  const synthesis = await compareOne("synthesis", plan, `Synthesis calls of ${audio.byteLength} bytes`)
  checkBare(synthesis, [1, 1.15])
  checkPeers(synthesis)
  const heading = `Transcription calls of ${recording.byteLength / 1000} kB`
  const transcription = await compareOne("transcription", plan, heading)
  checkBare(transcription, [1.15, 1.25])
  const ofFile = concurrencies.map((_, index) =>
    ratio(transcription.cpu("ours-file", index), transcription.cpu("bare-file", index))
  )
  console.log(
    `\nCPU for a file, compared with bare \`HttpClient\` and \`readFile\`: ${ofFile.join(", ")}. ` +
      "Ours makes 6 disk calls, and `readFile` 4: it also asks whether the path is a pipe, and " +
      "whether the file has changed.\n"
  )
  checkPeers(transcription)
  await server.stop()
}

type Compared = Awaited<ReturnType<typeof compareOne>>

const figuresOf = ({ cpu }: Compared, name: string) =>
  concurrencies.map((_, index) => cpu("ours", index) / cpu(name, index))
const show = (figures: ReadonlyArray<number>) => figures.map((figure) => `${figure.toFixed(2)}x`).join(", ")

/** Compares the CPU time with that of a bare HttpClient, many at a time and alone. */
const checkBare = (compared: Compared, atMost: readonly [many: number, alone: number]) => {
  const figures = figuresOf(compared, "bare")
  bar(
    `${compared.label("ours")}: at most ${atMost.join("x, ")}x the CPU of ${compared.label("bare")}, many at a time and alone`,
    figures.every((figure, index) => figure <= at(atMost, index)),
    show(figures)
  )
}

const checkPeers = (compared: Compared) => {
  for (const [name, { package: packageName }] of Object.entries(peers)) {
    const figures = figuresOf(compared, name)
    const claim = `ours takes less CPU than \`${packageName}\`, many at a time and alone`
    bar(claim, Math.max(...figures) < 1, show(figures))
  }
}

const compareOne = async (operation: OperationName, { length, rounds, url }: Plan, heading: string) => {
  const clients = Object.entries(operations[operation])
  const sides = clients.map(([name]) => ({
    name,
    run: () => measureInProcess<ReadonlyArray<Calls>>("calls", operation, name, url, length)
  }))
  const all = await interleave(sides, { rounds })
  const values = (name: string, figure: keyof Calls, concurrency: number) =>
    resultsOf(all, name).map((calls) => at(calls, concurrency)[figure])
  const cpu = (name: string, concurrency = 0) => median(values(name, "cpuMicros", concurrency))

  title(heading)
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: at least ${length.warmUpMillis} ms and ` +
      `${length.warmUpCalls} calls to warm up, then ${length.countedMillis} ms that count. CPU is user and system, of the ` +
      "client's process alone; calls per second depend on the server too. Every response is checked, and every upload. " +
      "Tracing is off.\n"
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
  return { cpu, label }
}
