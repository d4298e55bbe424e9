// Plain JavaScript: measured processes run without a compiler.
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * Both clients of a service, with connections of their own.
 *
 * @param {import("effect-speech-test-support/serviceProcess").Ready} service
 * @param {Pick<Parameters<typeof TextToSpeech.layer>[0], "deadlines"> & { readonly retries?: number }} [options]
 */
export const clientsOf = ({ apiKey, sttBaseUrl, ttsBaseUrl }, options) => {
  const common = { ...options, apiKey: Redacted.make(apiKey ?? "") }
  return Layer.merge(
    SpeechToText.layer({ ...common, baseUrl: sttBaseUrl }),
    TextToSpeech.layer({ ...common, baseUrl: ttsBaseUrl })
  ).pipe(Layer.provideMerge(NodeTransport.layer))
}
