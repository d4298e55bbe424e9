/** The console with recordings of an hour and more. The longest need ffmpeg and Linux. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { isInstalled } from "effect-speech-test-support/programs"
import { noise } from "effect-speech-test-support/recordings"
import { whole } from "effect-speech-test-support/report"
import type { Browser, Page } from "playwright-core"
import { duration, openConsole, type Reaction, reaction } from "./reactions.js"

const minutes = 60

const listenOf = (page: Page) => page.getByRole("region", { name: "Listen", exact: true })

/** A person hears an hour, in a page that has the requests too. */
export const hearAnHour = async (page: Page) => {
  const folder = mkdtempSync(join(tmpdir(), "effect-speech-console-"))
  const file = join(folder, "hour.wav")
  writeFileSync(file, noise(minutes * 60 * 16_000))
  const listen = listenOf(page)
  const transcribed = await duration(page, `transcribe a recording of ${minutes} minutes, and draw it`, async () => {
    await listen.getByLabel(/choose a file/).setInputFiles(file)
    await listen.getByText("Nothing was recognised").waitFor()
    await listen.getByRole("button", { name: "Play the recording", disabled: false }).waitFor()
  })
  rmSync(folder, { recursive: true, force: true })
  const slider = listen.getByRole("slider", { name: "Position in the recording" })
  await slider.fill(String(minutes * 30))
  const moved = await reaction(
    page,
    "move in the recording by a key",
    () => slider.press("ArrowRight"),
    `Number(document.querySelector("input.seek").value) > ${minutes * 30}`
  )
  const played = await duration(page, "play it from its middle", async () => {
    await listen.getByRole("button", { name: "Play the recording" }).click()
    await listen
      .getByText(new RegExp(`${minutes / 2}:0[1-9]`))
      .first()
      .waitFor()
  })
  await listen.getByRole("button", { name: "Pause the recording" }).click()
  return { transcribed, moved, played }
}

/** The most memory that each process of a page has taken so far, by its id. In megabytes. */
const peaksOfPages = async (browser: Browser): Promise<ReadonlyMap<number, number>> => {
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

export interface LongRecording extends Reaction {
  readonly name: string
  /** Memory of the page above that without it, in megabytes. */
  readonly peak: number
}

/** `undefined` if this machine can't measure it. */
export const hearLong = async (
  browser: Browser,
  link: () => Promise<string>
): Promise<ReadonlyArray<LongRecording> | undefined> => {
  if (process.platform !== "linux" || !isInstalled("ffmpeg")) return undefined
  const folder = mkdtempSync(join(tmpdir(), "effect-speech-console-"))
  const results: Array<LongRecording> = []
  for (const [name, source, seconds, encoding] of longRecordings) {
    const path = join(folder, name)
    execFileSync("ffmpeg", ["-v", "error", "-f", "lavfi", "-t", String(seconds), "-i", source, ...encoding, path])
    // A context of its own has a process of its own, without the peaks of earlier recordings.
    const page = await openConsole(browser, await link())
    const listen = listenOf(page)
    const before = await peaksOfPages(browser)
    const drawn = await duration(page, `draw ${name}, and play its end`, async () => {
      const drawn = page.waitForResponse((response) => response.url().endsWith("/platform/api/waveforms"))
      await listen.getByLabel(/choose a file/).setInputFiles(path)
      await (await drawn).finished()
      const position = listen.getByRole("slider", { name: "Position in the recording" })
      await position.fill(String(seconds - 10))
      await listen.getByRole("button", { name: "Play the recording" }).click()
      while (Number(await position.inputValue()) < seconds - 9) await setTimeout(50)
    })
    const grown = [...(await peaksOfPages(browser))].map(([id, peak]) => peak - (before.get(id) ?? 0))
    results.push({ ...drawn, name, peak: Math.max(...grown) })
    await page.context().close()
    console.error(`${name}: ${whole(Math.max(...grown))} MB more`)
  }
  rmSync(folder, { recursive: true, force: true })
  return results
}
