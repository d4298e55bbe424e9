/**
 * Both clients against a local service of their own, which is a part of the layer: a test can reach its account.
 */
import { LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import { SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const clients = Layer.unwrapEffect(
  Effect.map(LocalService, ({ apiKey, sttBaseUrl, ttsBaseUrl }) =>
    Layer.merge(
      SpeechToText.layer({ apiKey, baseUrl: sttBaseUrl }),
      TextToSpeech.layer({ apiKey, baseUrl: ttsBaseUrl })
    )
  )
)

export const localClients = (options: LocalServiceOptions = {}) =>
  Layer.orDie(clients.pipe(Layer.provideMerge(Layer.merge(LocalService.layer(options), NodeTransport.layer))))
