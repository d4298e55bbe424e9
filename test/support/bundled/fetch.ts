/** Both clients over `fetch`, and the codec: the `fetch.ts` of docs/guides/bundling.md. It prints what it hears of a text. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const clients = Layer.merge(SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv)

Effect.gen(function* () {
  const [tts, stt] = yield* Effect.all([TextToSpeech, SpeechToText])
  const speech = yield* tts.synthesize({ text: "नमस्ते" })
  const bytes = yield* PcmStream.collect(Telephony.telephony(speech))
  const audio = AudioSource.fromBytes(Wav.encode(bytes, Telephony.format))
  const { text } = yield* stt.transcribe({ audio, model: "hi-general-v2-8khz" })
  yield* Console.log(text)
}).pipe(Effect.provide(Layer.provide(clients, [FetchHttpClient.layer, NodeFileSystem.layer])), Effect.runPromise)
