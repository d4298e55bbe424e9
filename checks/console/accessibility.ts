/** Each room, empty and filled, in light and dark colours and at several widths, by the rules of WCAG 2.2 at levels A and AA. */
import { findViolations } from "effect-speech-test-support/accessibility"
import { bar, title, whole } from "effect-speech-test-support/report"
import type { Browser } from "playwright-core"
import { inEachLook } from "./looks.js"

export const testAccessibility = async (browser: Browser): Promise<void> => {
  title("Accessibility")
  const found: Array<string> = []
  let pages = 0
  for (const use of ["empty", "filled"] as const) {
    await inEachLook(browser, use, async (page, room, look) => {
      pages++
      console.error(`accessibility: ${room}, ${use}, ${look}`)
      const violations = await findViolations(page.locator("html"))
      found.push(...violations.map((violation) => `${room}, ${use}, ${look}: ${violation}`))
      const isWide = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth")
      if (isWide) found.push(`${room}, ${use}, ${look}: it scrolls sideways`)
    })
  }
  for (const each of found) console.log(each)
  bar(
    `no room breaks a rule of WCAG 2.2 AA or scrolls sideways, of ${whole(pages)} by room, use, width and colours`,
    found.length === 0,
    whole(found.length)
  )
}
