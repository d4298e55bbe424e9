/**
 * The local service beside a bare `node:http` server that gives the same answers, how fast its voice speaks, and how
 * long it takes to be ready: `pnpm verify bench-service`, `--quick` for a short form that only shows that it runs, `--only calls`,
 * `--only voice` or `--only start` for one part. Prints Markdown, and its progress to stderr.
 */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { readOptions, refuseOptions } from "../../../test/support/options.js"
import { noise } from "../../../test/support/recordings.js"
import { bar, median, ratio, table, title, whole } from "../../../test/support/report.js"
import {
  ask,
  letGo,
  send,
  startProcess,
  startService,
  temporaryFolder,
  transcriptionForm
} from "../../../test/support/serviceProcess.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })
if (only !== undefined && !["calls", "voice", "start"].includes(only)) {
  refuseOptions(`There is no part ${only}; there are calls, voice and start.`)
}

const temporary = temporaryFolder("bench-service-")
const execute = promisify(execFile)
/** @param {string} file */
const script = (file) => fileURLToPath(new URL(file, import.meta.url))
/** @param {number} value */
const tenths = (value) => value.toFixed(1)

console.log(
  `# The local service, ${new Date().toISOString().slice(0, 10)}${quick ? " (quick: too short to conclude)" : ""}\n`
)
console.log(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}, ${process.platform}.`)

/** @type {import("../../../test/support/serviceProcess.js").ServiceOptions} */
const canned = { cannedSeconds: 1, credits: 1e12 }
const second = transcriptionForm(noise(16_000))
const text = "The meeting is at ten."

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {(service: Awaited<ReturnType<typeof startService>>) => string} url
 * @property {(service: Awaited<ReturnType<typeof startService>>) => Record<string, string>} headers
 * @property {ReadonlyArray<string | Uint8Array>} body
 */

/** @param {string | undefined} outputFormat @returns {Case} */
const speaking = (outputFormat) => ({
  name: `\`/tts/bytes\`, ${outputFormat ?? "24000:float32 (the default)"}`,
  url: ({ ttsBaseUrl }) => `${ttsBaseUrl}/tts/bytes`,
  headers: ({ apiKey }) => ({ "x-api-key": apiKey ?? "", "content-type": "application/json" }),
  body: [JSON.stringify({ text, lang: "en", output_format: outputFormat })]
})

/** @type {ReadonlyArray<Case>} */
const cases = [
  speaking("8000:pcm16"),
  speaking(undefined),
  {
    name: "`/api/transcribe`, a WAV of a second",
    url: ({ sttBaseUrl }) => `${sttBaseUrl}/api/transcribe`,
    headers: ({ apiKey }) => ({ "x-api-key": apiKey ?? "", "content-type": second.contentType }),
    body: second.body
  }
]

const concurrency = 64

/** @param {ReadonlyArray<number>} sorted @param {number} share */
const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const measureCalls = async () => {
  const { count, rounds, warmup } = quick
    ? { count: 300, rounds: 1, warmup: 100 }
    : { count: 1000, rounds: 5, warmup: 300 }
  title(`Calls of a second of speech, ${concurrency} at a time`)
  console.log(
    `The voice gives a second of samples at once. Medians of ${rounds} interleaved rounds of ${count} calls after ` +
      `${warmup} to warm up, each by a new client process; CPU is the server's own, user and system.\n`
  )
  /** @type {Array<ReadonlyArray<string>>} */
  const rows = [["operation", "server", "calls/s", "to bare", "p50, ms", "p99, ms", "CPU per call, µs"]]
  for (const { body, headers, name, url } of cases) {
    const service = await startService(canned, { temporary })
    const asked = { headers: headers(service), body }
    const answer = await send(url(service), asked)
    if (answer.status !== 200) throw new Error(`${name} is answered with ${answer.status}: ${answer.bytes}`)
    const { connection, date, "keep-alive": kept, ...answered } = answer.headers
    const file = join(temporary, "answer.json")
    writeFileSync(file, JSON.stringify({ headers: answered, body: answer.bytes.toString("base64") }))
    const bare = await startProcess(script("bare.js"), [file])

    const sides = [
      { name: "local service", url: url(service), cpu: async () => (await service.sample()).cpuMicros },
      { name: "bare", url: String(bare.first), cpu: async () => (await ask(bare.child)).cpuMicros }
    ].map((side) => ({ ...side, loads: /** @type {Array<import("./load.js").Load & { cpu: number }>} */ ([]) }))
    for (let round = 1; round <= rounds; round++) {
      for (const side of sides) {
        console.error(`${name}, ${side.name}, round ${round} of ${rounds}`)
        /** @type {import("./load.js").Job} */
        const job = {
          url: side.url,
          headers: asked.headers,
          body: Buffer.concat(body.map((part) => Buffer.from(part))).toString("base64"),
          byteLength: answer.bytes.length,
          concurrency,
          warmup,
          count
        }
        const before = await side.cpu()
        const { stdout } = await execute(process.execPath, [script("load.js"), JSON.stringify(job)])
        side.loads.push({ ...JSON.parse(stdout), cpu: ((await side.cpu()) - before) / (warmup + count) })
      }
    }
    await service.stop()
    await letGo(bare)

    const rates = sides.map(({ loads }) => median(loads.map(({ wallMillis }) => (1000 * count) / wallMillis)))
    for (const [index, side] of sides.entries()) {
      /** @param {number} share */
      const latency = (share) => tenths(median(side.loads.map(({ latencies }) => quantile(latencies, share))))
      const rate = rates[index] ?? 0
      rows.push([
        index === 0 ? name : "",
        side.name,
        whole(rate),
        ratio(rate, rates[1] ?? 0),
        latency(0.5),
        latency(0.99),
        whole(median(side.loads.map(({ cpu }) => cpu)))
      ])
    }
  }
  table(rows)
}

/** @type {Record<string, string>} */
const sentences = {
  en: "Your balance is two thousand four hundred rupees.",
  hi: "नमस्ते, आपके खाते में दो हज़ार चार सौ रुपये हैं।"
}

const measureVoice = async () => {
  const service = await startService({ credits: 1e12 }, { temporary })
  /** Speaks a text. @param {string} lang @param {string} words */
  const speak = async (lang, words) => {
    const start = performance.now()
    const { bytes, headers, status } = await send(`${service.ttsBaseUrl}/tts/bytes`, {
      headers: { "x-api-key": service.apiKey ?? "", "content-type": "application/json" },
      body: [JSON.stringify({ text: words, lang })]
    })
    if (status !== 200) throw new Error(`A text is answered with ${status}: ${bytes}`)
    return { millis: performance.now() - start, seconds: Number(headers["x-audio-duration-ms"]) / 1000 }
  }

  title("The voice")
  console.log(
    "Seconds of speech for a second of time, at 24 kHz in float32. A short text is one sentence of 3 seconds.\n"
  )
  /** @type {Array<ReadonlyArray<string>>} */
  const rows = [["texts", "language", "at a time", "speech/time", "p50, ms", "longest, ms"]]
  const count = quick ? 8 : 80
  for (const [lang, sentence] of Object.entries(sentences)) {
    for (let warmup = 0; warmup < 5; warmup++) await speak(lang, sentence)
    for (const atOnce of [1, 8]) {
      console.error(`the voice, ${lang}, ${atOnce} at a time`)
      let left = count
      /** @type {Array<Awaited<ReturnType<typeof speak>>>} */
      const spoken = []
      const start = performance.now()
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (left-- > 0) spoken.push(await speak(lang, sentence))
        })
      )
      rows.push(["short", lang, String(atOnce), ...figures(spoken, performance.now() - start)])
    }
  }

  /** @type {Array<ReadonlyArray<string>>} */
  const waits = [["a short text", "language", "p50, ms", "longest, ms"]]
  for (const [lang, sentence] of Object.entries(sentences)) {
    console.error(`the voice, ${lang}, a long text`)
    const long = [...`${sentence} `.repeat(1000)].slice(0, quick ? 2000 : 10_000).join("")
    const start = performance.now()
    const alone = await speak(lang, long)
    rows.push([`${[...long].length} characters`, lang, "1", ...figures([alone], performance.now() - start)])

    /** @type {Array<number>} */
    const before = []
    for (let time = 0; time < 10; time++) before.push((await speak(lang, sentence)).millis)
    let over = false
    const spoken = speak(lang, long).then(() => {
      over = true
    })
    /** @type {Array<number>} */
    const during = []
    while (!over) during.push((await speak(lang, sentence)).millis)
    await spoken
    waits.push(["alone", lang, whole(median(before)), whole(Math.max(...before))])
    waits.push(["beside the long one", lang, whole(median(during)), whole(Math.max(...during))])
  }
  await service.stop()
  table(rows)
  table(waits)
}

/** @param {ReadonlyArray<{ readonly millis: number, readonly seconds: number }>} spoken @param {number} wallMillis */
const figures = (spoken, wallMillis) => {
  const millis = spoken.map((each) => each.millis)
  const seconds = spoken.reduce((sum, each) => sum + each.seconds, 0)
  return [whole((1000 * seconds) / wallMillis), whole(median(millis)), whole(Math.max(...millis))]
}

/** In milliseconds. */
const readyBar = 300

const measureStart = async () => {
  const processes = quick ? 1 : 5
  /** @type {Array<import("./startup.js").Startup>} */
  const starts = []
  for (let number = 1; number <= processes; number++) {
    console.error(`start, process ${number} of ${processes}`)
    starts.push(JSON.parse((await execute(process.execPath, [script("startup.js")])).stdout))
  }
  title("The start")
  const imported = median(starts.map((start) => start.imported))
  const first = median(starts.map(({ builds }) => builds[0] ?? 0))
  const builds = starts.flatMap((start) => start.builds)
  table([
    ["`LocalService.layer()`", "median, ms"],
    [`import, ${processes} processes`, whole(imported)],
    ["the first build of a process", whole(first)],
    ["20 builds of each", tenths(median(builds))]
  ])
  const ready = median(builds)
  bar(`it is ready in less than ${readyBar} ms, once imported`, ready < readyBar, `${tenths(ready)} ms`)
  if (ready >= readyBar) process.exitCode = 1
}

if (only === undefined || only === "calls") await measureCalls()
if (only === undefined || only === "voice") await measureVoice()
if (only === undefined || only === "start") await measureStart()
