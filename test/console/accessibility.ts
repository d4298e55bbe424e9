import { LocalService } from "@effect-speech/local-service"
import axe, { type AxeResults } from "axe-core"
import * as Effect from "effect/Effect"
import { eventually, it, type Messages, playedSeconds } from "effect-speech-test-support/browser"
import { noise } from "effect-speech-test-support/recordings"
import type { Locator, Page } from "playwright-core"
import { describe, expect } from "vitest"
import { choose, chooseEnglish, journal, readClipboard, region, speak, spoken } from "./page.js"

/** Demands that a page breaks no rule of WCAG 2.2 at levels A and AA, in light and in dark colours. */
export const demandNoViolations = async (page: Page, messages: Messages): Promise<void> => {
  // axe writes a style element, which the policy of the page blocks.
  messages.accept(/Content Security Policy/)
  await page.evaluate(axe.source)
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    const found = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`)
    const broken = found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary, target }) => `${id}: ${target.join(" ")}: ${failureSummary}`)
    )
    expect(broken, colorScheme).toEqual([])
  }
}

/** Presses Tab until an element has the focus. */
const tabTo = async (page: Page, target: Locator): Promise<void> => {
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not reach ${target}`)
}

export const accessibilityTests = () =>
  describe("the page", () => {
    it("breaks no rule of WCAG 2.2 AA", async ({ messages, page, service }) => {
      messages.accept(/status of 422/)
      await demandNoViolations(page, messages)

      // With something in each part: a failure, a transcript, an open request, a fault, a new key.
      await service.run(Effect.flatMap(LocalService, ({ faults }) => faults.set([{ times: 1, status: 502 }])))
      await speak(page, "Platform two, the train is late.")
      await region(page, "Speak").getByRole("alert").waitFor()
      await chooseEnglish(page)
      await choose(page, "station.wav", await spoken(service, "The ferry leaves at six."))
      await region(page, "Listen").getByRole("list", { name: "Segments" }).waitFor()
      await region(page, "Requests").getByRole("link", { name: "Request 1, synthesize" }).click()
      await region(page, "Faults").getByText("Make a fault of your own").click()
      await region(page, "Account").getByRole("textbox", { name: "Name of a new key" }).fill("kiosk")
      await region(page, "Account").getByRole("button", { name: "Create", exact: true }).click()
      await page.getByRole("dialog").waitFor()
      await demandNoViolations(page, messages)
      await page.getByRole("dialog").getByRole("button", { name: "Create and revoke" }).click()
      await region(page, "Account").getByRole("button", { name: "Copy the key" }).waitFor()
      await demandNoViolations(page, messages)
    })

    it("fits a phone", async ({ page, messages, service }) => {
      await page.setViewportSize({ width: 360, height: 740 })
      await choose(page, "unknown.wav", noise(16_000))
      await region(page, "Listen").getByRole("button", { name: "Teach" }).waitFor()
      await spoken(service, "Platform two, the train is late.")
      await region(page, "Requests").getByRole("link", { name: "Request 2, synthesize" }).click()
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360)
      await demandNoViolations(page, messages)

      // The link to a request shows it, though the sections above it arrive later.
      await page.reload()
      await region(page, "Account").getByRole("checkbox", { name: "tts:synth" }).waitFor()
      const opened = region(page, "Requests").getByRole("link", { name: "Request 2, synthesize" })
      await eventually(async () => (await opened.boundingBox())?.y).toSatisfy(
        (y?: number) => y !== undefined && y >= 0 && y < 740
      )
    })

    it("needs no mouse", async ({ messages, page, service }) => {
      messages.accept(/status of 422/)
      const { keyboard } = page
      page.once("filechooser", (chooser) =>
        chooser.setFiles({ name: "unknown.wav", mimeType: "audio/wav", buffer: noise(16_000) })
      )
      const [speech, listen, faults, account, requests] = ["Speak", "Listen", "Faults", "Account", "Requests"].map(
        (name) => region(page, name)
      ) as [Locator, Locator, Locator, Locator, Locator]

      await tabTo(page, speech.getByRole("textbox", { name: "Text" }))
      await keyboard.press("Control+A")
      await keyboard.type("Platform two.")
      await keyboard.press("Control+Enter")
      await eventually(() => playedSeconds(page)).toBeGreaterThan(0.1)
      const pause = speech.getByRole("button", { name: /^(Play|Pause) the speech/ })
      await tabTo(page, pause)

      await tabTo(page, listen.getByLabel(/choose a file/))
      await keyboard.press("Enter")
      await listen.getByRole("button", { name: "Teach" }).waitFor()
      await tabTo(page, listen.getByRole("textbox", { name: "What is said in this recording?" }))
      await keyboard.type("a waterfall at night")
      await tabTo(page, listen.getByRole("button", { name: "Teach" }))
      await keyboard.press("Enter")
      const segment = listen.getByRole("list", { name: "Segments" }).getByRole("button", { name: /waterfall/ })
      await segment.waitFor()
      await tabTo(page, segment)
      await keyboard.press("Enter")

      await tabTo(page, faults.getByRole("switch", { name: "Next synthesis fails with 502" }))
      await keyboard.press("Space")
      await faults.getByText("waiting").waitFor()

      await tabTo(page, account.getByRole("textbox", { name: "Name of a new key" }))
      await keyboard.type("kiosk")
      await keyboard.press("Enter")
      await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Create and revoke" }))
      await keyboard.press("Enter")
      await tabTo(page, account.getByRole("button", { name: "Copy the key" }))
      await keyboard.press("Enter")
      await eventually(() => readClipboard(page)).toMatch(/^\S{20,}$/)

      await tabTo(page, requests.getByRole("link", { name: "Request 1, synthesize" }))
      await keyboard.press("Enter")
      await tabTo(page, requests.getByRole("button", { name: "Replay", exact: true }))
      await keyboard.press("Enter")
      await requests.getByRole("alert").getByText("TtsBackendFailed").waitFor()
      await tabTo(page, requests.getByRole("button", { name: "Edit and replay" }))
      await keyboard.press("Enter")
      await keyboard.press("Control+Enter")
      await eventually(async () => (await journal(service)).at(-1)).toMatchObject({
        operation: "synthesize",
        status: 200
      })
    })
  })
