import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { eventually, it, playedSeconds, type Service } from "effect-speech-test-support/browser"
import { describe, expect } from "vitest"
import { choose, journal, readClipboard, region, spoken } from "./page.js"

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

    it("does not replay a request that it can't send as it was received, and says why", async ({ page, service }) => {
      const long = {
        text,
        lang: "en",
        g2pOverrides: { train: "t".repeat(300), late: "l".repeat(300), two: "t".repeat(400) }
      }
      await service.run(Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(long)))
      await service.run(
        Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", additionalFields: { pitch: 2 } }))
      )
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
      await service.run(
        Effect.flatMap(SpeechToText, (stt) =>
          stt.transcribe({ ...fields, audio: AudioSource.fromBytes(recording, { filename: "station.wav" }) })
        )
      )
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
      const sent = { model: fields.model, hotwords, parse_number: "false" }
      expect((await journal(service)).slice(1).map(({ request }) => request)).toEqual([
        { ...sent, transaction_id: expect.any(String) },
        { ...sent, transaction_id: expect.any(String), aux: "false" },
        { ...sent, transaction_id: expect.any(String), aux: "true" }
      ])
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
