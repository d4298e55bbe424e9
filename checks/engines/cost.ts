/** What a request to the service takes beside the engine alone, with the same model. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { startScript } from "effect-speech-test-support/processes"
import { median, ratio, sum, title, whole } from "effect-speech-test-support/report"
import { interleave, millisOf, resultsOf, type Side } from "../support/interleave.js"
import { barAtMost, tableOf } from "../support/print.js"
import type { Job, Task } from "./bare.js"
import { recordingOf, sentences } from "./requests.js"
import { cpuMillisOf, hostsOf, modelsOf, type Settings, startEngines } from "./support.js"

/** 29 seconds of speech. */
const text = sentences(4)

/** In milliseconds: how long it takes, and how long it has a processor. */
interface Cost {
  readonly millis: number
  readonly cpuMillis: number
}

interface Row extends Task {
  readonly alone: Cost
  readonly served: Cost
}

const cases: ReadonlyArray<Task> = (["transcribe", "synthesize"] as const).flatMap((operation) =>
  [1, 8].map((atOnce) => ({ operation, atOnce }))
)
const nameOf = ({ atOnce, operation }: Task, side: string) => `${operation}, ${atOnce} at once, ${side}`

/** Measures all cases with models that do so much work besides. */
const measure = async (work: number, rounds: number): Promise<ReadonlyArray<Row>> => {
  const models = modelsOf(["nemo-ctc", "vits"], work)
  const service = await startEngines({ folder: models, threads: 1 })
  const speech = { text, lang: "en", voice: "tiny_loud", output_format: "16000:pcm16" }
  const recording = recordingOf((await service.synthesize(speech)).bytes)
  const path = join(models, "recording.wav")
  writeFileSync(path, recording.bytes)
  const alone = await startScript<number>(new URL("bare.js", import.meta.url), [
    JSON.stringify({ models, recording: path, text } satisfies Job)
  ])
  // Made once: the client's own work is not measured.
  const form = transcriptionForm(recording.bytes, { model: "tiny-nemo-ctc-en" })
  const key = service.apiKey ?? ""
  const requests = {
    transcribe: () =>
      send(`${service.sttBaseUrl}/api/transcribe`, {
        agent: false,
        headers: { "x-api-key": key, "content-type": form.contentType },
        body: form.body
      }),
    synthesize: () =>
      send(`${service.ttsBaseUrl}/tts/bytes`, {
        agent: false,
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: [JSON.stringify(speech)]
      })
  }
  const served = ({ atOnce, operation }: Task) =>
    millisOf(async () => {
      const responses = await Promise.all(Array.from({ length: atOnce }, requests[operation]))
      for (const { bytes, status } of responses) if (status !== 200) throw new Error(`${status} ${bytes}`)
    })
  const costOf = async (processes: () => ReadonlyArray<number>, work: () => Promise<number>): Promise<Cost> => {
    const cpuMillis = () => sum(processes().map(cpuMillisOf))
    const before = cpuMillis()
    return { millis: await work(), cpuMillis: cpuMillis() - before }
  }
  const engine = () => [alone.ready]
  const engines = () => [service.pid, ...hostsOf(service.pid)]
  const sides = cases.flatMap(
    (task): ReadonlyArray<Side<Cost>> => [
      { name: nameOf(task, "alone"), run: () => costOf(engine, () => alone.request<number>(task)) },
      { name: nameOf(task, "served"), run: () => costOf(engines, () => served(task)) }
    ]
  )
  const results = await interleave(sides, { rounds, warmUp: true })
  await alone.stop()
  await service.stop()
  const of = (task: Task, side: string): Cost => {
    const costs = resultsOf(results, nameOf(task, side))
    return {
      millis: median(costs.map(({ millis }) => millis)),
      cpuMillis: median(costs.map(({ cpuMillis }) => cpuMillis))
    }
  }
  return cases.map((task) => ({ ...task, alone: of(task, "alone"), served: of(task, "served") }))
}

const print = (rows: ReadonlyArray<Row>) =>
  tableOf(rows, {
    operation: ({ operation }) => operation,
    "at once": ({ atOnce }) => atOnce,
    "engine alone": ({ alone }) => `${whole(alone.millis)} ms`,
    service: ({ served }) => `${whole(served.millis)} ms`,
    ratio: ({ alone, served }) => ratio(served.millis, alone.millis),
    "processor, alone": ({ alone }) => `${whole(alone.cpuMillis)} ms`,
    "processor, service": ({ served }) => `${whole(served.cpuMillis)} ms`,
    // For models of any size. A part of it runs beside the model, in the collector's threads.
    "added to each": ({ alone, atOnce, served }) => `${whole((served.cpuMillis - alone.cpuMillis) / atOnce)} ms`
  })

export const checkCost = async ({ quick }: Settings): Promise<void> => {
  title("30 seconds of audio, with models that take as long as real ones of the smallest size")
  const rows = await measure(200, quick ? 3 : 9)
  print(rows)
  title("The same with the smallest models that there can be: what remains is the way to them")
  print(await measure(0, quick ? 3 : 9))
  for (const { alone, atOnce, operation, served } of rows) {
    const limit = atOnce === 1 ? 1.15 : 1.05
    const claim = `${operation}, ${atOnce} at once: at most ${limit}x the time of the engine alone`
    barAtMost(claim, served.millis / alone.millis, limit, (value) => `${value.toFixed(2)}x`)
  }
}
