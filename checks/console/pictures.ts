/** Pictures of each room, in light and dark colours and at several widths, for a person to look at: `--pictures FOLDER`. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { LongSpeech, LongTranscription, PieceStore } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { localClients } from "effect-speech-test-support/localClients"
import { noise } from "effect-speech-test-support/recordings"
import type { Browser, Page } from "playwright-core"
import { openConsole } from "./reactions.js"

const texts = [
  ["hi", "नमस्ते, आपके खाते में पाँच सौ रुपये जमा हो गए हैं।"],
  ["en", "Hello, your appointment is tomorrow at half past ten."],
  ["ta", "உங்கள் ரயில் பத்து நிமிடம் தாமதமாக வருகிறது."],
  ["hi", "क्या आप कल आएँगे?"],
  ["bn", "আপনার অর্ডার আজ বিকেলে পৌঁছে যাবে।"],
  ["en", "Good morning."]
] as const

const model = "hi-general-v2-8khz"
const recording = (bytes: Uint8Array, filename: string) => ({ audio: AudioSource.fromBytes(bytes, { filename }) })

/** A long text, whose third piece fails once, and a recording of it. */
const longOnes = Effect.gen(function* () {
  const { faults } = yield* LocalService
  const text = Array.from({ length: 40 }, (_, index) => `${texts[1][1]} That was part ${index + 1}.`).join("\n\n")
  yield* faults.set([{ operation: "synthesize", nth: 3, times: 1, status: 502 }])
  const request = { text, lang: "en", outputFormat: "8000:pcm16" } as const
  const speech = yield* LongSpeech.stream(request, { maximumCodePoints: 400 })
  const wav = Wav.encode(Buffer.concat([...(yield* Stream.runCollect(speech.stream))]), speech.format)
  yield* faults.set([{ operation: "transcribe", nth: 2, times: 1, status: 503 }])
  yield* LongTranscription.transcribe(
    { ...recording(wav, "meeting.wav"), model: "en-general-v2-8khz" },
    { maximum: "1 minute" }
  )
  yield* faults.set([])
}).pipe(Effect.scoped, Effect.provide([PieceStore.layerMemory, AudioDecoder.AudioDecoder.layerWav]))

/** What programs do in an hour: they speak, listen, fail, and try again. */
const anHour = Effect.gen(function* () {
  const { accounts, faults } = yield* LocalService
  const { synthesize } = yield* TextToSpeech
  const { transcribe } = yield* SpeechToText
  for (const [lang, text] of [...texts, ...texts]) {
    const { bytes, format } = yield* synthesize({ text, lang, outputFormat: "8000:pcm16" })
    const file = recording(Wav.encode(bytes, format), `call-${text.length}.wav`)
    yield* transcribe({ ...file, model: `${lang}-general-v2-8khz`, aux: true })
  }
  yield* longOnes
  yield* faults.set([{ truncateAtByte: 20_000 }])
  yield* Effect.ignore(synthesize({ text: "Hello, this is a longer sentence that is cut.", lang: "en" }))
  yield* faults.set([])
  const { credits } = yield* accounts.account
  yield* accounts.setAccount({ credits: 0 })
  yield* Effect.ignore(transcribe({ ...recording(noise(16_000), "call-16.wav"), model }))
  yield* accounts.setAccount({ credits })
  yield* Effect.ignore(synthesize({ text: "Good morning.", lang: "xx" }))
  yield* transcribe({ ...recording(noise(48_000), "waterfall.wav"), model, aux: true })
  yield* faults.set([
    { operation: "synthesize", times: 3, status: 502 },
    { operation: "transcribe", delayMillis: 300 }
  ])
  yield* Effect.ignore(synthesize({ text: texts[0][1], lang: "hi" }))
})

const looks = [
  { name: "light", width: 1280, height: 760, colorScheme: "light" },
  { name: "dark", width: 1280, height: 760, colorScheme: "dark" },
  { name: "820", width: 820, height: 1180, colorScheme: "light" },
  { name: "360", width: 360, height: 740, colorScheme: "light" }
] as const

/** Fills the room in which a person tries both operations. */
const tryBoth = async (page: Page) => {
  await page.goto(`${page.url().replace(/#.*/, "")}#/try`)
  await page.getByRole("textbox", { name: "Text", exact: true }).press("Control+Enter")
  await page.getByRole("button", { name: /^(Play|Pause) the speech/, disabled: false }).waitFor()
  const buffer = noise(48_000)
  const file = { name: "waterfall.wav", mimeType: "audio/wav", buffer }
  await page.getByLabel(/choose a file/).setInputFiles(file)
  await page.getByRole("button", { name: "Play the recording", disabled: false }).waitFor()
}

/** Takes the pictures `ROOM-LOOK.png`. */
export const takePictures = async (browser: Browser, folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const runtime = ManagedRuntime.make(Layer.merge(localClients(), NodeFileSystem.layer))
  await runtime.runPromise(anHour)
  const service = await runtime.runPromise(LocalService)
  const [run] = (await runtime.runPromise(service.requests)).flatMap(({ parent }) => parent ?? [])
  const latest = (await runtime.runPromise(service.requests)).at(-1)?.number
  const addresses = {
    try: "#/try",
    requests: "#/requests",
    request: `#/requests/${latest}`,
    runs: "#/runs",
    run: `#/runs/${run}`,
    faults: "#/faults",
    account: "#/account"
  }
  for (const { colorScheme, height, name, width } of looks) {
    const page = await openConsole(browser, Redacted.value(await runtime.runPromise(service.consoleLink)))
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await tryBoth(page)
    for (const [room, address] of Object.entries(addresses)) {
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`)
      await page.waitForTimeout(700)
      await page.screenshot({ path: join(folder, `${room}-${name}.png`) })
    }
    await page.context().close()
  }
  await runtime.dispose()
}
