import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { it, type Service } from "effect-speech-test-support/browser"
import { describe, expect } from "vitest"
import { openRoom, region } from "./page.js"

const sentences = ["The ferry leaves at six.", "Nobody missed the tide today.", "Bring two lamps and a rope."]

/** A recording of the sentences, with a second of silence between them. */
const recordingOf = (service: Service): Promise<Uint8Array> =>
  service.run(
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const parts: Array<Uint8Array> = []
      for (const text of sentences) {
        const { bytes } = yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })
        parts.push(bytes, new Uint8Array(16_000))
      }
      return Wav.encode(Buffer.concat(parts.slice(0, -1)), { sampleRate: 8000, channels: 1, encoding: "pcm16" })
    })
  )

export const runsTests = () =>
  describe("Runs", () => {
    it("shows a long recording whose run failed and went on, why, and its text and subtitles", async ({
      page,
      service
    }) => {
      const folder = await mkdtemp(join(tmpdir(), "console-runs-"))
      const audio = AudioSource.fromBytes(await recordingOf(service), { filename: "harbour.wav" })
      const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
      const transcribe = (credits: number) =>
        service.run(
          Effect.gen(function* () {
            yield* (yield* LocalService).accounts.setAccount({ credits })
            return yield* LongTranscription.transcribe(
              { audio, model: "en-general-v2-8khz", transactionId },
              { maximum: 2800, concurrency: 1 }
            )
          }).pipe(
            Effect.either,
            Effect.provide([PieceStore.layerFolder(folder), AudioDecoder.AudioDecoder.layerWav]),
            Effect.provide(NodeFileSystem.layer)
          )
        )
      const runs = await openRoom(page, "Runs")
      // The sentences were spoken by single calls, which are no runs.
      await runs.getByText("No runs yet.").waitFor()
      await transcribe(4)
      const row = runs.getByRole("listitem").filter({ hasText: "long recording" })
      await row.getByText("1 failed").waitFor()
      await row.getByRole("link", { name: "harbour" }).press("Enter")
      const run = runs.getByRole("region", { name: "harbour" })
      const failed = run.getByRole("list", { name: "Failed" })
      await failed.getByRole("link", { name: /credit/ }).waitFor()
      await run.getByText("There is no transcript of piece 2 yet.").waitFor()

      const transcript = await transcribe(1000)
      await row.getByText("3 done").waitFor()
      await row.getByText(/3 pieces so far · 1 sent again/).waitFor()
      await run.getByRole("button", { name: "Show the text" }).click()
      await run.getByText(sentences.join(" "), { exact: true }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        run.getByRole("button", { name: "Save as SRT" }).click()
      ])
      expect(download.suggestedFilename()).toBe("harbour.srt")
      const segments = transcript._tag === "Right" ? transcript.right.segments : []
      expect(await readFile(await download.path(), "utf8")).toBe(Subtitles.toSrt(Subtitles.layout(segments)))

      await run.getByRole("list", { name: "Pieces" }).getByRole("link").last().click()
      await region(page, "Requests").waitFor()
      await page.goBack()
      await run.waitFor()
      await page.keyboard.press("Escape")
      await run.waitFor({ state: "detached" })
      await rm(folder, { recursive: true })
    })
  })
