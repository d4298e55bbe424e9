import { describe, expect, it } from "@effect/vitest"
import { PieceStore, type PieceStoreError } from "@effect-speech/long-form"
import type { SttInvalidResponse, Transcription } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SpeechCache from "../src/internal/speech/speechCache.js"
import * as TranscriptCache from "../src/internal/transcription/transcriptCache.js"

const name = (extension: string) => `${"0123456789abcdef".repeat(4)}.${extension}`
const other = (extension: string) => `${"fedcba9876543210".repeat(4)}.${extension}`

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

interface Kind {
  readonly kind: string
  readonly extension: string
  readonly keep: (name: string) => Effect.Effect<void, PieceStoreError | SttInvalidResponse, PieceStore>
  readonly get: (name: string) => Effect.Effect<Option.Option<unknown>, PieceStoreError, PieceStore>
  readonly content: unknown
}

const kinds: ReadonlyArray<Kind> = [
  {
    kind: "transcript",
    extension: "json",
    keep: (name: string) => Effect.flatMap(PieceStore, (store) => TranscriptCache.put(store, name, transcription)),
    get: (name: string) => Effect.flatMap(PieceStore, (store) => TranscriptCache.get(store, name)),
    content: transcription
  },
  {
    kind: "audio",
    extension: "wav",
    keep: (name: string) => Effect.flatMap(PieceStore, (store) => SpeechCache.put(store, name, speech)),
    get: (name: string) => Effect.flatMap(PieceStore, (store) => SpeechCache.get(store, name)),
    content: speech
  }
]

describe.each(kinds)("a kept $kind", ({ content, extension, get, keep }) => {
  it.effect("is found under its name, and is none under the name of another piece", () =>
    Effect.gen(function* () {
      const store = yield* PieceStore
      yield* keep(name(extension))
      expect(yield* get(name(extension))).toEqual(Option.some(content))
      yield* store.put(other(extension), Option.getOrThrow(yield* store.get(name(extension))))
      expect(yield* get(other(extension))).toEqual(Option.none())
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )

  it.effect("is none with any bit of its file changed, or with any part of it missing", () =>
    Effect.gen(function* () {
      const store = yield* PieceStore
      yield* keep(name(extension))
      const file = Option.getOrThrow(yield* store.get(name(extension)))
      const used: Array<string> = []
      const look = (damaged: Uint8Array, what: string) =>
        Effect.gen(function* () {
          yield* store.put(name(extension), damaged)
          if (Option.isSome(yield* get(name(extension)))) used.push(what)
        })
      for (let bit = 0; bit < 8 * file.byteLength; bit++) {
        const damaged = file.slice()
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        yield* look(damaged, `bit ${bit}`)
      }
      for (let length = 0; length < file.byteLength; length++) yield* look(file.subarray(0, length), `${length} bytes`)
      expect(used).toEqual([])
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )
})

describe("a piece that an earlier version kept, without its name in the digest", () => {
  it.effect("is used, so that nothing is paid again", () =>
    Effect.gen(function* () {
      const store = yield* PieceStore
      const { auxInfo, ...rest } = transcription
      const json = JSON.stringify({ ...rest, auxInfo })
      yield* store.put(name("json"), new TextEncoder().encode(json))
      expect(yield* TranscriptCache.get(store, name("json"))).toEqual(Option.some(transcription))

      yield* store.put(name("wav"), Uint8Array.from(Buffer.from(oldSpeech, "base64")))
      expect(yield* SpeechCache.get(store, name("wav"))).toEqual(Option.some(speech))
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )
})

/** The file of `speech`, as an earlier version wrote it. */
const oldSpeech =
  "UklGRtgAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YWQAAAAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9gYWJjZWZzcEgAAABib29rLjAwMWVmMzAxMmEzMTU0OTI5MmRkZmQxYjkzYjY3MzQyYTRhODRkNjcxZjJjMjZkNzk3ZWI5MDg0NDE4ZGE4OTVlNjQ="
