import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { AudioDecoder, PcmStream } from "@effect-speech/audio-codec"
import { LongSpeech, LongTranscription, PieceStore, type PieceStoreService } from "@effect-speech/long-form"
import { SpeechToText, type Transcription } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { effectTests } from "effect-speech-test-support/effectTests"
import * as SpeechCache from "../src/internal/speech/speechCache.js"
import * as TranscriptCache from "../src/internal/transcription/transcriptCache.js"
import { spoken } from "./tones.js"
import { evenWords, requestOf, speak } from "./words.js"

const it = effectTests(PieceStore.layerMemory)

const transcription: Transcription = {
  text: "नमस्ते, the train leaves at 5",
  callId: "call-1",
  transactionId: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f",
  auxInfo: { confidence: 0.5, segments_meta: [{ confidence: 0.5, start: 0.25, end: 1.5, text: "नमस्ते" }] },
  warnings: [],
  call: { sentId: "a", attempts: [], billing: "billed", elapsedMillis: 12 }
}
const speech = {
  format: { sampleRate: 8000, channels: 1, encoding: "pcm16" },
  bytes: new Uint8Array(100).map((_, at) => at),
  requestId: "book.001"
} as const

const keyOf = (extension: string) => `${"0123456789abcdef".repeat(4)}.${extension}`

/** The files of these, as an earlier version wrote them: their digests do not cover the key, or there is none. */
const oldTranscript = new TextEncoder().encode(JSON.stringify(transcription))
const oldSpeech = Uint8Array.from(
  Buffer.from(
    "UklGRtgAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YWQAAAAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9gYWJjZWZzcEgAAABib29rLjAwMWVmMzAxMmEzMTU0OTI5MmRkZmQxYjkzYjY3MzQyYTRhODRkNjcxZjJjMjZkNzk3ZWI5MDg0NDE4ZGE4OTVlNjQ=",
    "base64"
  )
)

interface Cache {
  readonly kind: string
  readonly key: string
  readonly content: unknown
  readonly old: Uint8Array
  readonly put: Effect.Effect<void, unknown, PieceStore>
  readonly get: (key: string) => Effect.Effect<Option.Option<unknown>, unknown, PieceStore>
}

const cacheOf = <A>(
  kind: string,
  key: string,
  content: A,
  old: Uint8Array,
  cache: {
    readonly put: (store: PieceStoreService, key: string, content: A) => Effect.Effect<void, unknown>
    readonly get: (store: PieceStoreService, key: string) => Effect.Effect<Option.Option<unknown>, unknown>
  }
): Cache => ({
  ...{ kind, key, content, old },
  put: Effect.flatMap(PieceStore, (store) => cache.put(store, key, content)),
  get: (other) => Effect.flatMap(PieceStore, (store) => cache.get(store, other))
})

const caches = [
  cacheOf("transcript", keyOf("json"), transcription, oldTranscript, TranscriptCache),
  cacheOf("speech", keyOf("wav"), speech, oldSpeech, SpeechCache)
]

describe.each(caches)("a cached $kind", ({ content, get, key, old, put }) => {
  it("is found under its key, and not under that of another piece", function* () {
    const store = yield* PieceStore
    yield* put
    expect(yield* get(key)).toEqual(Option.some(content))
    const other = key.replace(/^\w+/, "fedcba9876543210".repeat(4))
    yield* store.put(other, Option.getOrThrow(yield* store.get(key)))
    expect(yield* get(other)).toEqual(Option.none())
  })

  it("is none if any byte of its file is changed, or any part of it is missing", function* () {
    const store = yield* PieceStore
    yield* put
    const file = Option.getOrThrow(yield* store.get(key))
    const damaged = function* () {
      for (let at = 0; at < file.byteLength; at++) yield file.with(at, (file[at] ?? 0) ^ (1 << (at % 8)))
      for (let length = 0; length < file.byteLength; length++) yield file.subarray(0, length)
    }
    for (const bytes of damaged()) {
      yield* store.put(key, bytes)
      if (Option.isSome(yield* get(key))) expect(bytes).toBe("none")
    }
  })

  it("that an earlier version wrote is used, so that nothing is paid again", function* () {
    yield* Effect.flatMap(PieceStore, (store) => store.put(key, old))
    expect(yield* get(key)).toEqual(Option.some(content))
  })
})

it("the keys of pieces are those of earlier versions, whose folders are resumed", function* () {
  const keys: Array<string> = []
  const put = (key: string) => Effect.sync(() => void keys.push(key))
  const request = { text: [{ text: " Alpha one.\n", speed: 2 }], lang: "en", g2pOverrides: { b: 1, a: 2 } }
  const speech = yield* LongSpeech.stream({ ...request, outputFormat: "8000:float32" }).pipe(
    Effect.provideService(PieceStore, { get: () => Effect.succeedNone, put }),
    Effect.provide(TextToSpeech.layerTest(spoken("a")))
  )
  yield* PcmStream.collect(speech)
  const fields = { hotwords: [{ phrase: "दिल्ली", score: 2 }], additionalFields: { speakers: "2" } }
  yield* LongTranscription.transcribe({ ...requestOf(speak(evenWords(2))), ...fields }).pipe(
    Effect.provideService(PieceStore, { get: () => Effect.succeedNone, put }),
    Effect.provide([SpeechToText.layerTest("a"), AudioDecoder.AudioDecoder.layerWav, NodeFileSystem.layer])
  )
  expect(keys).toEqual([
    "004d45101459f82473e3bdddf607e134c093b4235b5e823af53cfa0027c69f1f.wav",
    "ddf06779407de7e49678b0401382273cee6af705526f16aa02bcb88ebff9d892.json"
  ])
})
