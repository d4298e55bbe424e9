/** Opens pages of the site in a browser. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { findViolations } from "effect-speech-test-support/accessibility"
import type { Browser, Page } from "playwright-core"
import { barOfNone } from "../support/print.js"

/** A page of each kind. */
const pages = {
  front: "/",
  guide: "/guides/first-hour",
  error: "/errors/SttCreditExhausted",
  troubleshooting: "/troubleshooting",
  command: "/command/transcribe",
  package: "/packages/stt",
  reference: "/reference/stt/SpeechToText",
  example: "/examples/quickstart"
}

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { name: "phone-light", colorScheme: "light", viewport: { width: 360, height: 740 } },
  { name: "phone-dark", colorScheme: "dark", viewport: { width: 360, height: 740 } }
] as const

/** What each page, in each look, breaks: rules of axe, messages of the browser's console, and parts that are wider than the screen. */
export const visitPages = async (browser: Browser, url: string, pictures: string | undefined): Promise<void> => {
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
  const problems: Array<string> = []
  for (const { name: look, ...options } of looks) {
    const context = await browser.newContext(options)
    for (const [name, path] of Object.entries(pages)) {
      const page = await context.newPage()
      const note = (problem: string) => problems.push(`${name}, ${look}: ${problem}`)
      page.on("console", (message) => message.type() === "error" && note(message.text()))
      page.on("pageerror", (error) => note(error.message))
      await page.goto(`${url}${path}`, { waitUntil: "networkidle" })
      for (const violation of await findViolations(page.locator("html"))) note(violation)
      const wider = await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth)
      if (wider > 0) note(`the page is ${wider} pixels wider than the screen`)
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${look}.png`) })
      await page.close()
    }
    await context.close()
  }
  const count = Object.keys(pages).length * looks.length
  barOfNone(
    `${count} views keep WCAG 2.2 AA, print no error and fit the screen`,
    problems,
    `${problems.length} problems`
  )
}

/** What a reader types, and a page that is among the first five results. */
const searches: ReadonlyArray<readonly [words: string, page: string]> = [
  ["SttCreditExhausted", "/errors/SttCreditExhausted"],
  ["402", "/errors/SttCreditExhausted"],
  ["ERESOLVE", "/guides/installing"],
  ["mu-law", "/guides/telephony"],
  ["retryAmbiguous", "/guides/errors-and-retries"],
  ["subtitles", "/guides/subtitles"]
]

const resultsOf = async (page: Page, words: string, picture: string | undefined) => {
  await page.keyboard.press("Control+k")
  await page.locator(".VPLocalSearchBox input").fill(words)
  await page.locator(".VPLocalSearchBox .result").first().waitFor()
  const links = await page
    .locator(".VPLocalSearchBox .result")
    .evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? ""))
  if (picture !== undefined) await page.screenshot({ path: picture })
  await page.keyboard.press("Escape")
  return links.slice(0, 5)
}

/** Searches as a reader does. */
export const searchFor = async (browser: Browser, url: string, pictures: string | undefined): Promise<void> => {
  const problems: Array<string> = []
  for (const [words, expected] of searches) {
    const page = await browser.newPage()
    await page.goto(url, { waitUntil: "networkidle" })
    const results = await resultsOf(page, words, pictures && join(pictures, `search-${words}.png`)).catch(() => [])
    if (!results.some((each) => each.startsWith(expected)))
      problems.push(`"${words}" gives ${results.join(", ") || "nothing"}`)
    await page.close()
  }
  barOfNone(
    `each of ${searches.length} searches gives its page among the first five`,
    problems,
    `${problems.length} do not`
  )
}
