import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { eventually, it, playedSeconds } from "effect-speech-test-support/browser"
import { describe, expect } from "vitest"
import { choose, journal, readClipboard, region, spoken, text } from "./page.js"

export const requestsTests = () =>
  describe("Requests", () => {
    it("shows another program's request at once, filters, and opens a row to its request and its answer, which has an address", async ({
      page,
      service
    }) => {
      const requests = region(page, "Requests")
      await requests.getByText("live").waitFor()
      await spoken(service, text)
      await requests.getByRole("row", { name: text }).waitFor()
      await spoken(service, "The ferry leaves at six.")
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

    it("replays a request of another program, copies it as curl and for Effect, and puts it into the form to edit it", async ({
      page,
      service
    }) => {
      await spoken(service, text)
      const requests = region(page, "Requests")
      await requests.getByRole("link", { name: "Request 1, synthesize" }).click()
      await requests.getByRole("button", { name: "Copy as curl" }).click()
      await eventually(() => readClipboard(page)).toMatch(/^curl .*\$SPEECH_API_KEY/s)
      await requests.getByRole("button", { name: "Copy as Effect" }).click()
      await eventually(() => readClipboard(page)).toMatch(/tts\.stream\(\{/)
      await requests.getByRole("button", { name: "Replay", exact: true }).click()
      await eventually(() => playedSeconds(page)).toBeGreaterThan(0.1)

      await requests.getByRole("button", { name: "Edit and replay" }).click()
      const field = region(page, "Speak").getByRole("textbox", { name: "Text" })
      expect(await field.inputValue()).toBe(text)
      await eventually(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
      await page.keyboard.press("End")
      await page.keyboard.type(" Sorry.")
      await page.keyboard.press("Control+Enter")
      await requests.getByRole("row", { name: "Sorry." }).waitFor()
      const [first, again, edited] = await journal(service)
      expect(again?.request).toEqual(first?.request)
      expect(edited?.request).toEqual({ ...first?.request, text: `${text} Sorry.` })
    })

    it("does not replay a request that it can't send as it was received, and says why", async ({ page, service }) => {
      const g2pOverrides = { train: "t".repeat(300), late: "l".repeat(300), two: "t".repeat(400) }
      for (const more of [{ g2pOverrides }, { additionalFields: { pitch: 2 } }]) {
        await service.run(Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", ...more })))
      }
      const requests = region(page, "Requests")
      for (const [own, reason, copies] of [
        [1, /too long for the journal/, 0],
        [2, /can't send pitch again as received/, 2]
      ] as const) {
        await requests.getByRole("link", { name: `Request ${own}, synthesize` }).click()
        await requests.getByText(reason).waitFor()
        for (const name of ["Replay", "Edit and replay"]) {
          const button = requests.getByRole("button", { name, exact: true })
          expect(await button.isDisabled()).toBe(true)
          const described = await button.getAttribute("aria-describedby")
          expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(reason)
        }
        expect(await requests.getByRole("button", { name: /^Copy as/ }).count()).toBe(copies)
      }
      expect((await journal(service)).length).toBe(2)
    })

    it("replays and edits a transcription with all of its fields", async ({ page, service }) => {
      const recording = await spoken(service, text)
      const hotwords = [{ phrase: "platform", score: 2.5 }, { phrase: "ट्रेन" }]
      const fields = { model: "en-general-v2-8khz", hotwords, parseNumber: false }
      const audio = AudioSource.fromBytes(recording, { filename: "station.wav" })
      await service.run(Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ ...fields, audio })))
      const file = { name: "station.wav", mimeType: "audio/wav", buffer: recording }
      const requests = region(page, "Requests")
      await requests.getByRole("link", { name: "Request 2, transcribe" }).click()
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        requests.getByRole("button", { name: "Replay", exact: true }).click()
      ])
      await chooser.setFiles(file)
      await requests.getByText(/Transcribed again/).waitFor()
      await requests.getByRole("button", { name: "Edit and replay" }).click()
      await choose(page, file.name, recording)
      await region(page, "Listen").getByRole("list", { name: "Segments" }).waitFor()
      const sent = { model: fields.model, hotwords, parse_number: "false", transaction_id: expect.any(String) }
      const [, ...transcriptions] = await journal(service)
      expect(transcriptions.map(({ request }) => request)).toEqual([
        sent,
        { ...sent, aux: "false" },
        { ...sent, aux: "true" }
      ])
    })
  })
