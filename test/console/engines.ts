import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import type { ModelStatus } from "@effect-speech/engine/Model"
import { Recogniser, type RecognitionRequest } from "@effect-speech/engine/Recogniser"
import { Voice } from "@effect-speech/engine/Voice"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { eventually, it } from "effect-speech-test-support/browser"
import { clientsOf } from "effect-speech-test-support/localClients"
import { noise } from "effect-speech-test-support/recordings"
import { describe, expect } from "vitest"
import { demandNoViolations } from "./accessibility.js"
import { choose, journal, openRoom, region } from "./page.js"

const whisper: ModelStatus = {
  name: "tiny",
  operation: "transcribe",
  state: "ready",
  running: 1,
  queued: 3,
  rejected: 0,
  restarts: 0
}

/** A service with a recogniser of two models and a voice of two, which a test controls. */
const makeEngines = () => {
  const engines = {
    status: whisper,
    text: "platform two" as string | undefined,
    hotwords: [] as Array<RecognitionRequest["hotwords"]>
  }
  const recogniser = Layer.succeed(Recogniser, {
    sampleRate: 16_000,
    models: [
      {
        name: "en-tiny",
        lang: "en",
        hotwords: false,
        model: "tiny",
        details: { family: "whisper", licence: "MIT", bytes: 75_600_000 }
      },
      { name: "ta-tiny", lang: "ta", hotwords: false, model: "tiny" },
      { name: "en-zipformer", lang: "en", hotwords: true, details: { family: "transducer" } }
    ],
    recognise: ({ hotwords }) =>
      Effect.sync(() => {
        engines.hotwords.push(hotwords)
        return engines.text === undefined ? undefined : { text: engines.text }
      }),
    status: Effect.sync(() => [engines.status])
  })
  const voice = Layer.succeed(Voice, {
    voices: [
      { name: "default_female", languages: ["en"], sampleRate: 22_050, model: "amy", details: { family: "piper" } },
      { name: "default_female", languages: ["ta"], sampleRate: 16_000, model: "ta-mms" },
      { name: "kavya", languages: ["ta"], sampleRate: 16_000, model: "ta-mms" }
    ],
    speak: () => new Float32Array(16_000).map((_, index) => Math.sin(index / 10) / 2)
  })
  const clients = clientsOf(
    LocalService.layerWithoutDependencies().pipe(Layer.provide([recogniser, voice, NodeFileSystem.layer]))
  )
  return { engines, clients }
}

export const enginesTests = () =>
  describe("a service with engines", () => {
    let current = makeEngines()
    it.scoped({
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from a pattern.
      clients: async ({}, use) => {
        current = makeEngines()
        await use(() => current.clients)
      }
    })

    it("offers the languages of its voices, and the voices of the language", async ({ page, service }) => {
      const speech = region(page, "Speak")
      const options = (label: string) =>
        speech.getByRole("combobox", { name: label }).locator("option").allTextContents()
      await eventually(() => options("Language")).toEqual(["English", "Tamil"])
      expect(await options("Voice")).toEqual(["female"])
      expect(await speech.getByRole("textbox", { name: "Text" }).inputValue()).toMatch(/^Hello/)
      await speech.getByRole("combobox", { name: "Language" }).selectOption("ta")
      expect(await options("Voice")).toEqual(["female", "kavya"])
      await speech.getByRole("combobox", { name: "Voice" }).selectOption("kavya")
      await speech.getByRole("combobox", { name: "Language" }).selectOption("en")
      expect(await speech.getByRole("combobox", { name: "Voice" }).inputValue()).toBe("default_female")
      await speech.getByRole("button", { name: "Speak" }).click()
      await speech.getByRole("button", { name: /the speech$/ }).waitFor()
      expect(await journal(service)).toMatchObject([{ status: 200, request: { lang: "en", voice: "default_female" } }])
    })

    it("transcribes without a confidence, and sends hotwords only to a model that takes them", async ({ page }) => {
      const listen = region(page, "Listen")
      const phrases = listen.getByRole("textbox", { name: "Hotwords, separated by commas" })
      await listen.getByText("This model takes none.").waitFor()
      expect(await phrases.isDisabled()).toBe(true)
      await listen.getByRole("combobox", { name: "Model" }).selectOption("en-zipformer")
      await phrases.fill(" platform two, , ferry")
      await choose(page, "station.wav", noise(32_000))
      await listen.getByText(/^station\.wav · took/).waitFor()
      await listen.getByRole("list", { name: "Segments" }).getByText("platform two").waitFor()
      expect(await listen.getByText("%").count()).toBe(0)
      await listen.getByRole("combobox", { name: "Model" }).selectOption("en-tiny")
      await listen.getByRole("button", { name: "Transcribe again" }).click()
      await eventually(() => current.engines.hotwords).toEqual([
        [
          { phrase: "platform two", score: 1.5 },
          { phrase: "ferry", score: 1.5 }
        ],
        []
      ])
    })

    it("says why it can't be taught, and does not offer it", async ({ page }) => {
      const listen = region(page, "Listen")
      await listen.getByText(/can't be taught a recording/).waitFor()
      current.engines.text = undefined
      await choose(page, "unknown.wav", noise(32_000))
      await listen.getByText("Nothing was recognised.").waitFor()
      expect(await listen.getByRole("button", { name: "Teach" }).count()).toBe(0)
    })

    it("shows its models, and their state as it changes", async ({ messages, page }) => {
      await openRoom(page, "Account")
      const models = region(page, "Models")
      const entry = models.getByRole("listitem").filter({ hasText: "whisper" })
      await entry.getByText("transcription · whisper · 16,000 Hz · 75.6 MB · licence MIT").waitFor()
      await entry.getByText("English, Tamil").waitFor()
      await entry.getByText("ready").waitFor()
      await entry.getByText("1 running · 3 waiting").waitFor()
      current.engines.status = { ...whisper, state: "refused", reason: "tokens.txt has no <blk>" }
      await entry.getByText("refused").waitFor()
      await entry.getByText("tokens.txt has no <blk>").waitFor()
      await demandNoViolations(models, messages, "models")
    })
  })
