/** The console in a browser: how long it takes to show what a key or a click asks for, and what it keeps in memory. */
import { whole } from "effect-speech-test-support/report"
import type { Browser, Page } from "playwright-core"

/**
 * `longest` is the longest task of the page. `reaction` measures from the next key or click until a condition holds and is painted,
 * in milliseconds, by the clock of the page: the browser's driver takes longer than many reactions.
 */
const helpers = `{
  window.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
  }).observe({ type: "longtask", buffered: true })
  window.reaction = (isShown) => {
    let started
    const begin = ({ timeStamp }) => { started ??= timeStamp }
    for (const type of ["keydown", "pointerdown", "wheel"]) addEventListener(type, begin, { capture: true, once: true, passive: true })
    return new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error("It was not shown within 30 seconds: " + isShown)), 30000)
      const look = () => {
        if (started === undefined || !isShown()) return requestAnimationFrame(look)
        const channel = new MessageChannel()
        channel.port1.onmessage = () => resolve(performance.now() - started)
        channel.port2.postMessage(undefined)
      }
      requestAnimationFrame(look)
    })
  }
}`

export const openConsole = async (browser: Browser, link: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 } })
  await context.addInitScript(helpers)
  context.setDefaultTimeout(900_000)
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("navigation", { name: "Rooms" }).waitFor()
  return page
}

export interface Reaction {
  readonly what: string
  /** Until it is shown, in milliseconds. */
  readonly waited: number
  /** The longest task of the page meanwhile, in milliseconds. */
  readonly blocked: number
}

const end = async (page: Page, what: string, waited: number): Promise<Reaction> => {
  const blocked = await page.evaluate<number>("longest")
  console.error(`${what}: ${whole(waited)} ms`)
  return { what, waited, blocked }
}

/** Measures from a key or a click until the condition, an expression of JavaScript, holds in the page. */
export const reaction = async (
  page: Page,
  what: string,
  act: () => Promise<unknown>,
  isShown: string
): Promise<Reaction> => {
  // The page listens before the key or click: otherwise it would wait for another one.
  await page.evaluate(`{ longest = 0; window.measured = reaction(() => ${isShown}); undefined }`)
  await act()
  return end(page, what, await page.evaluate<number>("measured"))
}

/** Measures how long something takes that is more than a reaction. */
export const duration = async (page: Page, what: string, act: () => Promise<unknown>): Promise<Reaction> => {
  await page.evaluate("longest = 0")
  const start = performance.now()
  await act()
  return end(page, what, performance.now() - start)
}

export interface Memory {
  /** Of the heap of the page after a garbage collection, in megabytes. */
  readonly heap: number
  /** Elements and texts, also those that are no longer in the document. */
  readonly nodes: number
}

export const memoryOf = async (page: Page): Promise<Memory> => {
  const session = await page.context().newCDPSession(page)
  await session.send("HeapProfiler.collectGarbage")
  const { metrics } = await session.send("Performance.enable").then(() => session.send("Performance.getMetrics"))
  await session.detach()
  const read = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0
  return { heap: read("JSHeapUsedSize") / 1e6, nodes: read("Nodes") }
}
