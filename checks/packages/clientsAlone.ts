/** A program with the two clients and their peer dependencies, over `fetch`: a synthesis, and a transcription of a file. */
import { readFile } from "node:fs/promises"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Console, Effect, Layer } from "effect"

const program: Effect.Effect<void, SttError | TtsError, SpeechToText | TextToSpeech> = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const stt = yield* SpeechToText
  const speech = yield* tts.synthesize({ text: "नमस्ते", lang: "hi", outputFormat: "8000:pcm16" })
  if (speech.bytes.byteLength === 0) return
  const bytes = yield* Effect.promise(() => readFile(String(process.argv[2])))
  const audio = AudioSource.fromBytes(bytes)
  const { text } = yield* stt.transcribe({ audio, model: "hi-general-v2-8khz" })
  yield* Console.log(text)
})

const clients = Layer.merge(SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv)

await program.pipe(
  Effect.provide(clients.pipe(Layer.provide([FetchHttpClient.layer, FileSystem.layerNoop({})]))),
  Effect.runPromise
)
