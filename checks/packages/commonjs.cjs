/** The quick start as CommonJS. Effect is loaded twice here: as CommonJS by this file, and as ES modules by the packages. */
const { Wav } = require("@effect-speech/audio-codec")
const { AudioSource, SpeechToText } = require("@effect-speech/stt")
const NodeTransport = require("@effect-speech/transport/node")
const { TextToSpeech } = require("@effect-speech/tts")
const { Console, Effect, Layer } = require("effect")

const clients = Layer.merge(TextToSpeech.layerFromEnv, SpeechToText.layerFromEnv)
Effect.gen(function* () {
  const [tts, stt] = yield* Effect.all([TextToSpeech, SpeechToText])
  const file = yield* Wav.writeFile(yield* tts.stream({ text: "नमस्ते", lang: "hi" }), "commonjs.wav")
  const { text } = yield* stt.transcribe({ audio: AudioSource.fromPath(file.path), model: "hi-general-v2-8khz" })
  yield* Console.log(text)
}).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(clients, NodeTransport.layer)), Effect.runPromise)
