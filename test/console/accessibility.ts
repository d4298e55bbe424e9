import { LocalService } from "@effect-speech/local-service"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { findViolations } from "effect-speech-test-support/accessibility"
import { eventually, it, type Messages, playedSeconds } from "effect-speech-test-support/browser"
import { noise } from "effect-speech-test-support/recordings"
import type { Locator, Page } from "playwright-core"
import { describe, expect } from "vitest"
import {
  choose,
  chooseEnglish,
  goTo,
  journal,
  type RoomName,
  readClipboard,
  region,
  roomLink,
  speak,
  spoken,
  text
} from "./page.js"

/** Demands that a part of the page breaks no rule of WCAG 2.2 at levels A and AA, in light colours. */
export const demandNoViolations = async (part: Locator, messages: Messages, what: string): Promise<void> => {
  // axe writes a style element, which the policy of the page blocks.
  messages.accept(/Content Security Policy/)
  await part.page().emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  expect(await findViolations(part), what).toEqual([])
}

/** Of all rules, only that of contrast depends on the colours. */
const demandContrastInTheDark = async (page: Page, what: string): Promise<void> => {
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" })
  expect(await findViolations(page.locator("html"), ["color-contrast"]), `${what}, dark`).toEqual([])
}

/** Runs in the page. */
const isActive = (element: { readonly ownerDocument: { readonly activeElement: unknown } }): boolean =>
  element === element.ownerDocument.activeElement

const hasFocus = (target: Locator): Promise<boolean> => target.evaluate(isActive)

/** Presses Tab until an element has the focus. */
const tabTo = async (page: Page, target: Locator): Promise<void> => {
  // Found once: to find a part by its role takes longer than to press a key.
  const element = await target.elementHandle()
  for (let presses = 0; presses < 80; presses++) {
    if (await element.evaluate(isActive)) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** Enters a room by its link, with the keyboard. */
const enterRoom = async (page: Page, name: RoomName): Promise<void> => {
  await tabTo(page, roomLink(page, name))
  await page.keyboard.press("Enter")
  // A room has keys once it is there.
  await page.getByRole("heading", { name, level: 1, exact: true }).waitFor()
}

/** Something in each room: a failure, a transcript, an open request, a run, a fault, keys. */
const addresses = ["#/try", "#/requests", "#/requests/1", "#/runs", "#/runs/book", "#/faults", "#/account"]
const headings = { try: "Try", requests: "Requests", runs: "Runs", faults: "Faults", account: "Account" }

/** Shows each room, one after another. */
const inEachRoom = async (page: Page, visit: (address: string) => Promise<void>): Promise<void> => {
  for (const address of addresses) {
    await goTo(page, address)
    const [, room] = address.split("/") as [string, keyof typeof headings]
    await page.getByRole("heading", { name: headings[room], level: 1 }).waitFor()
    await visit(address)
  }
}

export const accessibilityTests = () =>
  describe("the page", () => {
    it("breaks no rule of WCAG 2.2 AA and fits a phone, in any room", async ({ messages, page, service }) => {
      messages.accept(/status of 422/)
      const { faults } = await service.run(LocalService)
      await service.run(
        faults.set([
          { times: 1, status: 502 },
          { operation: "transcribe", delayMillis: 1 }
        ])
      )
      await speak(page, "Platform two, the train is late.")
      await region(page, "Speak").getByRole("alert").waitFor()
      await region(page, "Speak").getByRole("link", { name: "Request 1" }).waitFor()
      for (const requestId of ["book.001", "book.002"]) {
        await service.run(Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", requestId })))
      }
      await chooseEnglish(page)
      await choose(page, "station.wav", await spoken(service, "The ferry leaves at six."))
      await region(page, "Listen").getByRole("list", { name: "Segments" }).waitFor()
      await inEachRoom(page, async (address) => {
        await demandContrastInTheDark(page, address)
        await demandNoViolations(page.locator("html"), messages, address)
        await page.setViewportSize({ width: 360, height: 740 })
        expect(await page.evaluate<number>("document.documentElement.scrollWidth"), address).toBeLessThanOrEqual(360)
        await page.setViewportSize({ width: 1280, height: 760 })
      })
    })

    it("needs no mouse, and breaks no rule while it asks you and shows a new key", async ({
      messages,
      page,
      service
    }) => {
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

      await enterRoom(page, "Faults")
      await tabTo(page, faults.getByRole("switch", { name: "The next synthesis fails with 502." }))
      await keyboard.press("Space")
      await faults.getByText("has not happened yet").waitFor()

      await enterRoom(page, "Account")
      await tabTo(page, account.getByRole("textbox", { name: "Name of a new key" }))
      await keyboard.type("kiosk")
      await keyboard.press("Enter")
      await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Create and revoke" }))
      await demandNoViolations(page.getByRole("dialog"), messages, "a question")
      await keyboard.press("Enter")
      await tabTo(page, account.getByRole("button", { name: "Copy the key" }))
      await demandNoViolations(account, messages, "a new key")
      await keyboard.press("Enter")
      await eventually(() => readClipboard(page)).toMatch(/^\S{20,}$/)

      await enterRoom(page, "Requests")
      await requests.getByRole("searchbox", { name: "Search" }).waitFor()
      await keyboard.press("/")
      await keyboard.type("#1")
      await keyboard.press("Enter")
      await eventually(() => hasFocus(requests.getByRole("link", { name: /^Request 1,/ }))).toBe(true)
      await keyboard.press("Enter")
      await tabTo(page, requests.getByRole("button", { name: "Send again" }))
      await keyboard.press("Enter")
      await requests.getByText("This failure is an injected fault.").waitFor()
      await tabTo(page, requests.getByRole("button", { name: "Edit", exact: true }))
      await keyboard.press("Enter")
      await eventually(() => hasFocus(speech.getByRole("textbox", { name: "Text" }))).toBe(true)
      await keyboard.press("Control+Enter")
      await eventually(async () => (await journal(service)).at(-1)).toMatchObject({
        operation: "synthesize",
        status: 200
      })
    })
  })
