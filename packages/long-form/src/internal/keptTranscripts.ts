import type { SpeechToTextService } from "@effect-speech/stt/SpeechToText"
import { Transcription } from "@effect-speech/stt/Transcription"
import type { TranscriptionRequest } from "@effect-speech/stt/TranscriptionRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { PieceStoreError, PieceStoreService } from "../PieceStore.js"
import { hex } from "./uuid.js"

/** The fields of a request that decide its transcript. */
export type DecidingFields = Omit<TranscriptionRequest, "audio" | "transactionId" | "telephony">

const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
    (hashed) => hex(new Uint8Array(hashed))
  )

/** The name of a result: by the samples, by what is asked of them, and by the service. */
export const nameOf = (
  samples: Uint8Array,
  { additionalFields = {}, aux, hotwords, model, parseNumber }: DecidingFields,
  { baseUrl }: Pick<SpeechToTextService, "baseUrl">
): Effect.Effect<string> =>
  Effect.gen(function* () {
    const content = JSON.stringify([
      yield* sha256(samples),
      baseUrl ?? "",
      model,
      aux ?? false,
      parseNumber ?? false,
      (hotwords ?? []).map(({ phrase, score }) => [phrase, score ?? null]),
      Object.entries(additionalFields).toSorted(([one], [other]) => (one < other ? -1 : 1))
    ])
    return `${yield* sha256(new TextEncoder().encode(content))}.json`
  })

const Kept = Schema.parseJson(Transcription)
const decode = Schema.decodeOption(Kept)
const encode = Schema.encode(Kept)

/** The result that was kept. A file that holds something else counts as none. */
export const getKept = (
  store: PieceStoreService,
  name: string
): Effect.Effect<Option.Option<Transcription>, PieceStoreError> =>
  Effect.map(
    store.get(name),
    Option.flatMap((bytes) => decode(new TextDecoder().decode(bytes)))
  )

export const keep = (
  store: PieceStoreService,
  name: string,
  transcription: Transcription
): Effect.Effect<void, PieceStoreError> =>
  Effect.flatMap(Effect.orDie(encode(transcription)), (json) => store.put(name, new TextEncoder().encode(json)))
