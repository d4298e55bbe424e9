import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Effect, Layer } from "effect"

const TestLive = LocalService.layerClients.pipe(
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

layer(TestLive, { excludeTestServices: true })("an announcement", (it) => {
  it.effect("is spoken although the service fails once", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      yield* service.faults.set([{ operation: "synthesize", times: 1, status: 502 }])
      const tts = yield* TextToSpeech
      yield* tts.synthesize({ text: "Platform two", lang: "en" })
      expect((yield* service.requests).map(({ status }) => status)).toEqual([502, 200])
    })
  )
})
