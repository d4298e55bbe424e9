import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import { PcmStream } from "@effect-speech/audio-codec"
import { LongSpeech, LongTranscription, PieceStore } from "@effect-speech/long-form"
import { SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { toneOf } from "./speakingServer.js"
import { evenWords, requestOf, speak, textOf, transcriptOf } from "./words.js"

const doubles = Layer.mergeAll(
  SpeechToText.layerTest(transcriptOf),
  TextToSpeech.layerTest(({ text }) => ({ bytes: new Uint8Array(toneOf(text).buffer), outputFormat: "8000:float32" })),
  PieceStore.layerMemory,
  NodeFileSystem.layer
)

/** Ends only when the job has ended: its fiber is interrupted then. */
const untilInterrupted = (seen: Array<string>) => (event: { readonly _tag: string }) => {
  seen.push(event._tag)
  return Effect.never
}

it.scopedLive("a long recording is transcribed although its handler of events never ends", () =>
  Effect.gen(function* () {
    const words = evenWords(6)
    const seen: Array<string> = []
    const { text } = yield* LongTranscription.transcribe(requestOf(speak(words)), {
      pieceMillis: 2000,
      onEvent: untilInterrupted(seen)
    }).pipe(Effect.timeout("5 seconds"))
    expect([text, seen]).toEqual([textOf(words), ["Planned"]])
  }).pipe(Effect.provide(doubles))
)

it.scopedLive("a long text is spoken although its handler of events never ends, and so is its plan", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const speaking = Effect.gen(function* () {
      const speech = yield* LongSpeech.stream(
        { text: "Alpha one. Beta two." },
        { first: 13, maximum: 14, onEvent: untilInterrupted(seen) }
      )
      yield* PcmStream.collect(speech)
      return { plan: yield* speech.plan, report: yield* speech.report }
    })
    const { plan, report } = yield* Effect.timeout(Effect.scoped(speaking), "5 seconds")
    expect([plan.pieces, report.pieces.length, seen.length]).toEqual([2, 2, 1])
  }).pipe(Effect.provide(doubles))
)

it.scopedLive("a slow handler of events gets all of them in order, also after the end", () =>
  Effect.gen(function* () {
    const words = evenWords(12)
    const seen: Array<string> = []
    yield* LongTranscription.transcribe(requestOf(speak(words)), {
      pieceMillis: 2000,
      concurrency: 1,
      onEvent: ({ _tag }) =>
        Effect.delay(
          Effect.sync(() => void (_tag === "Called" || seen.push(_tag))),
          "5 millis"
        )
    })
    yield* Effect.sleep("300 millis")
    expect(seen).toEqual([
      "Planned",
      ...Array.from({ length: (seen.length - 1) / 2 }, () => ["Started", "Done"]).flat()
    ])
    expect(seen.length).toBeGreaterThan(3)
  }).pipe(Effect.provide(doubles))
)
