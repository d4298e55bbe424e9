/**
 * Transcribes a recording of any length: it is cut at pauses, the pieces are sent in parallel, and their transcripts are joined
 * in order.
 */
import type { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import * as EventDelivery from "@effect-speech/common/EventDelivery"
import type { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { SttError } from "@effect-speech/stt/SttError"
import { CallIds } from "@effect-speech/transport/CallIds"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { inOrder } from "./internal/inOrder.js"
import { replaces } from "./internal/paidPieces.js"
import { joinTranscripts } from "./internal/transcription/joinTranscripts.js"
import { openPieces } from "./internal/transcription/recordingPieces.js"
import { type Options, type Request, validateOptions, validateRequest } from "./internal/transcription/request.js"
import { makeTranscriber } from "./internal/transcription/transcribePieces.js"
import type { Transcript } from "./internal/transcription/transcript.js"
import type { PieceStore, PieceStoreError } from "./PieceStore.js"

export type {
  Called,
  Done,
  Event,
  Kept,
  PiecePlace,
  Planned,
  Silent,
  Started
} from "./internal/transcription/events.js"
export { Ending } from "./internal/transcription/recordingPieces.js"
export type { Options, Request } from "./internal/transcription/request.js"
export { type PieceSegments, Segment, segmentsOf } from "./internal/transcription/segments.js"
export { Piece, Transcript } from "./internal/transcription/transcript.js"
export {
  NothingButSilence,
  RecordingEndsEarly,
  SegmentTextsDiffer,
  SegmentTimesUnread,
  Warning
} from "./internal/transcription/warnings.js"

/**
 * Transcribes a recording of any length. Use `SpeechToText.transcribe` for one that the service takes in one call.
 *
 * WAV is read as a stream; other containers are decoded by the `AudioDecoder` of audio-codec. The recording is mixed down and
 * converted to 8 kHz, and cut at pauses. Memory holds a few pieces, whatever the length; the transcript itself is in memory.
 *
 * The `PieceStore` keeps each transcript, by the samples of the piece, the request and the base URL. A new run sends only the
 * missing pieces. Digital silence is not sent.
 *
 * Fails with an `SttError` if a call fails, with `SttAudioUnreadable` if the recording itself can't be read or decoded, with
 * `SttInvalidRequest` if a field or an option breaks a rule, and with `PieceStoreError` if a result can't be read or kept. After a failure no
 * piece starts, and those in flight are finished and kept. The error of a call has the piece in `call.piece`, a `PieceStoreError` in
 * `piece`, and the message names it. An interruption ends the calls in flight, after the `gracePeriod` of the options.
 *
 * It requires what the recording requires: a `FileSystem` for a path, nothing for bytes.
 *
 * @example
 * ```ts
 * import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
 * import { LongTranscription, PieceStore } from "@effect-speech/long-form"
 * import { AudioSource } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * export const program = LongTranscription.transcribe(
 *   { audio: AudioSource.fromPath("hour.wav"), model: "hi-general-v2-8khz" },
 *   { maximum: "2 minutes" }
 * ).pipe(Effect.provide([PieceStore.layerFolder("hour.pieces"), AudioDecoder.layerWav]))
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const transcribe = <R = never>(
  request: Request<R>,
  options: Options = {}
): Effect.Effect<Transcript, SttError | PieceStoreError, SpeechToText | PieceStore | AudioDecoder | R> =>
  Effect.gen(function* () {
    const { maximumMillis, ...checked } = yield* validateOptions(options)
    const { audio, transactionId = yield* CallIds.next, ...given } = yield* validateRequest(request)
    const fields = { ...given, aux: given.aux ?? true, additionalFields: { ...request.additionalFields } }
    const { emit } = yield* EventDelivery.scoped(checked.onEvent, replaces)
    const recording = yield* openPieces(audio, maximumMillis)
    const { durationMillis } = recording
    yield* emit({ _tag: "Planned", durationMillis })
    const whole = { transactionId, filename: audio.filename, durationMillis }
    const transcriber = yield* makeTranscriber(fields, whole, checked, emit)
    const results = yield* recording.pieces.pipe(
      inOrder(transcriber.transcribe, {
        concurrency: checked.concurrency,
        ahead: Number.POSITIVE_INFINITY,
        atClose: transcriber.atClose
      }),
      Stream.runCollect,
      Effect.catchAll((failed) => Effect.flip(transcriber.explain(failed)))
    )
    return joinTranscripts(Chunk.toReadonlyArray(results), recording, transactionId, checked.segments)
  }).pipe(Effect.scoped)
