/** An hour of audio through one model, and a client that leaves in its middle. */
import { setTimeout as sleep } from "node:timers/promises"
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { bar, megabytes, title, whole } from "effect-speech-test-support/report"
import { jsonObject } from "../conformance/rule.js"
import { usedOf } from "../support/journal.js"
import { barOfFlat, fifths, medianOfPart } from "../support/memory.js"
import { barAtMost, seconds, tableOf } from "../support/print.js"
import { until } from "../support/until.js"
import { recordingOf, sentences } from "./requests.js"
import { cpuMillisOf, type EngineService, latestHost, memoryOf, modelsOf, startEngines } from "./support.js"

interface Measured {
  readonly what: string
  readonly millis: number
  /** Memory of the service and of the process of the model, at regular intervals, in bytes. */
  readonly samples: ReadonlyArray<{ readonly service: number; readonly model: number }>
  /** The longest time without a turn of the event loop. */
  readonly heldMillis: number
}

const measure = async (service: EngineService, what: string, work: () => Promise<unknown>): Promise<Measured> => {
  console.error(what)
  await service.resetPeak()
  const samples: Array<{ service: number; model: number }> = []
  const timer = setInterval(() => {
    samples.push({ service: memoryOf(service.pid).rss, model: memoryOf(latestHost(service)).rss })
  }, 50)
  const start = performance.now()
  await work()
  const millis = performance.now() - start
  clearInterval(timer)
  return { what, millis, samples, heldMillis: (await service.sample()).heldMillis }
}

/** About 20 minutes of speech: as much as a text of a call can have. */
const text = sentences(178)
const speech = { text, lang: "en", voice: "tiny_loud", output_format: "16000:pcm16" }
const model = "tiny-nemo-ctc-en"

const transcribe = (service: EngineService, wav: Buffer, signal?: AbortSignal) => {
  const { body, contentType } = transcriptionForm(wav, { model })
  return send(`${service.sttBaseUrl}/api/transcribe`, {
    agent: false,
    headers: { "x-api-key": service.apiKey ?? "", "content-type": contentType },
    body,
    ...(signal && { signal })
  })
}

/** Leaves in the middle of an hour. Returns how much the model has worked since, in pieces. */
const leave = async (wav: Buffer) => {
  const service = await startEngines({ folder: modelsOf(["nemo-ctc", "vits"], 100), threads: 1, concurrency: 1 })
  const { bytes: short } = recordingOf(wav.subarray(44, 44 + 28 * 32_000))
  await transcribe(service, short)
  const pid = latestHost(service)
  const loaded = cpuMillisOf(pid)
  await transcribe(service, short)
  const piece = cpuMillisOf(pid) - loaded
  const before = await usedOf(service)
  const start = cpuMillisOf(pid)
  const controller = new AbortController()
  const ended = transcribe(service, wav, controller.signal).then(
    () => "it succeeded",
    () => "left"
  )
  await until(() => cpuMillisOf(pid) >= start + 5.5 * piece, { seconds: 300 })
  controller.abort()
  const left = cpuMillisOf(pid)
  const outcome = await ended
  let last = -1
  while (last !== cpuMillisOf(pid)) {
    last = cpuMillisOf(pid)
    await sleep(500)
  }
  const billed = (await usedOf(service)).transcribe.calls - before.transcribe.calls
  await service.stop()
  return { outcome, piece, billed, more: (last - left) / piece }
}

export const checkHour = async (): Promise<void> => {
  const service = await startEngines({ folder: modelsOf(["nemo-ctc", "vits"]) })
  const spoken: Array<Buffer> = []
  const speaking = await measure(service, "speech of an hour, in three calls", async () => {
    for (let call = 1; call <= 3; call++) spoken.push((await service.synthesize(speech)).bytes)
  })
  const { bytes: wav } = recordingOf(Buffer.concat(spoken))
  // A process takes more memory until it has found its size.
  await transcribe(service, wav)
  let heard = ""
  const hearing = await measure(service, "transcription of an hour", async () => {
    heard = String(jsonObject({ ...(await transcribe(service, wav)), request: "" })?.text)
  })
  await service.stop()
  console.error("a client leaves")
  const { billed, more, outcome, piece } = await leave(wav)

  const rows = [speaking, hearing]
  const medianOf = ({ samples }: Measured, part: number, of: "service" | "model") =>
    medianOfPart(samples, part, 5, (sample) => sample[of]) ?? 0
  const parts = (row: Measured, of: "service" | "model") =>
    fifths.map((part) => megabytes(medianOf(row, part, of))).join(", ")
  title(`${seconds((wav.length - 44) / 32)} of audio`)
  tableOf(rows, {
    work: ({ what }) => what,
    took: ({ millis }) => seconds(millis),
    "service, median of each fifth": (row) => parts(row, "service"),
    "model, of each fifth": (row) => parts(row, "model"),
    "event loop held": ({ heldMillis }) => `${whole(heldMillis)} ms`
  })
  bar("the transcript is the text, word for word", heard === [text, text, text].join(" "), `${heard.length} characters`)
  for (const row of rows) {
    for (const of of ["service", "model"] as const) {
      const claim = `${row.what}: the last fifth takes at most 1.15x the memory of the second, in the ${of}`
      barOfFlat(claim, 1.15, medianOf(row, 2, of), medianOf(row, 5, of))
    }
    barAtMost(
      `${row.what}: the event loop is never held longer than 100 ms`,
      row.heldMillis,
      100,
      (millis) => `${whole(millis)} ms`
    )
  }
  const figure = `${outcome}; ${more.toFixed(2)} pieces of ${piece} ms later it was idle; ${billed} calls were billed`
  bar(
    "a client leaves: the model works on for at most a piece, and nothing is billed",
    outcome === "left" && more <= 1.2 && billed === 0,
    figure
  )
}
