/**
 * What `transcribe` and `transcribeLong` take and give.
 */
import type { CallEvent, CallOptions, CallReport, Deadlines, Duration } from "./Call.js"

/**
 * A recording: the path of a file, a `file:` URL, bytes, a `Blob` or `File`, a stream of bytes, or a `Response` that has one. A file is
 * read as it is sent. Bytes are not copied: leave them unchanged until the call ends. A stream can be read once, so a call with it is
 * never retried; when the call ends, it is cancelled or destroyed.
 *
 * @example
 * ```ts
 * import { openAsBlob } from "node:fs"
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect()
 * const model = "hi-general-v2-8khz"
 * await speech.transcribe("call.wav", { model })
 * await speech.transcribe(await openAsBlob("call.wav"), { model, filename: "call.wav" })
 * await speech.transcribe(await fetch("https://host.example/call.wav"), { model })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Recording =
  | string
  | URL
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Response

/**
 * A phrase that the recognition prefers.
 *
 * @example
 * ```ts
 * import { connect, type Hotword } from "@effect-speech/promise"
 *
 * const hotwords: ReadonlyArray<Hotword> = [{ phrase: "UPI" }, { phrase: "account balance", score: 2.5 }]
 * await connect().transcribe("call.wav", { model: "hi-general-v2-8khz", hotwords })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Hotword {
  /** The words to prefer. */
  readonly phrase: string
  /** The strength of the preference; about 2.5 suits longer phrases. Default: 1.5, of the service. */
  readonly score?: number | undefined
}

interface RecognitionOptions {
  /** The name of a model. It decides the language; the service does not detect it. */
  readonly model: string
  /** A UUID for correlation. Default: a random one. */
  readonly transactionId?: string | undefined
  /** Request `auxInfo`: timings, tokens, confidences. Default: false; for a long recording true. */
  readonly aux?: boolean | undefined
  /** Write spoken numbers as digits. The service does it only for models of hi, ml, kn, gu and mr. Default: false. */
  readonly parseNumber?: boolean | undefined
  /** Phrases that the recognition prefers. Default: none. */
  readonly hotwords?: ReadonlyArray<Hotword> | undefined
  /** Further form fields of the service, sent unchanged. Default: none. */
  readonly additionalFields?: Readonly<Record<string, string>> | undefined
  /** The filename in the request. Default: that of the file, else `audio`. */
  readonly filename?: string | undefined
}

/**
 * The options of `transcribe`. Only `model` is required.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const options = { model: "hi-general-v2-8khz", aux: true, telephony: true }
 * const { auxInfo, text } = await connect().transcribe("call.wav", options)
 * console.log(text, auxInfo?.confidence)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface TranscribeOptions extends RecognitionOptions, CallOptions {
  /** Convert a WAV file to mono, 8 kHz and 16 bits during the upload. Default: false. */
  readonly telephony?: boolean | undefined
  /** How long each phase may take. Default: those of `connect`. */
  readonly deadlines?: Deadlines | undefined
  /** How long to retry through an outage of the service. Default: that of `connect`. */
  readonly outage?: Duration | undefined
  /**
   * `false` forbids each retry after an attempt that may have been billed, such as one that got a 500, also one that `retryAmbiguous` of
   * `connect` allows. `true` allows no further ones. Default: true.
   */
  readonly retryIfBilled?: boolean | undefined
}

/**
 * What may reduce the quality of a transcript. `message` says what to do.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { warnings } = await connect().transcribe("stereo.wav", { model: "hi-general-v2-8khz" })
 * for (const { message, tag } of warnings) console.warn(tag, message)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type TranscriptionWarning =
  | { readonly tag: "MoreThanOneChannel"; readonly message: string; readonly channels: number }
  | { readonly tag: "SampleRateFarFrom8kHz"; readonly message: string; readonly sampleRate: number }
  | {
      readonly tag: "ParseNumberWithoutEffect"
      readonly message: string
      readonly model: string
      readonly language: string
    }
  | { readonly tag: "HotwordNotSpoken"; readonly message: string; readonly phrase: string }
  | { readonly tag: "HotwordsIgnored"; readonly message: string }
  | { readonly tag: "NothingRecognised"; readonly message: string; readonly notice: string }

/**
 * `aux_info` of the response, with the field names of the service. A model may omit any of them.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { auxInfo } = await connect().transcribe("call.wav", { model: "hi-general-v2-8khz", aux: true })
 * console.log(auxInfo?.confidence, auxInfo?.segments_meta?.length)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface AuxInfo {
  /** In seconds. */
  readonly request_time?: number | undefined
  /** When the service received the request, in UTC. */
  readonly received_request_time?: string | number | undefined
  /** Of the whole recording, 0 to 1. */
  readonly confidence?: number | undefined
  /** One entry for each segment. The contract names only its `confidence`. */
  readonly segments_meta?:
    | ReadonlyArray<{ readonly confidence?: number | undefined; readonly [field: string]: unknown }>
    | undefined
  readonly [field: string]: unknown
}

/**
 * The transcript of a recording, as the service returned it.
 *
 * @example
 * ```ts
 * import { connect, type Transcription } from "@effect-speech/promise"
 *
 * const result: Transcription = await connect().transcribe("call.wav", { model: "hi-general-v2-8khz" })
 * console.log(result.text, result.callId, result.call.billing)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Transcription {
  /** The transcript of the whole recording. Empty if the service recognised nothing. */
  readonly text: string
  /** The service's id of this transcription. */
  readonly callId: string
  /** The id that was sent. */
  readonly transactionId: string
  /** Set if `aux` was requested and the response has it. */
  readonly auxInfo?: AuxInfo | undefined
  /** What may reduce the quality of the transcript. */
  readonly warnings: ReadonlyArray<TranscriptionWarning>
  /** The attempts, and what is known of billing. */
  readonly call: CallReport
}

/**
 * Progress of a long recording. Pieces count from 1. Times are in milliseconds from the beginning of the recording.
 *
 * | tag       | when |
 * | --------- | ---- |
 * | `Planned` | the recording is open |
 * | `Kept`    | the transcript of a piece is kept from an earlier run: it is not sent |
 * | `Silent`  | a piece is digital silence: it is not sent |
 * | `Started` | the call of a piece starts |
 * | `Called`  | the call of a piece has an event, such as a retry |
 * | `Done`    | the transcript of a piece has arrived |
 *
 * @example
 * ```ts
 * import { connect, type LongTranscriptionEvent } from "@effect-speech/promise"
 *
 * const show = (event: LongTranscriptionEvent) => {
 *   if (event.tag === "Done") console.log(`transcribed until ${event.endMillis} ms`)
 * }
 * await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz", onEvent: show })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type LongTranscriptionEvent =
  | { readonly tag: "Planned"; readonly durationMillis: number | undefined }
  | {
      readonly tag: "Kept" | "Silent" | "Started" | "Done"
      readonly number: number
      readonly startMillis: number
      readonly endMillis: number
    }
  | {
      readonly tag: "Called"
      readonly number: number
      readonly startMillis: number
      readonly endMillis: number
      readonly event: CallEvent
    }

/**
 * The options of `transcribeLong`. Only `model` is required.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const options = { model: "hi-general-v2-8khz", keepIn: "meeting.pieces", maximum: "2 minutes" } as const
 * console.log((await connect().transcribeLong("meeting.wav", options)).text)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface TranscribeLongOptions extends RecognitionOptions, CallOptions<LongTranscriptionEvent> {
  /**
   * Folder (a path or a `file:` URL) that keeps the transcript of each piece, so that the same call after a failure or a crash sends only what is missing. It is
   * created if it does not exist. Default: none; the same call sends all pieces again.
   */
  readonly keepIn?: string | URL | undefined
  /** The longest piece, 1 second to 1 hour. Default: 5 minutes. */
  readonly maximum?: Duration | undefined
  /** How many pieces are sent at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** How long to retry each piece through an outage of the service. Default: 5 minutes. */
  readonly outage?: Duration | undefined
  /**
   * `false` forbids to send a piece again after an attempt that may have been billed, also if `retryAmbiguous` of `connect` allows it.
   * `true` allows no further retries. Default: true.
   */
  readonly retryIfBilled?: boolean | undefined
  /** How long pieces in flight may go on after the signal aborts, to be kept. Default: they are interrupted at once. */
  readonly gracePeriod?: Duration | undefined
  /** Names of the fields of a segment in `segments_meta` of your service. Default: those of the local service. */
  readonly segments?: SegmentFields | undefined
}

/**
 * The names of the fields of a segment in `segments_meta`, and the unit of its times. The contract names none, so give those of your
 * service if the warning `SegmentTimesUnread` comes.
 *
 * @example
 * ```ts
 * import { connect, type SegmentFields } from "@effect-speech/promise"
 *
 * const segments: SegmentFields = { start: "start_time", end: "end_time", text: "transcript", unit: "seconds" }
 * await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz", segments })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface SegmentFields {
  /** The field with the beginning of a segment. */
  readonly start: string
  /** The field with the end of a segment. */
  readonly end: string
  /** The field with the words of a segment. */
  readonly text?: string | undefined
  /** The unit of both times. */
  readonly unit: "seconds" | "millis"
}

/**
 * A part of a transcript with its time.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { segments } = await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz" })
 * for (const { endMillis, startMillis, text } of segments) console.log(startMillis, endMillis, text)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TranscriptSegment {
  /** In milliseconds from the beginning of the recording. */
  readonly startMillis: number
  /** In milliseconds from the beginning of the recording. */
  readonly endMillis: number
  /** The words of the segment. */
  readonly text: string
  /** From 0 to 1, if the service states it. */
  readonly confidence?: number | undefined
  /** `service`: it measured the times. `piece`: they are those of the whole piece. */
  readonly times: "service" | "piece"
}

/**
 * What became of a piece of a long recording. Times count from the beginning of the recording.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { pieces } = await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz" })
 * console.log(pieces.filter(({ source }) => source === "sent").length, "pieces were sent")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TranscriptPiece {
  /** Counts from 1. */
  readonly number: number
  /** In milliseconds from the beginning of the recording. */
  readonly startMillis: number
  /** In milliseconds from the beginning of the recording. */
  readonly endMillis: number
  /** `pause`: it ends in a pause. `quiet`: at the quietest point, so a word may be cut. `end`: with the recording. */
  readonly ending: "pause" | "quiet" | "end"
  /** `sent`: in this run. `kept`: by an earlier run, or for an equal piece. `silence`: digital silence, which was not sent. */
  readonly source: "sent" | "kept" | "silence"
  /** Its own transcript. */
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

/**
 * What may make the transcript of a long recording worse than you expect. `message` says what to do.
 *
 * @since 0.1.0
 * @category models
 */
export type TranscriptWarning =
  | TranscriptionWarning
  | { readonly tag: "SegmentTimesUnread"; readonly message: string; readonly pieces: number }
  | { readonly tag: "SegmentTextsDiffer"; readonly message: string; readonly pieces: number }
  | { readonly tag: "RecordingEndsEarly"; readonly message: string; readonly missingMillis: number }
  | { readonly tag: "NothingButSilence"; readonly message: string }

/**
 * The transcript of a long recording.
 *
 * @example
 * ```ts
 * import { connect, toSrt, type Transcript } from "@effect-speech/promise"
 *
 * const transcript: Transcript = await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz" })
 * console.log(transcript.text, toSrt(transcript.segments))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Transcript {
  /** The transcripts of the pieces in order, with a space between them. */
  readonly text: string
  /** Of the recording, in milliseconds. */
  readonly durationMillis: number
  /** The mean of the confidences of the pieces, weighted by their duration. Absent if no piece has one. */
  readonly confidence?: number | undefined
  /** In order. Subtitles are made from them. */
  readonly segments: ReadonlyArray<TranscriptSegment>
  /** In order. Together they are the recording. */
  readonly pieces: ReadonlyArray<TranscriptPiece>
  /** Each warning once. */
  readonly warnings: ReadonlyArray<TranscriptWarning>
  /** The id from which those of the pieces were made. */
  readonly transactionId: string
}
