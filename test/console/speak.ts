import { readFile } from "node:fs/promises"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { eventually, it, paintedPixels, playedSeconds } from "effect-speech-test-support/browser"
import { noise } from "effect-speech-test-support/recordings"
import { describe, expect } from "vitest"
import { choose, journal, openRoom, positionOf, region, speak, teach, text } from "./page.js"

export const speakTests = () =>
  describe("Speak", () => {
    it("plays, draws, saves and transcribes the speech, and links to its request", async ({ page, service }) => {
      await speak(page, text)
      const speech = region(page, "Speak")
      const canvases = speech.locator("canvas")
      await eventually(() => playedSeconds(page)).toBeGreaterThan(0.2)
      await eventually(() => paintedPixels(canvases.first())).toBeGreaterThan(500)
      await eventually(() => positionOf(speech, "the speech")).toBeGreaterThan(0.2)
      const [entry] = await journal(service)
      expect(entry).toMatchObject({ operation: "synthesize", request: { text, lang: "en" }, status: 200 })
      expect(await speech.getByRole("link", { name: "Request 1" }).getAttribute("title")).toBe(entry?.id)
      expect(await speech.getByRole("status").textContent()).toMatch(/^Took [\d,.]+ m?s/)

      const [download] = await Promise.all([
        page.waitForEvent("download"),
        speech.getByRole("link", { name: "Save" }).click()
      ])
      expect(download.suggestedFilename()).toMatch(/\.wav$/)
      const file = Wav.decode(await readFile(await download.path()))
      expect(Either.isRight(file) && file.right.format).toMatchObject({ sampleRate: 24_000, encoding: "pcm16" })

      await speech.getByRole("button", { name: "Transcribe this" }).click()
      const listen = region(page, "Listen")
      await listen.locator(".transcript").getByText(text).waitFor()
      expect(await listen.getByRole("combobox", { name: "Model" }).inputValue()).toBe("en-general-v2-8khz")
      await listen.getByRole("link", { name: "Request 2" }).waitFor()
      const [subtitles] = await Promise.all([
        page.waitForEvent("download"),
        listen.getByRole("button", { name: "Save as SRT" }).click()
      ])
      expect(subtitles.suggestedFilename()).toBe("speech.srt")
      expect(await readFile(await subtitles.path(), "utf8")).toMatch(
        /^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nPlatform two, the train is late\.\n$/
      )

      const before = await canvases.count()
      await speech.getByRole("checkbox", { name: "Spectrogram" }).check()
      await eventually(() => canvases.count()).toBeGreaterThan(before)
      await eventually(async () =>
        Math.max(...(await Promise.all((await canvases.all()).slice(before).map(paintedPixels))))
      ).toBeGreaterThan(1000)
    })

    it("counts code points and their price as you type, and refuses a text before it is sent", async ({
      page,
      service
    }) => {
      const speech = region(page, "Speak")
      await speech.getByRole("textbox", { name: "Text" }).fill("नमस्ते 👋")
      await speech.getByText("8 of 10,000 code points · costs 8 credits").waitFor()
      await speech.getByRole("textbox", { name: "Text" }).fill("")
      await speech.getByRole("button", { name: "Speak" }).click()
      await speech.getByText("text must not be empty").waitFor()
      await speech.getByRole("textbox", { name: "Text" }).fill("a".repeat(10_001))
      await speech.getByText(/text .*10,?000 code points/).waitFor()
      await page.keyboard.press("Control+Enter")
      expect(await journal(service)).toEqual([])
    })

    it("shows the tag and the message that a program would get, and markup anywhere as text", async ({
      messages,
      page,
      service
    }) => {
      messages.accept(/status of 422/)
      const script = `<script>document.title = "changed"</script>`
      const markup = `<img src=x onerror="document.title = 'changed'">`
      const fault = { times: 1, status: 502, message: script, headers: { "X-Request-Id": markup } }
      await service.run(Effect.flatMap(LocalService, ({ faults }) => faults.set([fault])))
      await speak(page, text)
      const alert = region(page, "Speak").getByRole("alert")
      await eventually(() => alert.textContent()).toMatch(/TtsBackendFailed.*502/)
      await alert.getByText(script).waitFor()
      await (await openRoom(page, "Faults")).getByText(/502/).first().waitFor()
      expect(await journal(service)).toMatchObject([{ outcome: "faulted", request: { text } }])

      await speak(page, markup)
      const requests = await openRoom(page, "Requests")
      await requests.getByText(markup).first().waitFor()
      await choose(page, `${markup}.wav`, noise(32_000))
      await region(page, "Listen").getByText(`${markup}.wav`).first().waitFor()
      await teach(page, markup)
      expect(await page.title()).not.toBe("changed")
      expect(await page.locator("img").count()).toBe(0)
    })
  })
