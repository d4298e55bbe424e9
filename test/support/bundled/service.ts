/** Both clients against a local service in the same process: the `service.ts` of docs/guides/bundling.md. It prints what it hears. */
import * as Wav from "@effect-speech/audio-codec/Wav"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const clients = LocalService.layerClients.pipe(Layer.provide([LocalService.layer(), NodeTransport.layer]))

Effect.gen(function* () {
  const [tts, stt] = yield* Effect.all([TextToSpeech, SpeechToText])
  const { bytes, format } = yield* tts.synthesize({ text: "नमस्ते" })
  const wav = Wav.encode(bytes, format)
  const { text } = yield* stt.transcribe({ audio: AudioSource.fromBytes(wav), model: "hi-general-v2-8khz" })
  yield* Console.log(text)
}).pipe(Effect.provide(clients), Effect.runPromise)
