import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { SttAudioUnreadable, type SttError } from "@effect-speech/stt/SttError"
import type { Transcription } from "@effect-speech/stt/Transcription"
import * as Effect from "effect/Effect"
import { PieceStore, type PieceStoreError } from "../../PieceStore.js"
import { makePaidPieces } from "../paidPieces.js"
import { makeRunProgress } from "../runProgress.js"
import { makeStoppableCalls, withGrace } from "../stoppableCalls.js"
import type { Event, PiecePlace } from "./events.js"
import type { PieceResult } from "./joinTranscripts.js"
import { pieceFileNameOf, pieceIdOf } from "./pieceNames.js"
import type { RecordingPiece } from "./recordingPieces.js"
import type { Options } from "./request.js"
import * as TranscriptCache from "./transcriptCache.js"

export interface PieceFailed {
  readonly _tag: "PieceFailed"
  readonly piece: PieceResult["piece"]
  readonly error: SttError | PieceStoreError
}

/** Room for a transcript with the times of its segments. */
const expectedBytes = (place: PiecePlace): number => 16_384 + Math.ceil(millisOf(place) / 2)

const millisOf = ({ endMillis, startMillis }: PiecePlace): number => endMillis - startMillis

/** The recording of the pieces. */
interface Whole {
  readonly transactionId: string
  readonly filename: string
  /** If it is known. */
  readonly durationMillis: number | undefined
}

/** Transcribes pieces, or finds their transcripts in the cache. */
export const makeTranscriber = (
  fields: TranscriptCache.DecidingFields,
  { durationMillis, filename, transactionId }: Whole,
  { gracePeriod, onEvent, outage, retryIfBilled }: Options,
  emit: (event: Event) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const store = yield* PieceStore
    const progress = makeRunProgress(store)
    const calls = makeStoppableCalls(gracePeriod !== undefined || onEvent !== undefined)
    const obtain = makePaidPieces<Transcription, SttError>(store, progress)

    type Outcome = Omit<PieceResult, "piece">
    const audible = (samples: Uint8Array, place: PiecePlace): Effect.Effect<Outcome, SttError | PieceStoreError> =>
      Effect.gen(function* () {
        const key = yield* TranscriptCache.keyOf(samples, fields, stt)
        const { result, source } = yield* obtain({
          key,
          amount: millisOf(place),
          expectedBytes: expectedBytes(place),
          emit: (_tag) => emit({ _tag, ...place }),
          find: TranscriptCache.get(store, key),
          send: (restore) =>
            Effect.gen(function* () {
              const file = Wav.encode(samples, Telephony.format)
              const audio = AudioSource.fromBytes(file, { filename: pieceFileNameOf(filename, place) })
              const id = pieceIdOf(transactionId, place.number)
              const call = calls.run(
                (onEvent) =>
                  stt.transcribe({ ...fields, audio, transactionId: id }, { outage, retryIfBilled, onEvent }),
                (event) => emit({ _tag: "Called", ...place, event })
              )
              const transcription = yield* restore(call)
              yield* TranscriptCache.put(store, key, transcription)
              return transcription
            })
        })
        return { source, transcription: result }
      })
    const silent = (place: PiecePlace): Effect.Effect<Outcome> =>
      Effect.suspend(() => {
        progress.skip(millisOf(place))
        return Effect.as(emit({ _tag: "Silent", ...place }), { source: "silence" as const })
      })

    /** The result has no samples, so that memory does not grow with them. */
    const transcribe = ({ samples, ...piece }: RecordingPiece): Effect.Effect<PieceResult, PieceFailed> => {
      const { endMillis, number, startMillis } = piece
      const place = { number, startMillis, endMillis }
      return Effect.mapBoth(piece.isSilent ? silent(place) : audible(samples, place), {
        onSuccess: (outcome) => ({ piece, ...outcome }),
        onFailure: (error) => {
          progress.fail(error)
          return { _tag: "PieceFailed", piece, error } as const
        }
      })
    }

    /** The error of a piece, or of a recording that can't be read to its end. */
    const explain = (failed: PieceFailed | SttAudioUnreadable): Effect.Effect<SttError | PieceStoreError> => {
      if (failed._tag === "SttAudioUnreadable") return Effect.map(progress.kept, (kept) => unreadable(failed, kept))
      const { endMillis, ending, number, startMillis } = failed.piece
      const of = ending === "end" ? number : undefined
      return progress.explain(failed.error, durationMillis, (kept, leftMillis) => ({
        _tag: "RecordingPiece",
        ...{ number, of, startMillis, endMillis, wholeMillis: durationMillis, kept, leftMillis }
      }))
    }
    const unreadable = (error: SttAudioUnreadable, kept: { readonly pieces: number } = { pieces: 0 }) => {
      const pieces = kept.pieces === 1 ? "1 piece is kept" : `${kept.pieces} pieces are kept`
      return new SttAudioUnreadable({
        ...error,
        call: { ...error.call, billing: progress.billingWith(error.call.billing) },
        message:
          kept.pieces === 0
            ? error.message
            : `${withoutLink(error.message)} To go on, run it again with the whole recording: ${pieces}.`
      })
    }
    return { transcribe, explain, atClose: withGrace(calls, gracePeriod) }
  })
