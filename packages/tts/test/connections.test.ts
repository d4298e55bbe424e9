/** The connections of many calls. */
import { createServer } from "node:http"
import { expect, it } from "@effect/vitest"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { loopback } from "../../../test/support/loopback.js"
import { audio, clientOf, headers, request } from "./scriptedTts.js"

it.scopedLive.each([
  { start: "all at once", concurrency: "unbounded" },
  { start: "one after another, eight at a time", concurrency: 8 }
] as const)(
  "100 calls that start $start have no more connections than the concurrency of their layer",
  ({ concurrency }) =>
    Effect.gen(function* () {
      let accepted = 0
      let running = 0
      let most = 0
      const server = createServer((received, response) => {
        most = Math.max(most, ++running)
        received.resume().once("end", () => {
          setTimeout(() => {
            running--
            response.writeHead(200, headers).end(audio.pcm16)
          }, 10)
        })
      }).on("connection", () => accepted++)
      const { url } = yield* loopback(server)
      const context = yield* Layer.build(Layer.provide(clientOf(url, { concurrency: 8 }), NodeTransport.layer))
      const tts = Context.get(context, TextToSpeech)
      const speeches = yield* Effect.replicateEffect(tts.synthesize(request), 100, { concurrency })
      expect(speeches.length).toBe(100)
      expect({ accepted, most }).toEqual({ accepted: 8, most: 8 })
    })
)
