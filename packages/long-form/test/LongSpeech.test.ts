import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { LongSpeech, PieceStore } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const folder = mkdtempSync(join(tmpdir(), "long-speech-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A tone of 10 ms for each code point, between 100 ms of silence. */
const spoken = (text: string) => {
  const samples = new Float32Array(1600 + 80 * [...text].length)
  for (let index = 800; index < samples.length - 800; index++) samples[index] = Math.sin(index / 3) / 2
  return { bytes: new Uint8Array(samples.buffer), outputFormat: "8000:float32" } as const
}

const double = TextToSpeech.layerTest(({ text }) => spoken(text))

describe("a long text", () => {
  it.effect("becomes one WAV file", () =>
    Effect.gen(function* () {
      const text = "One sentence. Another sentence.\n\nA paragraph. ".repeat(40)
      const path = join(folder, "one.wav")
      const options = { first: 50, maximum: 100 }
      const { durationMillis, report } = yield* LongSpeech.writeFile({ text, lang: "en" }, path, options)
      expect(report.pieces.map(({ text }) => text).join("")).toBe(text)
      expect(durationMillis).toBe(report.durationMillis)
    }).pipe(Effect.provide(Layer.mergeAll(double, PieceStore.layerMemory, NodeTransport.layer)))
  )
})
