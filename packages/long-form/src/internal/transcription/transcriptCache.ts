/** The transcript of each paid piece, in a `PieceStore`. An entry is JSON: a digest of its key and content, and the transcription. */
import type { SpeechToTextService } from "@effect-speech/stt/SpeechToText"
import { SttInvalidResponse } from "@effect-speech/stt/SttError"
import { Transcription } from "@effect-speech/stt/Transcription"
import type { TranscriptionOptions } from "@effect-speech/stt/TranscriptionOptions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { PieceStoreError, PieceStoreService } from "../../PieceStore.js"
import * as CacheEntry from "../cacheEntry.js"

/** The fields of a request that decide its transcript. */
export type DecidingFields = Omit<TranscriptionOptions, "transactionId" | "telephony">

/** The key of a transcript: a digest of the samples, the options of the request, and the base URL. */
export const keyOf = (
  samples: Uint8Array,
  { additionalFields = {}, aux = false, hotwords = [], model, parseNumber = false }: DecidingFields,
  { baseUrl = "" }: Pick<SpeechToTextService, "baseUrl">
): Effect.Effect<string> =>
  Effect.map(CacheEntry.sha256(samples), (digest) =>
    CacheEntry.cacheKey(
      {
        samples: digest,
        baseUrl,
        model,
        aux,
        parseNumber,
        hotwords: hotwords.map(({ phrase, score }) => [phrase, score]),
        additionalFields
      },
      "json"
    )
  )

const decodeOutline = Schema.decodeUnknownOption(Transcription)

/** The schema would take minutes for the segments of many hours. The digest says that they are those that were written. */
const decode = (json: string): Option.Option<Transcription> =>
  Option.flatMap(Option.liftThrowable(JSON.parse)(json), (value: unknown) => {
    if (!Predicate.isRecord(value) || !Predicate.isRecord(value.auxInfo)) return decodeOutline(value)
    const { segments_meta: segments, ...auxInfo } = value.auxInfo
    const areSegments = Array.isArray(segments) && segments.every(Predicate.isRecord)
    return Option.map(decodeOutline({ ...value, auxInfo }), (outline) =>
      areSegments ? { ...outline, auxInfo: { ...outline.auxInfo, segments_meta: segments } } : outline
    )
  })

/** The transcript of this key. An entry that is damaged, or that of another piece, counts as none. */
export const get = (
  store: PieceStoreService,
  key: string
): Effect.Effect<Option.Option<Transcription>, PieceStoreError> =>
  Effect.map(
    CacheEntry.read(store, key),
    Option.flatMap(({ file, state }) =>
      decode(decoder.decode(state === "whole" ? CacheEntry.transcriptionIn(file) : file))
    )
  )

export const put = (
  store: PieceStoreService,
  key: string,
  transcription: Transcription
): Effect.Effect<void, PieceStoreError | SttInvalidResponse> =>
  Effect.gen(function* () {
    const json = yield* Effect.try({
      try: () => JSON.stringify(transcription),
      catch: () => new SttInvalidResponse({ problem: "it can't be written as JSON", call: transcription.call })
    })
    const digest = yield* CacheEntry.digestOf(key, encoder.encode(json))
    yield* store.put(key, encoder.encode(`${CacheEntry.headOf(digest)}${json}${CacheEntry.tail}`))
  })

const encoder = new TextEncoder()
const decoder = new TextDecoder()
