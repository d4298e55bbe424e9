/**
 * A phone line: it transcribes what a caller says, and replies with speech.
 */
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Effect, Layer, ManagedRuntime } from "effect"

const Live = Layer.provideMerge(Layer.merge(SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv), NodeTransport.layer)
const runtime = ManagedRuntime.make(Live)

export const close = () => runtime.dispose()

/** @param {Uint8Array} recording @param {string} [voice] Default: the default voice, also if the service lacks this one. */
export const answer = (recording, voice) =>
  Effect.gen(function* () {
    const [stt, tts] = yield* Effect.all([SpeechToText, TextToSpeech])
    const { text } = yield* stt.transcribe({
      audio: AudioSource.fromBytes(recording),
      model: "en-general-v2-8khz",
      hotwords: [{ phrase: "parcel" }]
    })
    const request = {
      text: text === "" ? "Sorry?" : "Your parcel comes today.",
      lang: "en",
      outputFormat: /** @type {const} */ ("8000:pcm16")
    }
    const speech = yield* tts
      .synthesize({ ...request, voice })
      .pipe(Effect.catchTag("TtsBadRequest", () => tts.synthesize(request)))
    return { heard: text, reply: request.text, wav: Wav.encode(speech.bytes, speech.format) }
  }).pipe(runtime.runPromise)
