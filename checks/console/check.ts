/**
 * The console in a browser with 10,000 requests, 300 runs, a recording of an hour, and recordings of up to five hours:
 * `pnpm verify console`. It measures how long each room takes to react, the longest time in which the page can't respond, the memory
 * of the page, and what the first load takes. The long recordings need ffmpeg and Linux. It also looks for parts that break a rule of
 * WCAG 2.2, in each room, at several widths, in light and dark colours.
 *
 * `--pictures FOLDER` writes pictures of each room instead, for a person to look at.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { startChromium } from "effect-speech-test-support/chromium"
import { readOptions } from "effect-speech-test-support/options"
import { bar, exitStatus, sum, table, title, whole } from "effect-speech-test-support/report"
import type { Browser, Page } from "playwright-core"
import { buildConsole } from "../../packages/local-service/console/build.js"
import { barAtMost } from "../support/print.js"
import { testAccessibility } from "./accessibility.js"
import { runs, type Service, startService } from "./load.js"
import { takePictures } from "./pictures.js"
import { duration, type Memory, memoryOf, openConsole, type Reaction } from "./reactions.js"
import { hearAnHour, hearLong } from "./recordings.js"
import { roomLink, rooms, show, useRooms } from "./rooms.js"

const requests = 10_000
/** In milliseconds. A reaction feels immediate up to 0.1 s; a person waits for up to 1 s (Nielsen, Usability Engineering, 5.5). */
const limits = { reaction: 100, wait: 1000 }
/** Of all files of the first load, compressed, in bytes. Fonts are loaded later, for the scripts that are shown. */
const firstLoad = 125_000

const folder = fileURLToPath(new URL("../../packages/local-service/dist/console", import.meta.url))
const millis = (value: number) => `at most ${whole(value)} ms`
const most = (reactions: ReadonlyArray<Reaction>, key: "waited" | "blocked") =>
  Math.max(...reactions.map((each) => each[key]))

/** What the browser loads until it shows a room at its address. */
const measureFirstLoad = async (browser: Browser, { link }: Service) => {
  const rows: Array<readonly [room: string, files: number, bytes: number]> = []
  for (const room of rooms) {
    const names: Array<string> = []
    const page = await openConsole(browser, await link())
    await page.goto("about:blank")
    page.on("response", (response) => {
      const { pathname } = new URL(response.url())
      if (pathname === "/" || /^\/console\/.*\.(js|css|svg)$/.test(pathname))
        names.push(pathname.slice(9) || "index.html")
    })
    const { origin } = new URL(await link())
    await page.goto(`${origin}/#/${room.toLowerCase()}`)
    await page.getByRole("heading", { name: room, level: 1 }).waitFor()
    const sizes = [...new Set(names)].map((name) => gzipSync(readFileSync(join(folder, name))).length)
    rows.push([room, sizes.length, sum(sizes)])
    await page.context().close()
  }
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  title("The first load")
  table([
    ["room", "files", "compressed"],
    ...rows.map(([room, files, bytes]) => [room, whole(files), kilobytes(bytes)])
  ])
  const most = Math.max(...rows.map(([, , bytes]) => bytes))
  barAtMost("the first load of each room takes at most 125 kB", most, firstLoad, kilobytes)
}

/** The page keeps a limited number of requests. Beyond it, and after any number of visits, it takes no more memory. */
const measureMemory = async (page: Page, { send }: Service) => {
  const settle = async (total: number) => {
    await page.locator(`.room.requests a[href="#/requests/${total}"]`).first().waitFor()
    await page.waitForTimeout(1000)
  }
  const rows: Array<readonly [what: string, memory: Memory]> = []
  const note = async (what: string) => {
    const memory = await memoryOf(page)
    rows.push([what, memory])
    return memory
  }
  const visit = async (times: number) => {
    for (let each = 0; each < times; each++) for (const room of rooms) await show(page, room)
    await show(page, "Requests")
  }
  await visit(2)
  await settle(await send(14_000))
  const full = await note("with as many requests as the page keeps")
  await settle(await send(requests))
  const later = await note(`after ${requests} more`)
  await visit(20)
  const visited = await note("after 20 visits of each room")
  title("Memory of the page")
  table([
    ["", "heap", "nodes"],
    ...rows.map(([what, { heap, nodes }]) => [what, `${heap.toFixed(1)} MB`, whole(nodes)])
  ])
  const grown = Math.max(later.heap, visited.heap) / full.heap - 1
  bar(
    `the heap grows by less than a tenth with ${requests} more requests, and with 20 visits of each room`,
    grown < 0.1,
    `${(100 * grown).toFixed(1)} %`
  )
}

const measureReactions = async (browser: Browser, service: Service) => {
  const { link, platformUrl, send } = service
  const page = await openConsole(browser, await link())
  await roomLink(page, "Requests").click()
  const arriving = await duration(page, `${requests} requests arrive`, async () => {
    await send(requests)
    await page.locator(`.room.requests a[href="#/requests/${requests}"]`).first().waitFor()
  })
  await show(page, "Try")
  const reactions = await useRooms(page, requests)
  const hour = await hearAnHour(page)
  await measureMemory(page, service)
  const loading = await duration(page, "load the page again", async () => {
    await page.goto(`${platformUrl}/#/requests`)
    await page.reload()
    await page.locator('.room.requests a[href^="#/requests/"]').first().waitFor()
  })
  await page.context().close()
  const long = await hearLong(browser, link)

  const waits = [loading, arriving, hour.transcribed, hour.played, ...(long ?? [])]
  const immediate = [...reactions, hour.moved]
  title(`The console with ${requests} requests and ${runs} runs`)
  table([
    ["", "until it shows", "longest task of the page"],
    ...[...immediate, ...waits].map(({ blocked, waited, what }) => [
      what,
      `${whole(waited)} ms`,
      `${whole(blocked)} ms`
    ])
  ])
  barAtMost("the page shows each reaction within 100 ms", most(immediate, "waited"), limits.reaction, millis)
  barAtMost(
    "no task of the page blocks it for 100 ms",
    most([...immediate, hour.played], "blocked"),
    limits.reaction,
    millis
  )
  barAtMost("it is loaded within a second", loading.waited, limits.wait, millis)
  barAtMost("nothing blocks it for a second", most(waits, "blocked"), limits.wait, millis)
  if (long === undefined) return
  table([
    ["recording", "memory of the page above that without it"],
    ...long.map(({ name, peak }) => [name, `${whole(peak)} MB`])
  ])
  const peak = Math.max(...long.map(({ peak }) => peak))
  barAtMost(
    "a recording of 5 hours takes at most 150 MB of the page",
    peak,
    150,
    (value) => `at most ${whole(value)} MB`
  )
}

const { pictures } = readOptions({ pictures: { type: "string" } })
const browser = await startChromium()
await buildConsole(folder)
if (pictures !== undefined) await takePictures(browser, pictures)
else {
  const service = await startService()
  await measureFirstLoad(browser, service)
  await measureReactions(browser, service)
  await service.stop()
  await testAccessibility(browser)
}
await browser.close()
process.exitCode = exitStatus()
