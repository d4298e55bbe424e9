import { describe, expect, it } from "vitest"
import { model, startService } from "./service.js"

const service = startService()

describe("a client", () => {
  it("speaks, and transcribes what it spoke", async () => {
    await using speech = service.connect()
    const audio = await speech.speak("नमस्ते", { lang: "hi", outputFormat: "8000:pcm16" })
    expect(audio).toMatchObject({ format: { sampleRate: 8000, channels: 1, encoding: "pcm16" }, warnings: [] })
    expect(await speech.transcribe(audio.wav(), { model })).toMatchObject({ text: "नमस्ते", warnings: [] })
  })

  it("speaks a long text, and transcribes a long recording", async () => {
    await using speech = service.connect()
    const text = "नमस्ते दुनिया। यह लंबा है।"
    const audio = await speech.speakLong(text, { outputFormat: "8000:pcm16" })
    expect(audio.segments).toMatchObject([{ text: "नमस्ते दुनिया।" }, { text: "यह लंबा है।" }])
    expect(await speech.transcribeLong(audio.wav(), { model })).toMatchObject({ text, pieces: [{ source: "sent" }] })
  })
})
