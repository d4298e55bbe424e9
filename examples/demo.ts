/**
 * Synthesizes texts and transcribes them, with the local service: `pnpm demo`, or `pnpm demo "a text" "another"`.
 */

import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { LocalService } from "@effect-speech/local-service/LocalService"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const folder = "demo-audio"

const defaultTexts = [
  "नमस्ते, आपके खाते में पाँच सौ रुपये जमा हो गए हैं।",
  "Hello, your appointment is tomorrow at half past ten."
]

/** Chooses the language by the script of the text, since the service does not detect it. */
const languages: ReadonlyArray<readonly [RegExp, string]> = [
  [/\p{Script=Devanagari}/u, "hi"],
  [/\p{Script=Bengali}/u, "bn"],
  [/\p{Script=Gujarati}/u, "gu"],
  [/\p{Script=Kannada}/u, "kn"],
  [/\p{Script=Malayalam}/u, "ml"],
  [/\p{Script=Oriya}/u, "or"],
  [/\p{Script=Tamil}/u, "ta"],
  [/\p{Script=Telugu}/u, "te"]
]
const languageOf = (text: string): string => languages.find(([script]) => script.test(text))?.[1] ?? "en"

const speakAndTranscribe = (text: string, index: number) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const stt = yield* SpeechToText
    const lang = languageOf(text)
    yield* Console.log(`\n${index + 1}. To say (${lang}): ${text}`)

    const speech = yield* tts.stream({ text, lang })
    const file = yield* Wav.writeFile(speech, `${folder}/${index + 1}-${lang}.wav`)
    yield* Console.log(
      `   spoken to   ${file.path}: ${(file.durationMillis / 1000).toFixed(2)} s, ${AudioFormat.describe(file.format)}`
    )
    yield* Console.log(`   request id  ${speech.requestId}`)

    const heard = yield* stt.transcribe({
      audio: AudioSource.fromPath(file.path),
      model: `${lang}-general-v2-8khz`
    })
    yield* Console.log(`   heard       ${heard.text}`)
    yield* Console.log(`   call id     ${heard.callId}, transaction ${heard.transactionId}`)
    yield* Console.log(`   ${heard.text === text ? "word for word" : "NOT what was said"}`)
    return file.path
  }).pipe(Effect.scoped)

/** An account without credit is a different error in each operation. */
const outOfCredit = (path: string) =>
  Effect.gen(function* () {
    const { accounts } = yield* LocalService
    const tts = yield* TextToSpeech
    const stt = yield* SpeechToText
    yield* accounts.setAccount({ credits: 0 })
    yield* Console.log("\nThe account runs out of credit:")

    yield* stt
      .transcribe({ audio: AudioSource.fromPath(path), model: "en-general-v2-8khz" })
      .pipe(Effect.catchTag("SttCreditExhausted", (error) => Console.log(`   ${error._tag}: ${error.message}`)))
    yield* tts
      .synthesize({ text: "Hello?", lang: "en" })
      .pipe(Effect.catchTag("TtsUnauthorized", (error) => Console.log(`   ${error._tag}: ${error.message}`)))
  })

const demo = Effect.gen(function* () {
  const service = yield* LocalService
  const fs = yield* FileSystem.FileSystem
  yield* Console.log("The local service is ready:")
  yield* Console.log(`   synthesis      ${service.ttsBaseUrl}`)
  yield* Console.log(`   transcription  ${service.sttBaseUrl}`)

  yield* fs.makeDirectory(folder, { recursive: true })
  const texts = process.argv.length > 2 ? process.argv.slice(2) : defaultTexts
  const paths = yield* Effect.forEach(texts, speakAndTranscribe)
  yield* outOfCredit(paths[0] ?? "")
})

demo.pipe(
  Effect.provide(
    LocalService.layerClients.pipe(Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer)))
  ),
  NodeRuntime.runMain
)
