/** Each room of a console that programs have used, in light and dark colours and at several widths. */
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
  { name: "360", width: 360, height: 740, colorScheme: "light" },
  { name: "360-dark", width: 360, height: 740, colorScheme: "dark" }
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

/** Where each room is. */
type Addresses = Readonly<Record<string, string>>

const roomsOf = { try: "#/try", requests: "#/requests", runs: "#/runs", faults: "#/faults", account: "#/account" }

/** Opens each room in each look, and passes it to `visit`. An `empty` service has got no request; a `filled` one has got those of an hour. */
export const inEachLook = async (
  browser: Browser,
  use: "empty" | "filled",
  visit: (page: Page, room: string, look: string) => Promise<void>
): Promise<void> => {
  const runtime = ManagedRuntime.make(Layer.merge(localClients(), NodeFileSystem.layer))
  const service = await runtime.runPromise(LocalService)
  let addresses: Addresses = roomsOf
  if (use === "filled") {
    await runtime.runPromise(anHour)
    const requests = await runtime.runPromise(service.requests)
    const [run] = requests.flatMap(({ parent }) => parent ?? [])
    addresses = { ...roomsOf, request: `#/requests/${requests.at(-1)?.number}`, run: `#/runs/${run}` }
  }
  for (const { colorScheme, height, name, width } of looks) {
    const page = await openConsole(browser, Redacted.value(await runtime.runPromise(service.consoleLink)))
    // Before: a narrow page shows one half of the room at a time.
    if (use === "filled") await tryBoth(page)
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    for (const [room, address] of Object.entries(addresses)) {
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.waitForTimeout(700)
      await visit(page, room, name)
    }
    await page.context().close()
  }
  await runtime.dispose()
}
