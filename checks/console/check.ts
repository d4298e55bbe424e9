/**
 * The console in a browser with 10,000 requests, with a recording of an hour, and with recordings of up to five hours:
 * `pnpm verify console`. It measures what a person waits for, the longest time in which the page can't respond, and the memory of the
 * page. The long recordings need ffmpeg and Linux.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { LocalService } from "@effect-speech/local-service"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { startChromium } from "effect-speech-test-support/chromium"
import { localClients } from "effect-speech-test-support/localClients"
import { isInstalled } from "effect-speech-test-support/programs"
import { noise } from "effect-speech-test-support/recordings"
import { bar, exitStatus, table, title, whole } from "effect-speech-test-support/report"
import type { Page } from "playwright-core"
import { buildConsole } from "../../packages/local-service/console/build.js"
import { barAtMost } from "../support/print.js"

const requests = 10_000
const minutes = 60
/** Milliseconds. A person who waits longer than a second for a response loses the thread (Nielsen, Usability Engineering, 5.5). */
const limit = 1000

await buildConsole(fileURLToPath(new URL("../../packages/local-service/dist/console", import.meta.url)))
const runtime = ManagedRuntime.make(localClients())
const { consoleLink, platformUrl, ttsBaseUrl } = await runtime.runPromise(LocalService)
const browser = await startChromium()
const rows: Array<[what: string, waited: string, blocked: string]> = []

/** Remembers the longest task of the page. */
const watch = `{
  window.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
  }).observe({ type: "longtask", buffered: true })
}`

/** Measures how long it takes, and the longest task of the page meanwhile, in milliseconds. */
const measure = async (page: Page, what: string, action: () => Promise<unknown>) => {
  await page.evaluate("longest = 0")
  const start = performance.now()
  await action()
  const waited = performance.now() - start
  const blocked = await page.evaluate<number>("longest")
  rows.push([what, `${whole(waited)} ms`, `${whole(blocked)} ms`])
  console.error(`${what}: ${whole(waited)} ms`)
  return { waited, blocked }
}

const openPage = async () => {
  const context = await browser.newContext()
  await context.addInitScript(watch)
  context.setDefaultTimeout(900_000)
  const page = await context.newPage()
  await page.goto(Redacted.value(await runtime.runPromise(consoleLink)))
  const journal = page.getByRole("region", { name: "Requests", exact: true })
  const listen = page.getByRole("region", { name: "Listen", exact: true })
  await journal.getByText("live").waitFor()
  return { journal, listen, page }
}
const { journal, listen, page } = await openPage()

/** A request without a key: the service responds with 401 at once, and writes it to the journal. */
const send = async (number: number) => {
  const response = await fetch(`${ttsBaseUrl}/tts/bytes`, {
    method: "POST",
    headers: { "x-request-id": `request-${number}`, "content-type": "application/json" },
    body: JSON.stringify({ text: `Text ${number}` })
  })
  await response.arrayBuffer()
}

const arriving = await measure(page, `${requests} requests arrive`, async () => {
  for (let first = 1; first <= requests; first += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => send(first + index)))
  }
  await journal.getByRole("link", { name: `Request ${requests}, synthesize` }).waitFor()
})
const opening = await measure(page, "open a request", async () => {
  await journal.getByRole("link", { name: `Request ${requests}, synthesize` }).click()
  await journal.getByText(`request-${requests}`).waitFor()
})
const filtering = await measure(page, "filter", async () => {
  await page.keyboard.press("/")
  await page.keyboard.type("request-9999")
  await journal.getByRole("link", { name: "Request 9999, synthesize" }).waitFor()
  await journal.getByRole("link", { name: `Request ${requests}, synthesize` }).waitFor({ state: "detached" })
})
const typing = await measure(page, "type a text beside them", async () => {
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Platform two.")
  await page.getByText("13 of 10,000 code points").waitFor()
})
const loading = await measure(page, "load the page again", async () => {
  await page.goto(platformUrl)
  await journal.getByRole("link", { name: `Request ${requests}, synthesize` }).waitFor()
})

const folder = mkdtempSync(join(tmpdir(), "effect-speech-console-"))
const file = join(folder, "hour.wav")
writeFileSync(file, noise(minutes * 60 * 16_000))
const listening = await measure(page, `transcribe a recording of ${minutes} minutes, and draw it`, async () => {
  await listen.getByLabel(/choose a file/).setInputFiles(file)
  await listen.getByRole("button", { name: "Teach" }).waitFor()
  await listen.getByRole("button", { name: "Play the recording", disabled: false }).waitFor()
})
const seeking = await measure(page, "go to its middle, and play", async () => {
  await listen.getByRole("slider", { name: "Position in the recording" }).fill(String(minutes * 30))
  await listen.getByRole("button", { name: "Play the recording" }).click()
  await listen
    .getByText(`${minutes / 2}:01`)
    .first()
    .waitFor()
})

/** The most memory that each process of a page has taken so far, by its id. In megabytes. */
const peaksOfPages = async (): Promise<ReadonlyMap<number, number>> => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  await session.detach()
  const peakOf = (id: number) =>
    Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) / 1024
  return new Map(processInfo.filter(({ type }) => type === "renderer").map(({ id }) => [id, peakOf(id)]))
}

/** What ffmpeg makes of them: what is heard, and how it is encoded. */
const longRecordings = [
  ["5h.flac", "anullsrc=r=8000:cl=mono", 5 * 3600, []],
  ["117min.mp3", "anoisesrc=r=44100:a=0.3:seed=1", 117 * 60, ["-ac", "2", "-b:a", "128k"]],
  ["5h.mp3", "anoisesrc=r=16000:a=0.3:seed=1", 5 * 3600, ["-b:a", "32k"]]
] as const
const canMeasureLong = process.platform === "linux" && isInstalled("ffmpeg")
const peaks: Array<number> = []
const long = []
for (const [name, source, seconds, encoding] of canMeasureLong ? longRecordings : []) {
  const path = join(folder, name)
  execFileSync("ffmpeg", ["-v", "error", "-f", "lavfi", "-t", String(seconds), "-i", source, ...encoding, path])
  // A context of its own has a process of its own, without the peaks of earlier recordings.
  const { listen, page } = await openPage()
  const before = await peaksOfPages()
  long.push(
    await measure(page, `draw ${name}, and play its end`, async () => {
      const drawn = page.waitForResponse((response) => response.url().endsWith("/platform/api/waveforms"))
      await listen.getByLabel(/choose a file/).setInputFiles(path)
      await (await drawn).finished()
      const position = listen.getByRole("slider", { name: "Position in the recording" })
      await position.fill(String(seconds - 10))
      await listen.getByRole("button", { name: "Play the recording" }).click()
      while (Number(await position.inputValue()) < seconds - 9) await setTimeout(50)
    })
  )
  const grown = [...(await peaksOfPages())].map(([id, peak]) => peak - (before.get(id) ?? 0))
  peaks.push(Math.max(...grown))
  await page.context().close()
  console.error(`${name}: ${whole(peaks.at(-1) ?? 0)} MB more`)
}
rmSync(folder, { recursive: true, force: true })
await browser.close()
await runtime.dispose()

title("The console")
table([["", "until it shows", "longest task of the page"], ...rows])
const reactions = [opening, filtering, typing, loading]
const show = (millis: number) => `at most ${whole(millis)} ms`
const reacted = Math.max(...reactions.map(({ waited }) => waited))
barAtMost(`with ${requests} requests, the page shows each reaction within a second`, reacted, limit, show)
const blocked = Math.max(...[arriving, ...reactions, listening, seeking].map(({ blocked }) => blocked))
barAtMost("no task of the page blocks it for a second", blocked, limit, show)
if (canMeasureLong) {
  table([
    ["recording", "memory of the page above that without it"],
    ...longRecordings.map(([name], index) => [name, `${whole(peaks[index] ?? 0)} MB`])
  ])
  const [most, blocked] = [Math.max(...peaks), Math.max(...long.map(({ blocked }) => blocked))]
  bar(
    "a recording of 5 hours takes at most 150 MB of the page, and blocks it for less than a second",
    most < 150 && blocked < limit,
    `at most ${whole(most)} MB, ${whole(blocked)} ms`
  )
}
process.exitCode = exitStatus()
