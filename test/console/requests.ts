import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { eventually, it, playedSeconds, type Service } from "effect-speech-test-support/browser"
import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import { endedJournal, journal, openRoom, readClipboard, region, spoken, text } from "./page.js"

/** The part of the page that shows a request. */
const pane = (page: Page, own: number) => region(page, `Request ${own}`)

/** The link to a request in the list. */
const row = (page: Page, own: number) => page.getByRole("link", { name: new RegExp(`^Request ${own},`) })

const open = async (page: Page, own: number) => {
  await row(page, own).click()
  return pane(page, own)
}

/** Speaks a text, which may fail. */
const trySpeaking = (service: Service, spokenText: string) =>
  service.run(Effect.flatMap(TextToSpeech, (tts) => Effect.exit(tts.synthesize({ text: spokenText, lang: "en" }))))

export const requestsTests = () =>
  describe("Requests", () => {
    it("shows another program's request, filters, and opens it at an address", async ({ messages, page, service }) => {
      messages.accept(/status of 404/)
      const requests = await openRoom(page, "Requests")
      await requests.getByText("live").waitFor()
      await requests.getByText("No requests yet.").waitFor()
      await spoken(service, text)
      await row(page, 1).waitFor()
      await spoken(service, "The ferry leaves at six.")
      await row(page, 2).waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("ferry")
      await eventually(() => row(page, 1).count()).toBe(0)
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      const fields = pane(page, 2).getByRole("region", { name: "Request 2, as it was sent" })
      await fields.getByText("8000:pcm16", { exact: true }).waitFor()
      await pane(page, 2)
        .getByText(/^HTTP 200 · after .* · 24 credits$/)
        .waitFor()

      expect(page.url()).toMatch(/#\/requests\/2\?q=ferry$/)
      await page.reload()
      await fields.waitFor()
      await page.keyboard.press("Escape")
      await eventually(() => pane(page, 2).count()).toBe(0)
      await page.goBack()
      await fields.waitFor()

      await page.evaluate('location.hash = "#/requests/77"')
      await pane(page, 77).getByText("The journal has no request 77.").waitFor()
    })

    it("says why a call failed, with its attempts as one, and turns the fault off", async ({ page, service }) => {
      await service.run(
        Effect.flatMap(LocalService, ({ faults }) =>
          faults.set([{ operation: "synthesize", status: 502, message: "the backend was unreachable" }])
        )
      )
      await trySpeaking(service, text)
      const [first, ...others] = await journal(service)
      expect(others.length).toBeGreaterThan(0)
      const latest = 1 + others.length
      const requests = await openRoom(page, "Requests")
      await requests.getByText(`${latest} attempts`).waitFor()
      await requests.getByRole("button", { name: /^Failed/ }).click()
      const failed = await open(page, latest)
      await failed.getByText("The backend was unreachable.").waitFor()
      await failed
        .getByText(
          /A fault was applied: every synthesis fails with 502.* Your program sent it again .* without success so far\./
        )
        .waitFor()
      await failed.getByText('"error": "the backend was unreachable"').waitFor()
      await failed.getByRole("link", { name: "1: request 1" }).click()
      await pane(page, 1)
        .getByText(/Your program sent it again .* later, as request 2\./)
        .waitFor()
      expect(first).toMatchObject({ status: 502, fault: 1 })

      await pane(page, 1).getByRole("button", { name: "Turn the fault off" }).click()
      await page.getByText("The fault is off.").waitFor()
      expect(await service.run(Effect.flatMap(LocalService, ({ faults }) => faults.list))).toEqual([])
    })

    it("sends a request again, copies it as code, and puts it into the form", async ({ page, service }) => {
      await spoken(service, text)
      await openRoom(page, "Requests")
      const first = await open(page, 1)
      await first.getByRole("button", { name: "Copy as curl" }).click()
      await eventually(() => readClipboard(page)).toMatch(/^curl .*\$SPEECH_API_KEY/s)
      await first.getByRole("button", { name: "Copy as Effect" }).click()
      await eventually(() => readClipboard(page)).toMatch(/tts\.stream\(\{/)
      await first.getByRole("button", { name: "Play what was spoken" }).click()
      await eventually(() => playedSeconds(page)).toBeGreaterThan(0.1)
      await first.getByRole("button", { name: "Send again" }).click()
      await pane(page, 2).getByText("none: this page sent it").waitFor()
      await row(page, 2).waitFor()

      await pane(page, 2).getByRole("button", { name: "Edit" }).click()
      const field = region(page, "Speak").getByRole("textbox", { name: "Text" })
      expect(await field.inputValue()).toBe(text)
      await eventually(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
      await page.keyboard.press("End")
      await page.keyboard.type(" Sorry.")
      await page.keyboard.press("Control+Enter")
      await openRoom(page, "Requests")
      await row(page, 3).waitFor()
      const [original, again, edited] = await endedJournal(service)
      expect(again?.request).toEqual(original?.request)
      expect(edited?.request).toEqual({ ...original?.request, text: `${text} Sorry.` })
    })

    it("sends a request again before the page has read its details", async ({ page, service }) => {
      await spoken(service, text)
      await openRoom(page, "Requests")
      let read = () => {}
      const sentAgain = new Promise<void>((resolve) => {
        read = resolve
      })
      await page.route("**/platform/api/requests/1", (route) => sentAgain.then(() => route.continue()))
      const first = await open(page, 1)
      await first.getByRole("button", { name: "Send again" }).click()
      await pane(page, 2).getByText("none: this page sent it").waitFor()
      read()
      const [original, again] = await endedJournal(service)
      expect(again?.request).toEqual(original?.request)
    })

    it("does not edit a request that its forms can't show, and says why", async ({ page, service }) => {
      // The letters are not in the text: the service does not have to speak a thousand of them.
      const g2pOverrides = { ferry: "f".repeat(300), tide: "t".repeat(300), rope: "r".repeat(400) }
      for (const more of [{ g2pOverrides }, { additionalFields: { pitch: 2 } }]) {
        await service.run(Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", ...more })))
      }
      await openRoom(page, "Requests")
      for (const [own, reason, copies] of [
        [1, /holds only a part/, 0],
        [2, /no field for pitch/, 2]
      ] as const) {
        const shown = await open(page, own)
        await shown.getByText(reason).waitFor()
        const button = shown.getByRole("button", { name: "Edit", exact: true })
        expect(await button.isDisabled()).toBe(true)
        const described = await button.getAttribute("aria-describedby")
        expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(reason)
        expect(await shown.getByRole("button", { name: /^Copy as/ }).count()).toBe(copies)
        await shown.getByRole("button", { name: "Send again" }).click()
        await pane(page, own === 1 ? 3 : 4).waitFor()
      }
      const [first, second, third, fourth] = await endedJournal(service)
      expect([third?.request, fourth?.request]).toEqual([first?.request, second?.request])
    })

    it("shows a transcription, plays what was uploaded, and sends the same file again", async ({ page, service }) => {
      const recording = await spoken(service, text)
      const hotwords = [{ phrase: "platform", score: 2.5 }, { phrase: "ट्रेन" }]
      const fields = { model: "en-general-v2-8khz", hotwords, parseNumber: false, aux: true }
      const audio = AudioSource.fromBytes(recording, { filename: "station.wav" })
      await service.run(Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ ...fields, audio })))
      const requests = await openRoom(page, "Requests")
      await requests.getByText(/^transcription · station\.wav · \d\.\d s · en-general-v2-8khz · \d credits$/).waitFor()
      const shown = await open(page, 2)
      await shown.getByRole("heading", { name: `“${text}”` }).waitFor()
      await shown.getByRole("button", { name: "Play what was uploaded" }).click()
      await shown.getByRole("list", { name: "Segments" }).waitFor()
      await eventually(() => playedSeconds(page)).toBeGreaterThan(0.1)
      await shown.getByRole("button", { name: "Send again" }).click()
      await pane(page, 3).waitFor()
      const [, first, second] = await endedJournal(service)
      expect(second).toMatchObject({ transcript: text, fileName: "station.wav", fileBytes: recording.length })
      expect(second?.request).toEqual({ ...first?.request, transaction_id: expect.any(String) })
      expect(second?.request?.transaction_id).not.toBe(first?.request?.transaction_id)
    })

    it("does not move what is read when requests arrive, and empties the list", async ({ page, service }) => {
      await page.setViewportSize({ width: 1000, height: 400 })
      // Requests that fail at once fill the list as well.
      await service.run(Effect.flatMap(LocalService, ({ accounts }) => accounts.setAccount({ state: "suspended" })))
      for (let index = 0; index < 12; index++) await trySpeaking(service, `Train ${index}.`)
      const requests = await openRoom(page, "Requests")
      await row(page, 12).waitFor()
      await row(page, 12).focus()
      await page.keyboard.press("End")
      await eventually(() => row(page, 1).evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true)
      const before = await row(page, 1).boundingBox()
      await trySpeaking(service, text)
      await requests.getByRole("button", { name: "1 new" }).waitFor()
      expect(await row(page, 1).boundingBox()).toEqual(before)
      await requests.getByRole("button", { name: "1 new" }).click()
      await row(page, 13).waitFor()

      await requests.getByRole("button", { name: "Clear" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await requests.getByText("No requests yet.").waitFor()
      expect(await journal(service)).toEqual([])
    })
  })
