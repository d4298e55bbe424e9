/**
 * The local service: its speed beside a bare `node:http` server that sends the same responses, the speed of its voice, and
 * its startup time. `pnpm verify bench-service`; `--only calls|voice|start` for one part, `--quick` for a short form that only
 * shows that it runs. Prints Markdown.
 */
import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { readOptions } from "effect-speech-test-support/options"
import { send } from "effect-speech-test-support/plainHttp"
import { runScript, startScript, temporaryFolder } from "effect-speech-test-support/processes"
import {
  at,
  judgeNoMeasurement,
  measuredBar,
  median,
  ratio,
  table,
  title,
  whole
} from "effect-speech-test-support/report"
import { type ServiceProcess, startService } from "effect-speech-test-support/serviceProcess"
import { interleave } from "../../support/interleave.js"
import { runParts } from "../../support/parts.js"
import { untilIdle } from "../../support/until.js"
import type { Job, Load } from "./load.js"
import type { Startup } from "./startup.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })

if (quick) judgeNoMeasurement()

const temporary = temporaryFolder("bench-service-")
const script = (file: string) => new URL(file, import.meta.url)
const tenths = (value: number) => value.toFixed(1)

console.log(
  `# The local service, ${new Date().toISOString().slice(0, 10)}${quick ? " (quick: too short to conclude)" : ""}\n`
)
console.log(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}, ${process.platform}.`)

const speechHeaders = ({ apiKey }: ServiceProcess) => ({
  "x-api-key": apiKey ?? "",
  "content-type": "application/json"
})

const quantile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const measureCalls = async () => {
  const concurrency = 64
  const [count, rounds, warmup] = quick ? [300, 1, 100] : [1000, 5, 300]
  title(`Syntheses of a second of speech, ${concurrency} at a time`)
  console.log(
    "The voice returns a second of samples at once. The bare `node:http` server sends the same bytes and does nothing else. " +
      `Medians of ${rounds} interleaved rounds of ${count} calls after ${warmup} to warm up, each by a new client process, and ` +
      "after a round that does not count; CPU is the server's own, user and system.\n"
  )
  for (const outputFormat of ["8000:pcm16", "24000:float32"]) {
    const service = await startService({ cannedSeconds: 1, credits: 1e12 }, { temporary })
    const request = { url: `${service.ttsBaseUrl}/tts/bytes`, headers: speechHeaders(service) }
    const body = JSON.stringify({ text: "The meeting is at ten.", lang: "en", output_format: outputFormat })
    const response = await send(request.url, { headers: request.headers, body: [body] })
    if (response.status !== 200) throw new Error(`${outputFormat} responds with ${response.status}: ${response.bytes}`)
    const { connection, date, "keep-alive": keepAlive, ...copied } = response.headers
    const file = join(temporary, "response.json")
    writeFileSync(file, JSON.stringify({ headers: copied, body: response.bytes.toString("base64") }))
    const bare = await startScript<string>(script("bare.js"), [file])

    const side = (name: string, url: string, cpu: () => Promise<number>) => ({
      name,
      run: async () => {
        const byteLength = response.bytes.length
        const job: Job = { ...request, url, body, byteLength, concurrency, warmup, count }
        const before = await cpu()
        const load = await runScript<Load>(script("load.js"), [JSON.stringify(job)])
        const after = await cpu()
        // The service learns what it has spoken after its last response.
        await untilIdle(cpu)
        return { ...load, cpu: (after - before) / (warmup + count) }
      }
    })
    const sides = await interleave(
      [
        side("local service", request.url, async () => (await service.sample()).cpuMicros),
        side("bare", bare.ready, async () => (await bare.request<{ readonly cpuMicros: number }>("sample")).cpuMicros)
      ],
      { rounds, warmUp: true }
    )
    await service.stop()
    await bare.stop()

    const rates = sides.map(({ results }) => median(results.map(({ wallMillis }) => (1000 * count) / wallMillis)))
    table([
      [outputFormat, "calls/s", "to bare", "p50, ms", "p99, ms", "CPU per call, µs"],
      ...sides.map(({ name, results }, index) => {
        const latency = (share: number) => tenths(median(results.map(({ latencies }) => quantile(latencies, share))))
        return [
          ...[name, whole(at(rates, index)), ratio(at(rates, index), at(rates, 1))],
          ...[latency(0.5), latency(0.99), whole(median(results.map(({ cpu }) => cpu)))]
        ]
      })
    ])
    const found = at(rates, 0) / at(rates, 1)
    measuredBar(`${outputFormat}: at least 0.25x of the calls/s of the bare server`, found >= 0.25, ratio(found, 1))
  }
}

const sentences = {
  en: "Your balance is two thousand four hundred rupees.",
  hi: "नमस्ते, आपके खाते में दो हज़ार चार सौ रुपये हैं।"
}

const measureVoice = async () => {
  const service = await startService({ credits: 1e12 }, { temporary })
  const speak = async (lang: string, words: string) => {
    const start = performance.now()
    const { bytes, headers, status } = await send(`${service.ttsBaseUrl}/tts/bytes`, {
      // The service closes a connection that was idle for as long as a long text takes.
      agent: false,
      headers: speechHeaders(service),
      body: [JSON.stringify({ text: words, lang })]
    })
    if (status !== 200) throw new Error(`A text responds with ${status}: ${bytes}`)
    return { millis: performance.now() - start, spokenMillis: Number(headers["x-audio-duration-ms"]) }
  }

  title("The voice")
  console.log(
    "Seconds of speech for a second of time, at 24 kHz in float32, and how long a short text waits, alone and beside a long one. " +
      "A short text is one sentence of 3 seconds.\n"
  )
  const rows: Array<ReadonlyArray<string>> = []
  for (const [lang, sentence] of Object.entries(sentences)) {
    console.error(`the voice, ${lang}`)
    for (let warmup = 0; warmup < 5; warmup++) await speak(lang, sentence)
    const long = [...`${sentence} `.repeat(1000)].slice(0, quick ? 2000 : 10_000).join("")
    const { millis, spokenMillis } = await speak(lang, long)

    const alone: Array<number> = []
    for (let time = 0; time < 10; time++) alone.push((await speak(lang, sentence)).millis)
    let isOver = false
    const speech = speak(lang, long).then(() => {
      isOver = true
    })
    const beside: Array<number> = []
    while (!isOver) beside.push((await speak(lang, sentence)).millis)
    await speech
    const waits = [alone, beside].flatMap((each) => [whole(median(each)), whole(Math.max(...each))])
    rows.push([lang, String([...long].length), whole(spokenMillis / millis), ...waits])
  }
  await service.stop()
  table([
    [
      "language",
      "characters of the long text",
      "speech/time",
      "short, alone: p50, ms",
      "longest",
      "beside: p50, ms",
      "longest"
    ],
    ...rows
  ])
}

const measureStart = async () => {
  const rounds = quick ? 1 : 5
  const run = () => runScript<Startup>(script("startup.js"))
  const starts = at(await interleave([{ name: "start", run }], { rounds }), 0).results
  title("The start")
  const ready = median(starts.flatMap((start) => start.builds))
  table([
    ["`LocalService.layer()`", "median, ms"],
    [`import, ${rounds} processes`, whole(median(starts.map(({ imported }) => imported)))],
    ["the first build of a process", whole(median(starts.map((start) => at(start.builds, 0))))],
    ["20 builds of each", tenths(ready)]
  ])
  measuredBar("it is ready in less than 300 ms, once imported", ready < 300, `${tenths(ready)} ms`)
}

await runParts({ calls: measureCalls, voice: measureVoice, start: measureStart }, only)
