import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Effect } from "effect"

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const stt = yield* SpeechToText
  yield* Wav.writeFile(yield* tts.stream({ text: "नमस्ते", lang: "hi" }), "namaste.wav")
  const audio = AudioSource.fromPath("namaste.wav")
  const { text } = yield* stt.transcribe({ audio, model: "hi-general-v2-8khz" })
  yield* Console.log(text)
}).pipe(
  Effect.catchTags({
    SttCreditExhausted: (error) => Console.error(error.message),
    TtsUnauthorized: (error) => Console.error(error.message)
  })
)

program.pipe(
  Effect.scoped,
  Effect.provide([SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv]),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
