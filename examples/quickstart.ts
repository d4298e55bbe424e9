import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Effect, Layer } from "effect"

const clients = Layer.merge(TextToSpeech.layerFromEnv, SpeechToText.layerFromEnv)
Effect.gen(function* () {
  const [tts, stt] = yield* Effect.all([TextToSpeech, SpeechToText])
  const file = yield* Wav.writeFile(yield* tts.stream({ text: "नमस्ते", lang: "hi" }), "namaste.wav")
  const { text } = yield* stt.transcribe({ audio: AudioSource.fromPath(file.path), model: "hi-general-v2-8khz" })
  yield* Console.log(text)
}).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(clients, NodeTransport.layer)), NodeRuntime.runMain)
