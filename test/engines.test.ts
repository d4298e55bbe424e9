/** The clients, long form and subtitles over a local service whose recogniser is an engine of one's own. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
import { Recogniser, RecogniserFailed } from "@effect-speech/engine"
import { Espeak, LocalService } from "@effect-speech/local-service"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"

/** How often it fails before it works. */
let failures = 0

/** Hears a word each second, and gives no confidence. */
const engine = Layer.succeed(Recogniser, {
  sampleRate: 16_000,
  models: [{ name: "en-engine", lang: "en", hotwords: false }],
  recognise: ({ samples }) =>
    Effect.gen(function* () {
      if (failures-- > 0) {
        return yield* new RecogniserFailed({ reason: "Overloaded", message: "Others wait.", retryAfterMillis: 10 })
      }
      const blocks = samples instanceof Float32Array ? [samples] : [...(yield* Stream.runCollect(samples))]
      const seconds = Math.floor(blocks.reduce((sum, { length }) => sum + length, 0) / 16_000)
      const segments = Array.from({ length: seconds }, (_, second) => ({
        text: `word ${second}`,
        startMillis: 1000 * second,
        endMillis: 1000 * second + 900
      }))
      return { text: segments.map(({ text }) => text).join(" "), segments }
    })
})

const service = LocalService.layerWithoutDependencies().pipe(
  // It logs that hotwords are ignored.
  Layer.provide([Espeak.layer, engine, NodeFileSystem.layer, Logger.minimumLogLevel(LogLevel.Error)])
)

const clients = LocalService.layerClients.pipe(
  Layer.provideMerge(
    Layer.mergeAll(service, NodeTransport.layer, AudioDecoder.AudioDecoder.layerWav, PieceStore.layerMemory)
  )
)

const recordingOf = (seconds: number) =>
  AudioSource.fromBytes(
    Wav.encode(
      Uint8Array.from({ length: 16_000 * seconds }, (_, at) => (at * 7919) % 251),
      { sampleRate: 8000, channels: 1, encoding: "pcm16" }
    )
  )

layer(clients, { excludeTestServices: true })("an engine that gives no confidence", (it) => {
  it.effect("transcribes for the client, which says that it takes no hotwords", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const hotwords = [{ phrase: "harbour" }]
      const request = { audio: recordingOf(2), model: "en-engine", aux: true, hotwords }
      const { auxInfo, text, warnings } = yield* stt.transcribe(request)
      expect(text).toBe("word 0 word 1")
      expect(auxInfo?.confidence).toBeUndefined()
      expect(auxInfo?.segments_meta).toEqual([
        { start: 0, end: 0.9, text: "word 0" },
        { start: 1, end: 1.9, text: "word 1" }
      ])
      expect(warnings.map(({ _tag }) => _tag)).toEqual(["HotwordsIgnored"])
    })
  )

  it.effect("gives subtitles of a long recording the times that it heard", () =>
    Effect.gen(function* () {
      const { confidence, segments, warnings } = yield* LongTranscription.transcribe(
        { audio: recordingOf(5), model: "en-engine" },
        { maximum: 2000 }
      )
      expect(confidence).toBeUndefined()
      expect(warnings).toEqual([])
      expect(segments.every((segment) => segment.confidence === undefined)).toBe(true)
      const cues = Either.getOrThrow(Subtitles.parse(Subtitles.toSrt(Subtitles.layout(segments))))
      expect(cues.map(({ startMillis }) => startMillis)).toEqual(segments.map(({ startMillis }) => startMillis))
    })
  )

  it.effect("that is overloaded is bridged by the retries of the client, and paid once", () =>
    Effect.gen(function* () {
      const { accounts, requests } = yield* LocalService
      const stt = yield* SpeechToText
      const before = (yield* accounts.account).credits
      failures = 1
      expect((yield* stt.transcribe({ audio: recordingOf(1), model: "en-engine" })).text).toBe("word 0")
      expect((yield* requests).slice(-2).map(({ status }) => status)).toEqual([503, 200])
      expect((yield* accounts.account).credits).toBe(before - 1)
    })
  )
})
