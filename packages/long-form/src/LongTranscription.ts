/**
 * Transcribes a recording of any length: it is cut at pauses, the pieces are sent in parallel, and their transcripts are joined
 * in order.
 *
 * ```ts
 * const { segments, text } = yield* LongTranscription.transcribe({
 *   audio: AudioSource.fromPath("hour.wav"),
 *   model: "hi-general-v2-8khz"
 * })
 * ```
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as EventDelivery from "@effect-speech/common/EventDelivery"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import * as Recording from "@effect-speech/stt/Recording"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { SttAudioUnreadable, type SttError, SttInvalidRequest } from "@effect-speech/stt/SttError"
import type { SttWarning } from "@effect-speech/stt/SttWarning"
import type { Transcription } from "@effect-speech/stt/Transcription"
import { type TranscriptionRequest, validate } from "@effect-speech/stt/TranscriptionRequest"
import * as CallEvent from "@effect-speech/transport/CallEvent"
import type { CallReport } from "@effect-speech/transport/CallReport"
import * as ServiceError from "@effect-speech/transport/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type FailedPieces, makeFailedPieces } from "./internal/failedPieces.js"
import { inOrder } from "./internal/inOrder.js"
import { joinedConfidence, likely, type Segment, segmentsOf } from "./internal/joinTranscripts.js"
import { isKept } from "./internal/kept.js"
import { getKept, keep, nameOf } from "./internal/keptTranscripts.js"
import { type Ending, type OpenPieces, openPieces, type RecordingPiece } from "./internal/recordingPieces.js"
import { makeShared } from "./internal/shared.js"
import { uuidV5 } from "./internal/uuid.js"
import { PieceStore, PieceStoreError } from "./PieceStore.js"
import * as SegmentReader from "./SegmentReader.js"

export { type PieceSegments, type Segment, segmentsOf } from "./internal/joinTranscripts.js"
export type { Ending } from "./internal/recordingPieces.js"

/**
 * The request of a transcription, without `telephony`: a long recording is always converted. `aux` is true by default, since the
 * times of the segments come with it. A piece is sent under the UUID of version 5 of `transactionId` and its number.
 */
export type LongTranscriptionRequest = Omit<TranscriptionRequest, "telephony">

export interface LongTranscriptionOptions {
  /** The longest piece, in milliseconds, 1,000 to 3,600,000. Default: 300,000, 5 minutes. */
  readonly pieceMillis?: number | undefined
  /** How many pieces are sent at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** Reads the time of a segment in a response. Default: `SegmentReader.localService`. */
  readonly segments?: SegmentReader.SegmentReader | undefined
  /** How long a piece is retried while the service is down. Default: 5 minutes. */
  readonly outage?: Duration.DurationInput | undefined
  /**
   * Runs at each event, in order. The transcription never waits for it, nor does a defect in it affect the transcription.
   * Default: none.
   */
  readonly onEvent?: ((event: LongTranscriptionEvent) => Effect.Effect<void>) | undefined
}

/** The place of a piece in the recording. */
export interface PiecePlace {
  /** Counts from 1. */
  readonly number: number
  /** In milliseconds from the beginning of the recording. */
  readonly start: number
  /** In milliseconds. */
  readonly end: number
}

export type LongTranscriptionEvent = Planned | Kept | Silent | Started | Called | Done

/** As for the events of one call: later progress of the upload of the same piece. */
const replaces = (later: LongTranscriptionEvent, earlier: LongTranscriptionEvent): boolean =>
  later._tag === "Called" &&
  earlier._tag === "Called" &&
  later.number === earlier.number &&
  CallEvent.replaces(later.event, earlier.event)

/** The recording is open. */
export interface Planned {
  readonly _tag: "Planned"
  /** Its duration in milliseconds, if its header states it. */
  readonly durationMillis: number | undefined
}

/** The store has the transcript of a piece, from an earlier run or from an equal piece. The piece is not sent. */
export interface Kept extends PiecePlace {
  readonly _tag: "Kept"
}

/** A piece is digital silence, so it is not sent. */
export interface Silent extends PiecePlace {
  readonly _tag: "Silent"
}

/** The call of a piece starts. */
export interface Started extends PiecePlace {
  readonly _tag: "Started"
}

/** The call of a piece has an event, such as a retry. */
export interface Called extends PiecePlace {
  readonly _tag: "Called"
  readonly event: CallEvent.CallEvent
}

/** The transcript of a piece has arrived and is kept. */
export interface Done extends PiecePlace {
  readonly _tag: "Done"
}

/** A piece of the recording, and its own transcript. */
export interface TranscribedPiece extends PiecePlace {
  /**
   * | value   | the piece ends |
   * | ------- | -------------- |
   * | `pause` | in a pause |
   * | `quiet` | at the quietest point, since there was no pause: a word may be cut |
   * | `end`   | with the recording |
   */
  readonly ending: Ending
  /**
   * | value     | its transcript |
   * | --------- | -------------- |
   * | `sent`    | was made in this run |
   * | `kept`    | was kept by an earlier run, or for an equal piece |
   * | `silence` | is empty: the piece is digital silence, and was not sent |
   */
  readonly source: "sent" | "kept" | "silence"
  readonly text: string
  /** From 0 to 1, if the service states it. */
  readonly confidence?: number | undefined
  /** The service's id. Absent for silence. */
  readonly callId?: string | undefined
  /** The id that was sent. Absent for silence. */
  readonly transactionId?: string | undefined
  /** The report of the call that made the transcript. Absent for silence. */
  readonly call?: CallReport | undefined
}

/** A reason why the transcript of a long recording may be worse than you expect. The message says what to do. */
export type LongTranscriptionWarning =
  | SttWarning
  | SegmentTimesUnread
  | SegmentTextsDiffer
  | RecordingEndsEarly
  | NothingButSilence

/** The times of the segments of some pieces can't be read, or lie outside of them: such a piece is one segment. */
export interface SegmentTimesUnread {
  readonly _tag: "SegmentTimesUnread"
  /** The number of these pieces. */
  readonly pieces: number
  readonly message: string
}

/** The segments of some pieces do not have the words of their transcript: such a piece is one segment. */
export interface SegmentTextsDiffer {
  readonly _tag: "SegmentTextsDiffer"
  /** The number of these pieces. */
  readonly pieces: number
  readonly message: string
}

/** The WAV file has fewer samples than its header states. The transcript covers those that are there. */
export interface RecordingEndsEarly {
  readonly _tag: "RecordingEndsEarly"
  /** In milliseconds. */
  readonly missingMillis: number
  readonly message: string
}

/** The whole recording is digital silence. Nothing was sent. */
export interface NothingButSilence {
  readonly _tag: "NothingButSilence"
  readonly message: string
}

export interface LongTranscription {
  /** The transcripts of the pieces in order, with a space between them. */
  readonly text: string
  /** The duration of the recording, in milliseconds. */
  readonly durationMillis: number
  /** The mean of the confidences of the pieces, weighted by their duration. Absent if no piece has one. */
  readonly confidence?: number | undefined
  /** In order. Subtitles are made from them. */
  readonly segments: ReadonlyArray<Segment>
  readonly pieces: ReadonlyArray<TranscribedPiece>
  /** Each warning once. */
  readonly warnings: ReadonlyArray<LongTranscriptionWarning>
  /** The id from which those of the pieces were made. */
  readonly transactionId: string
}

/**
 * Transcribes a recording of any length.
 *
 * WAV is read as a stream; other containers are decoded by the `AudioDecoder` of audio-codec. The recording is mixed down and
 * converted to 8 kHz, and cut at pauses. Memory holds a few pieces, whatever the length; the transcript itself is in memory.
 *
 * The `PieceStore` keeps each transcript, by the samples of the piece, the request and the base URL. A new run sends only the
 * missing pieces. Digital silence is not sent.
 *
 * After a failure no piece starts, and those in flight are finished and kept. The error has `call.piece`, and its message names
 * the piece. An error of the recording itself is `SttAudioUnreadable`.
 */
export const transcribe = (
  request: LongTranscriptionRequest,
  options: LongTranscriptionOptions = {}
): Effect.Effect<LongTranscription, SttError | PieceStoreError, SpeechToText | PieceStore | FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { concurrency, outage, pieceMillis } = yield* checked(options)
      const { audio, transactionId = crypto.randomUUID(), ...given } = yield* validate(request)
      const fields = { ...given, aux: given.aux ?? true, additionalFields: { ...request.additionalFields } }
      const { onEvent } = options
      const stt = yield* SpeechToText
      const store = yield* PieceStore
      const { emit } = yield* EventDelivery.scoped(onEvent, replaces)
      const recording = yield* openPieces(audio, pieceMillis)
      yield* emit({ _tag: "Planned", durationMillis: recording.durationMillis })
      const done = { pieces: 0, millis: 0 }
      /** A result that the store was given, or gave. */
      let known: string | undefined
      const share = makeShared<Outcome, SttError | PieceStoreError>()
      const failed = makeFailedPieces()

      const outcomeOf = ({ isSilent, samples, ...facts }: RecordingPiece) =>
        Effect.gen(function* () {
          const place = placeOf(facts)
          const finished = (event: Kept | Silent | Done) => {
            done.pieces += isSilent ? 0 : 1
            done.millis += place.end - place.start
            return emit(event)
          }
          if (isSilent) {
            yield* finished({ _tag: "Silent", ...place })
            return { source: "silence" } as const
          }
          const name = yield* nameOf(samples, fields, stt)
          const asKept = (transcription: Transcription): Effect.Effect<Outcome> => {
            known = name
            return Effect.as(finished({ _tag: "Kept", ...place }), { source: "kept", transcription })
          }
          const findOrSend = Effect.gen(function* () {
            const kept = yield* getKept(store, name)
            if (Option.isSome(kept)) return yield* asKept(kept.value)
            yield* store.reserve?.(name, expectedBytes(place)) ?? Effect.void
            const call = {
              ...fields,
              audio: AudioSource.fromBytes(Wav.encode(Telephony.format, samples), {
                filename: `piece-${place.number}.wav`
              }),
              transactionId: yield* uuidV5(transactionId, String(place.number))
            }
            yield* emit({ _tag: "Started", ...place })
            const onCallEvent = (event: CallEvent.CallEvent) => emit({ _tag: "Called", ...place, event })
            const options = { outage, onEvent: onEvent === undefined ? undefined : onCallEvent }
            // An interruption between the response and the store would lose what was paid for.
            return yield* Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                const transcription = yield* restore(stt.transcribe(call, options))
                yield* keep(store, name, transcription)
                known = name
                yield* finished({ _tag: "Done", ...place })
                return { source: "sent", transcription } as const
              })
            )
          }).pipe(Effect.scoped)
          const { isOwn, value } = yield* share(name, findOrSend)
          return isOwn ? value : yield* asKept(value.transcription)
        })
      // The samples of a piece are dropped as soon as it has its transcript.
      const run = (piece: RecordingPiece): Effect.Effect<PieceResult, PieceFailed> => {
        const { samples, ...facts } = piece
        return Effect.mapBoth(outcomeOf(piece), {
          onSuccess: (outcome) => ({ piece: facts, ...outcome }),
          onFailure: (error): PieceFailed => {
            failed.add(error)
            return { _tag: "PieceFailed", piece: facts, error }
          }
        })
      }

      const explain = (error: PieceFailed | SttAudioUnreadable) =>
        Effect.flatMap(isKept(store, known), (keeps): Effect.Effect<never, SttError | PieceStoreError> => {
          const kept = keeps ? done : undefined
          return Effect.fail(
            error._tag === "PieceFailed"
              ? failureOf(error, failed, kept, recording.durationMillis)
              : unreadable(error, failed, kept)
          )
        })
      const results = yield* recording.pieces.pipe(
        inOrder(run, { concurrency, ahead: Number.POSITIVE_INFINITY }),
        Stream.runCollect,
        Effect.catchAll(explain)
      )
      return joined(Chunk.toReadonlyArray(results), recording, transactionId, options.segments)
    })
  )

/** The outcome of a piece that is not digital silence. */
interface Outcome {
  readonly source: "sent" | "kept"
  readonly transcription: Transcription
}

interface PieceResult {
  readonly piece: Omit<RecordingPiece, "samples">
  readonly source: TranscribedPiece["source"]
  readonly transcription?: Transcription | undefined
}

interface PieceFailed {
  readonly _tag: "PieceFailed"
  readonly piece: Omit<RecordingPiece, "samples">
  readonly error: SttError | PieceStoreError
}

/** Room for a transcript with the times of its segments. */
const expectedBytes = ({ end, start }: PiecePlace): number => 16_384 + Math.ceil((end - start) / 2)

const placeOf = ({ end, number, start }: PiecePlace): PiecePlace => ({ number, start, end })

/** 300,000 ms are 4.8 MB of telephony, and the longest piece about 60 MB. */
const longestPiece = 3_600_000

const mostAtOnce = 1000

const checked = ({ concurrency = 4, outage = "5 minutes", pieceMillis = 300_000 }: LongTranscriptionOptions) =>
  Effect.gen(function* () {
    const invalid = (field: string, problem: string) => Effect.fail(new SttInvalidRequest({ field, problem }))
    if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= mostAtOnce)) {
      return yield* invalid("concurrency", `must be a whole number from 1 to ${mostAtOnce}`)
    }
    if (!(pieceMillis >= 1000 && pieceMillis <= longestPiece)) {
      return yield* invalid("pieceMillis", `must be milliseconds from 1000 to ${longestPiece}`)
    }
    const duration = Duration.decodeUnknown(outage)
    if (Option.isNone(duration) || !Duration.greaterThan(duration.value, Duration.zero)) {
      return yield* invalid("outage", 'must be a duration longer than zero, such as "5 minutes"')
    }
    return { concurrency, outage: duration.value, pieceMillis }
  })

/** What a new run need not send. `undefined`: the store keeps nothing. */
type KeptSoFar = { readonly millis: number; readonly pieces: number } | undefined

/** The same error with the piece in it. An error of a recording of one piece keeps its message. */
const failureOf = (
  { error, piece: { end, ending, number, start } }: PieceFailed,
  { billingWith }: FailedPieces,
  kept: KeptSoFar,
  durationMillis: number | undefined
): SttError | PieceStoreError => {
  const of = ending === "end" ? number : undefined
  const left =
    durationMillis === undefined || kept === undefined
      ? undefined
      : Math.max(0, Math.round(durationMillis - kept.millis))
  const piece = { number, of, unit: "milliseconds", start, end, kept: kept?.pieces ?? 0, left } as const
  const whole = durationMillis === undefined ? "" : ` of ${clockTime(durationMillis)}`
  const rest = left === undefined ? "" : `, and the rest is ${clockTime(left)} of audio`
  const place = `Piece ${number}, from ${clockTime(start)} to ${clockTime(end)}${whole}.`
  const words =
    of === 1 ? "" : kept === undefined ? place : `${place} To go on, run it again: ${keeping(kept.pieces)}${rest}.`
  return error._tag === "PieceStoreError"
    ? new PieceStoreError({ ...error, piece, message: `${error.message} ${words}`.trim() })
    : ServiceError.withPiece(error, piece, words, billingWith(error.call.billing))
}

const keeping = (kept: number): string => (kept === 1 ? "1 piece is kept" : `${kept} pieces are kept`)

/** The error of a recording that can't be read to its end. */
const unreadable = (error: SttAudioUnreadable, { billingWith }: FailedPieces, kept: KeptSoFar): SttAudioUnreadable =>
  new SttAudioUnreadable({
    ...error,
    call: { ...error.call, billing: billingWith(error.call.billing) },
    message:
      kept === undefined || kept.pieces === 0
        ? error.message
        : `${error.message} To go on, run it again with the whole recording: ${keeping(kept.pieces)}.`
  })

/** Hours, minutes and seconds. */
const clockTime = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  const two = (number: number) => String(Math.floor(number) % 60).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${two(seconds / 60)}:${two(seconds)}`
}

const joined = (
  results: ReadonlyArray<PieceResult>,
  recording: OpenPieces,
  transactionId: string,
  reader: SegmentReader.SegmentReader = SegmentReader.localService
): LongTranscription => {
  const pieces = results.map(({ piece: { isSilent, ...piece }, source, transcription }): TranscribedPiece => {
    if (transcription === undefined) return { ...piece, source, text: "" }
    const { auxInfo, call, callId, text, transactionId: sentId } = transcription
    return {
      ...piece,
      source,
      text: text.trim(),
      confidence: likely(auxInfo?.confidence),
      callId,
      transactionId: sentId,
      call
    }
  })
  const read = results.map(({ piece, transcription }) =>
    transcription === undefined ? { segments: [] } : segmentsOf(piece, transcription, reader)
  )
  const unread = read.filter(({ problem }) => problem === "times").length
  const different = read.filter(({ problem }) => problem === "texts").length
  return {
    text: pieces
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join(" "),
    durationMillis: pieces.at(-1)?.end ?? 0,
    confidence: joinedConfidence(pieces),
    segments: read.flatMap(({ segments }) => segments),
    pieces,
    warnings: distinct([
      ...Recording.warnings({ channels: 1, sampleRate: Math.min(recording.sampleRate, Telephony.format.sampleRate) }),
      ...endsEarly(recording.missingMillis()),
      ...(pieces.every(({ source }) => source === "silence") ? [onlySilence] : []),
      ...(unread === 0 ? [] : [timesUnread(unread, pieces.length)]),
      ...(different === 0 ? [] : [textsDiffer(different, pieces.length)]),
      ...results.flatMap(({ transcription }) => transcription?.warnings ?? [])
    ]),
    transactionId
  }
}

const distinct = (warnings: ReadonlyArray<LongTranscriptionWarning>): ReadonlyArray<LongTranscriptionWarning> => [
  ...new Map(warnings.map((warning) => [warning.message, warning])).values()
]

const timesUnread = (pieces: number, all: number): SegmentTimesUnread => ({
  _tag: "SegmentTimesUnread",
  pieces,
  message:
    `The response has no times of segments for ${pieces} of ${all} pieces, or times that lie outside of the piece, so each of ` +
    "these pieces is one segment. If your service names the times differently, use the option segments."
})

const textsDiffer = (pieces: number, all: number): SegmentTextsDiffer => ({
  _tag: "SegmentTextsDiffer",
  pieces,
  message:
    `The segments of ${pieces} of ${all} pieces do not have the words of the transcript, so each of these pieces is one segment. ` +
    "If your service names the text of a segment differently, use the option segments."
})

const endsEarly = (missingMillis: number): ReadonlyArray<RecordingEndsEarly> =>
  missingMillis === 0
    ? []
    : [
        {
          _tag: "RecordingEndsEarly",
          missingMillis,
          message: `The WAV file ends ${missingMillis} ms before the end that its header states: check whether it is complete.`
        }
      ]

const onlySilence: NothingButSilence = {
  _tag: "NothingButSilence",
  message: "The whole recording is digital silence, so nothing was sent: check how it was recorded."
}
