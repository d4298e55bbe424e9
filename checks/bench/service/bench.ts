/**
 * The local service: its speed beside a bare `node:http` server that sends the same responses, the speed of its voice, and
 * its startup time. `pnpm verify bench-service`; `--only calls|voice|start` for one part, `--quick` for a short form that only
 * shows that it runs. Prints Markdown.
 */
import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { readOptions } from "effect-speech-test-support/options"
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { runScript, startScript, temporaryFolder } from "effect-speech-test-support/processes"
import { noise } from "effect-speech-test-support/recordings"
import { at, bar, median, ratio, sum, table, title, whole } from "effect-speech-test-support/report"
import { type ServiceProcess, startService } from "effect-speech-test-support/serviceProcess"
import { interleave, millisOf } from "../../support/interleave.js"
import { runParts } from "../../support/parts.js"
import { untilIdle } from "../../support/until.js"
import type { Job, Load } from "./load.js"
import type { Startup } from "./startup.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })

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
/** In the text of each call there is another number, if its body is `numbered`. */
const digits = "0".repeat(16)
const text = `The meeting ${digits} is at ten.`
const synthesis = (outputFormat: string | undefined, numbered: boolean) => ({
  name: `\`/tts/bytes\`, ${outputFormat ?? "24000:float32 (the default)"}, ${numbered ? "each text once" : "one text"}`,
  least: 0.25,
  numbered: numbered ? digits : undefined,
  url: ({ ttsBaseUrl }: ServiceProcess) => `${ttsBaseUrl}/tts/bytes`,
  headers: speechHeaders,
  body: [JSON.stringify({ text, lang: "en", output_format: outputFormat })] as ReadonlyArray<string | Uint8Array>
})
const form = transcriptionForm(noise(16_000))
const cases = [
  synthesis("8000:pcm16", false),
  synthesis("8000:pcm16", true),
  synthesis(undefined, false),
  synthesis(undefined, true),
  {
    name: "`/api/transcribe`, a WAV of a second",
    least: undefined,
    numbered: undefined,
    url: ({ sttBaseUrl }: ServiceProcess) => `${sttBaseUrl}/api/transcribe`,
    headers: ({ apiKey }: ServiceProcess) => ({ "x-api-key": apiKey ?? "", "content-type": form.contentType }),
    body: form.body
  }
]

const quantile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const measureCalls = async () => {
  const concurrency = 64
  const [count, rounds, warmup] = quick ? [300, 1, 100] : [1000, 5, 300]
  title(`Calls of a second of speech, ${concurrency} at a time`)
  console.log(
    "The voice returns a second of samples at once. The service learns them after each of its rounds, and the next round waits " +
      "for that. The HttpServer of @effect/platform-node and the bare `node:http` server send the same bytes and do nothing else. " +
      `Medians of ${rounds} interleaved rounds of ${count} calls after ${warmup} to warm up, each by a new client process, and ` +
      "after a round that does not count; CPU is the server's own, user and system.\n"
  )
  const rows: Array<ReadonlyArray<string>> = [
    ["operation", "server", "calls/s", "to bare", "p50, ms", "p99, ms", "CPU per call, µs"]
  ]
  const bars: Array<readonly [name: string, least: number, found: number]> = []
  for (const { body, headers, least, name, numbered, url } of cases) {
    const service = await startService({ cannedSeconds: 1, credits: 1e12 }, { temporary })
    const response = await send(url(service), { headers: headers(service), body })
    if (response.status !== 200) throw new Error(`${name} responds with ${response.status}: ${response.bytes}`)
    const { connection, date, "keep-alive": keepAlive, ...copied } = response.headers
    const file = join(temporary, "response.json")
    writeFileSync(file, JSON.stringify({ headers: copied, body: response.bytes.toString("base64") }))
    const start = async (server: string, source: string) => {
      const { ready, request, stop } = await startScript<string>(script(source), [file])
      const cpu = async () => (await request<{ readonly cpuMicros: number }>("sample")).cpuMicros
      return { side: side(server, ready, cpu), stop }
    }
    const side = (server: string, serverUrl: string, cpu: () => Promise<number>) => ({
      name: server,
      run: async () => {
        const job: Job = {
          ...{ url: serverUrl, headers: headers(service), concurrency, warmup, count, numbered },
          body: Buffer.concat(body.map((chunk) => Buffer.from(chunk))).toString("base64"),
          byteLength: response.bytes.length
        }
        const before = await cpu()
        const load = await runScript<Load>(script("load.js"), [JSON.stringify(job)])
        const after = await cpu()
        await untilIdle(cpu)
        return { ...load, cpu: (after - before) / (warmup + count) }
      }
    })
    const platform = await start("HttpServer of the platform", "platform.js")
    const bare = await start("bare", "bare.js")
    const sides = await interleave(
      [side("local service", url(service), async () => (await service.sample()).cpuMicros), platform.side, bare.side],
      { rounds, warmUp: true }
    )
    for (const { stop } of [service, platform, bare]) await stop()

    const rates = sides.map(({ results }) => median(results.map(({ wallMillis }) => (1000 * count) / wallMillis)))
    for (const [index, { name: server, results }] of sides.entries()) {
      const latency = (share: number) => tenths(median(results.map(({ latencies }) => quantile(latencies, share))))
      rows.push([
        ...[index === 0 ? name : "", server, whole(at(rates, index)), ratio(at(rates, index), at(rates, 2))],
        ...[latency(0.5), latency(0.99), whole(median(results.map(({ cpu }) => cpu)))]
      ])
    }
    if (least !== undefined) bars.push([name, least, at(rates, 0) / at(rates, 2)])
  }
  table(rows)
  for (const [name, least, found] of bars) {
    bar(`${name}: at least ${least}x of the calls/s of the bare server`, found >= least, ratio(found, 1))
  }
}

const sentences = {
  en: "Your balance is two thousand four hundred rupees.",
  hi: "नमस्ते, आपके खाते में दो हज़ार चार सौ रुपये हैं।"
}

type Spoken = { readonly millis: number; readonly seconds: number }

const figures = (spoken: ReadonlyArray<Spoken>, wallMillis: number) => {
  const millis = spoken.map((each) => each.millis)
  const seconds = sum(spoken.map((each) => each.seconds))
  return [whole((1000 * seconds) / wallMillis), whole(median(millis)), whole(Math.max(...millis))]
}

const measureVoice = async () => {
  const service = await startService({ credits: 1e12 }, { temporary })
  const speak = async (lang: string, words: string): Promise<Spoken> => {
    const start = performance.now()
    const { bytes, headers, status } = await send(`${service.ttsBaseUrl}/tts/bytes`, {
      // The service closes a connection that was idle for as long as a long text takes.
      agent: false,
      headers: speechHeaders(service),
      body: [JSON.stringify({ text: words, lang })]
    })
    if (status !== 200) throw new Error(`A text responds with ${status}: ${bytes}`)
    return { millis: performance.now() - start, seconds: Number(headers["x-audio-duration-ms"]) / 1000 }
  }

  title("The voice")
  console.log(
    "Seconds of speech for a second of time, at 24 kHz in float32. A short text is one sentence of 3 seconds.\n"
  )
  const rows: Array<ReadonlyArray<string>> = [
    ["texts", "language", "at a time", "speech/time", "p50, ms", "longest, ms"]
  ]
  const count = quick ? 8 : 80
  for (const [lang, sentence] of Object.entries(sentences)) {
    for (let warmup = 0; warmup < 5; warmup++) await speak(lang, sentence)
    for (const concurrency of [1, 8]) {
      console.error(`the voice, ${lang}, ${concurrency} at a time`)
      let left = count
      const spoken: Array<Spoken> = []
      const worker = async () => {
        while (left-- > 0) spoken.push(await speak(lang, sentence))
      }
      const wallMillis = await millisOf(() => Promise.all(Array.from({ length: concurrency }, worker)))
      rows.push(["short", lang, String(concurrency), ...figures(spoken, wallMillis)])
    }
  }

  const waits: Array<ReadonlyArray<string>> = [["a short text", "language", "p50, ms", "longest, ms"]]
  for (const [lang, sentence] of Object.entries(sentences)) {
    console.error(`the voice, ${lang}, a long text`)
    const long = [...`${sentence} `.repeat(1000)].slice(0, quick ? 2000 : 10_000).join("")
    const alone = await speak(lang, long)
    rows.push([`${[...long].length} characters`, lang, "1", ...figures([alone], alone.millis)])

    const before: Array<number> = []
    for (let time = 0; time < 10; time++) before.push((await speak(lang, sentence)).millis)
    let isOver = false
    const speech = speak(lang, long).then(() => {
      isOver = true
    })
    const during: Array<number> = []
    while (!isOver) during.push((await speak(lang, sentence)).millis)
    await speech
    waits.push(["alone", lang, whole(median(before)), whole(Math.max(...before))])
    waits.push(["beside the long one", lang, whole(median(during)), whole(Math.max(...during))])
  }
  await service.stop()
  table(rows)
  table(waits)
}

const measureStart = async () => {
  const rounds = quick ? 1 : 5
  const run = () => runScript<Startup>(script("startup.js"))
  const starts = at(await interleave([{ name: "start", run }], { rounds }), 0).results
  title("The start")
  const builds = starts.flatMap((start) => start.builds)
  const ready = median(builds)
  table([
    ["`LocalService.layer()`", "median, ms"],
    [`import, ${rounds} processes`, whole(median(starts.map(({ imported }) => imported)))],
    ["the first build of a process", whole(median(starts.map((start) => at(start.builds, 0))))],
    ["20 builds of each", tenths(ready)]
  ])
  bar("it is ready in less than 300 ms, once imported", ready < 300, `${tenths(ready)} ms`)
}

await runParts({ calls: measureCalls, voice: measureVoice, start: measureStart }, only)
