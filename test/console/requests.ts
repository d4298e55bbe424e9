import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { eventually, it, playedSeconds, type Service } from "../support/browser.js"
import { journal, readClipboard, region, spoken } from "./page.js"

const text = "Platform two, the train is late."

export const requestsTests = () =>
  describe("Requests", () => {
    it("shows another program's request within a second", async ({ page, service }) => {
      const requests = region(page, "Requests")
      await requests.getByText("live").waitFor()
      await spoken(service, text)
      await requests.getByRole("row", { name: text }).waitFor({ timeout: 1000 })
      await requests.getByRole("row", { name: /200/ }).waitFor({ timeout: 1000 })
    })

    it("filters, and opens a row to its request and its answer, which has an address", async ({ page, service }) => {
      await spoken(service, text)
      await spoken(service, "The ferry leaves at six.")
      const requests = region(page, "Requests")
      await requests.getByRole("row", { name: text }).waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("ferry")
      await eventually(() => requests.getByRole("row", { name: text }).count()).toBe(0)
      await requests.getByRole("link", { name: "Request 2, synthesize" }).click()
      const fields = requests.getByRole("region", { name: "Fields of request 2" })
      expect(JSON.parse((await fields.textContent()) ?? "")).toMatchObject({
        text: "The ferry leaves at six.",
        lang: "en"
      })
      await requests.getByText(/status 200, after \d+ ms/).waitFor()

      expect(page.url()).toMatch(/#\/requests\/2$/)
      await page.reload()
      await requests.getByRole("region", { name: "Fields of request 2" }).waitFor()
    })

    it("replays a request of another program", async ({ page, service }) => {
      await spoken(service, text)
      const requests = region(page, "Requests")
      await requests.getByRole("link", { name: "Request 1, synthesize" }).click()
      await requests.getByRole("button", { name: "Replay", exact: true }).click()
      await eventually(() => playedSeconds(page)).toBeGreaterThan(0.1)
      const [first, again] = await journal(service)
      expect(again?.request).toEqual(first?.request)
    })

    it("puts a request into the form, to edit and to send it", async ({ page, service }) => {
      await spoken(service, text)
      await region(page, "Requests").getByRole("link", { name: "Request 1, synthesize" }).click()
      await region(page, "Requests").getByRole("button", { name: "Edit and replay" }).click()
      const field = region(page, "Speak").getByRole("textbox", { name: "Text" })
      expect(await field.inputValue()).toBe(text)
      await eventually(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
      await page.keyboard.press("End")
      await page.keyboard.type(" Sorry.")
      await page.keyboard.press("Control+Enter")
      await region(page, "Requests").getByRole("row", { name: "Sorry." }).waitFor()
      const [first, edited] = await journal(service)
      expect(edited?.request).toEqual({ ...first?.request, text: `${text} Sorry.` })
    })

    it("copies a request as curl and as a program for Effect", async ({ page, service }) => {
      await spoken(service, `${text} It's "the" $HOME train.`)
      const requests = region(page, "Requests")
      await requests.getByRole("link", { name: "Request 1, synthesize" }).click()
      await requests.getByRole("button", { name: "Copy as curl" }).click()
      await eventually(() => readClipboard(page)).toMatch(/^curl .*\$SPEECH_API_KEY/s)
      await requests.getByRole("button", { name: "Copy as Effect" }).click()
      await eventually(() => readClipboard(page)).toMatch(/tts\.stream\(\{/)
    })

    it("keeps the fields of a request that a fault met", async ({ page, service }) => {
      await region(page, "Faults").getByRole("switch", { name: "Next synthesis fails with 502" }).check()
      await failing(service, text)
      const requests = region(page, "Requests")
      await requests.getByRole("row", { name: /502 ?faulted/ }).waitFor()
      await requests.getByRole("link", { name: "Request 1, synthesize" }).click()
      await requests.getByRole("region", { name: "Fields of request 1" }).getByText(text).waitFor()
    })
  })

/** Another program speaks, and fails. */
const failing = (service: Service, text: string) =>
  service.run(Effect.flatMap(TextToSpeech, (tts) => Effect.either(tts.synthesize({ text, lang: "en" }))))
