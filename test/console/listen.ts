import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Recogniser, type RecognitionRequest } from "@effect-speech/engine/Recogniser"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { eventually, it, paintedPixels, playedSeconds } from "effect-speech-test-support/browser"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { clientsOf } from "effect-speech-test-support/localClients"
import { noise } from "effect-speech-test-support/recordings"
import { describe, expect, onTestFinished } from "vitest"
import { choose, chooseEnglish, chooseFile, drop, journal, positionOf, region, spoken, teach } from "./page.js"

const lengthOf = <E, R>(samples: RecognitionRequest<E, R>["samples"]): Effect.Effect<number, E, R> =>
  samples instanceof Float32Array
    ? Effect.succeed(samples.length)
    : Stream.runFold(samples, 0, (sum, { length }) => sum + length)

/** It recognises each recording at once, but a second long one never. */
const recogniser = Layer.sync(Recogniser, () => {
  const sampleRate = 8000
  let longOnes = 0
  return {
    sampleRate,
    recognise: ({ samples }) =>
      Effect.flatMap(lengthOf(samples), (length) => {
        const isLong = length > 60 * sampleRate
        if (isLong) longOnes++
        return isLong && longOnes === 2 ? Effect.never : Effect.succeed({ text: "a waterfall" })
      })
  }
})

const longRecordingTests = () =>
  describe("a long recording", () => {
    it.scoped({
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from a pattern.
      clients: async ({}, use) => {
        const dependencies = [recogniser, cannedVoice(() => new Float32Array(800)), NodeFileSystem.layer] as const
        await use(() => clientsOf(LocalService.layerWithoutDependencies().pipe(Layer.provide(dependencies))))
      }
    })

    it("is drawn without its samples, and left for another", async ({ page, service }) => {
      const folder = await mkdtemp(join(tmpdir(), "console-listen-"))
      onTestFinished(() => rm(folder, { recursive: true }))
      const long = noise(5.1 * 60 * 16_000)
      // From a path, the browser reads the file itself.
      const write = async (name: string) => {
        await writeFile(join(folder, name), long)
        return join(folder, name)
      }
      await page.evaluate(`{
        const { decodeAudioData } = BaseAudioContext.prototype
        window.decoded = 0
        BaseAudioContext.prototype.decodeAudioData = function (bytes) {
          window.decoded++
          return decodeAudioData.call(this, bytes)
        }
      }`)
      const listen = region(page, "Listen")
      await chooseFile(page, await write("waterfall.wav"))
      await eventually(() => paintedPixels(listen.locator("canvas").first())).toBeGreaterThan(500)
      await listen.getByRole("slider", { name: "Position in the recording" }).fill("300")
      await listen.getByRole("button", { name: "Play the recording" }).click()
      await eventually(() => positionOf(listen, "the recording")).toBeGreaterThan(300)
      expect(await page.evaluate("decoded")).toBe(0)
      await listen.getByText("Spectrogram (up to 5 minutes)").waitFor()
      expect(await listen.getByRole("checkbox", { name: "Spectrogram" }).isDisabled()).toBe(true)
      await listen.getByText(/waterfall\.wav · took/).waitFor()

      await chooseFile(page, await write("again.wav"))
      await choose(page, "short.wav", noise(32_000))
      await listen.getByText(/short\.wav · took/).waitFor()
      await listen.getByText("/ 0:02").waitFor()
      // The service may answer the last before it has ended the one before.
      await eventually(async () => (await journal(service)).map(({ outcome }) => outcome)).toEqual([
        "answered",
        "abandoned",
        "answered"
      ])
    })
  })

export const listenTests = () =>
  describe("Listen", () => {
    longRecordingTests()

    it("transcribes a recording that you drop or choose, and plays its segments", async ({ page, service }) => {
      const recording = await spoken(service, "Platform two, the train is late. The ferry leaves at six.")
      await chooseEnglish(page)
      await drop(page, "station.wav", recording)
      const listen = region(page, "Listen")
      await listen.getByText(/station\.wav · confidence \d+ %/).waitFor()
      await eventually(() => listen.locator("canvas").count()).toBeGreaterThan(0)
      await eventually(() => paintedPixels(listen.locator("canvas").first())).toBeGreaterThan(500)
      await choose(page, "ferry.wav", recording)
      await listen.getByText(/ferry\.wav · confidence \d+ %/).waitFor()
      const segment = listen.getByRole("list", { name: "Segments" }).getByRole("button", { name: /ferry leaves/i })
      await segment.click()
      await eventually(() => positionOf(listen, "the recording")).toBeGreaterThan(1)
      await eventually(() => playedSeconds(page)).toBeGreaterThan(1)
      await eventually(() => segment.getAttribute("aria-current")).toBe("true")

      await listen.getByRole("slider", { name: "Position in the recording" }).focus()
      await listen.getByRole("button", { name: "Play the recording" }).waitFor()
      for (const key of ["Home", "ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key)
      await eventually(() => positionOf(listen, "the recording")).toBe(1)
      expect((await journal(service)).map(({ operation }) => operation)).toEqual([
        "synthesize",
        "transcribe",
        "transcribe"
      ])
    })

    it("warns of a rate, mends it by telephony, is taught the text of a recording, and knows it then", async ({
      page
    }) => {
      const recording = noise(96_000)
      recording.writeUInt32LE(48_000, 24)
      recording.writeUInt32LE(96_000, 28)
      await choose(page, "unknown.wav", recording)
      const listen = region(page, "Listen")
      await listen.getByText(/The recording is at 48000 Hz/).waitFor()
      await listen.getByRole("button", { name: "Send it with telephony" }).click()
      await listen.getByText(/The recording is at 48000 Hz/).waitFor({ state: "detached" })
      expect(await listen.getByRole("switch", { name: "Telephony" }).isChecked()).toBe(true)
      await teach(page, "a waterfall at night")
      expect(await region(page, "Listen").getByRole("button", { name: "Teach" }).count()).toBe(0)
    })

    it("says why a recording can't be drawn, and plays it all the same", async ({ messages, page }) => {
      messages.accept(/status of 4\d\d/)
      const listen = region(page, "Listen")
      const slow = noise(1600)
      slow.writeUInt32LE(3200, 24)
      slow.writeUInt32LE(6400, 28)
      await choose(page, "low.wav", slow)
      await listen.getByText(/can't be drawn: a sample rate of 3200 Hz is not supported/).waitFor()
      await listen.getByRole("button", { name: "Play the recording", disabled: false }).waitFor()
    })

    it("records from the microphone", async ({ page, service }) => {
      const listen = region(page, "Listen")
      await listen.getByRole("button", { name: "Record from the microphone" }).click()
      const stop = listen.getByRole("button", { name: /Stop and transcribe/ })
      await stop.getByText(/0:00\.[6-9]|0:0[1-9]/).waitFor()
      await stop.click()
      await listen.getByRole("button", { name: "Teach" }).waitFor()
      await eventually(() => listen.locator("canvas").count()).toBeGreaterThan(0)
      expect(await journal(service)).toMatchObject([{ operation: "transcribe", status: 200 }])
    })
  })
