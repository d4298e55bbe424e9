/**
 * The messages between the console, which is the page of the folder `console`, and its side of the service, which is in
 * `internal/console`. `PlatformApi` declares the routes.
 */
import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Schema from "effect/Schema"
import { Fault } from "../../Faults.js"
import { JournalEntry } from "../../Journal.js"
import { Changed } from "../journal/changes.js"

/** Signs a browser in: the one-time code of a link, or the admin token. */
export const SignIn = Schema.Struct({
  /** The code after `#` in the link that `speech serve` prints. It can be used once. */
  code: Schema.optional(Schema.String),
  /** The admin token. */
  token: Schema.optional(Schema.String)
}).pipe(
  Schema.filter(({ code, token }) => (code === undefined) !== (token === undefined) || "must have a code or a token", {
    jsonSchema: { minProperties: 1, maxProperties: 1 }
  })
)
export type SignIn = typeof SignIn.Type

/** The formats, limits and prices of the running service, for the forms of the console. */
export const About = Schema.Struct({
  /** Version of the package. */
  version: Schema.String,
  sttBaseUrl: Schema.String,
  ttsBaseUrl: Schema.String,
  /** Values of `output_format`. */
  formats: Schema.Array(TtsContract.OutputFormat),
  /** Whether the recogniser can be taught recordings. */
  canBeTaught: Schema.Boolean,
  /** Containers of a recording, named for the extension of their files. */
  containers: Schema.Array(Schema.String),
  /** Largest number of Unicode code points in a text. */
  maximumCodePoints: Schema.Int,
  speed: Schema.Struct({ minimum: Schema.Number, maximum: Schema.Number, default: Schema.Number }),
  /** The value of each field that is absent in a synthesis. */
  defaults: Schema.Struct({ lang: Schema.String, voice: Schema.String, output_format: TtsContract.OutputFormat }),
  /** In credits. */
  price: Schema.Struct({
    /** Of each Unicode code point of a text. */
    perCodePoint: Schema.Number,
    /** Of each started second of a recording. */
    perSecond: Schema.Number
  })
})
export type About = typeof About.Type

/** The fields of a synthesis. The client of `@effect-speech/tts` checks their rules, and its failure is the response. */
export const SpeechFields = Schema.encodedSchema(TtsContract.SynthesisBody)
export type SpeechFields = typeof SpeechFields.Type

/** A failed call of the console: what a program would get from the client. */
export const CallFailed = Schema.Struct({
  /** The tag of the error, such as `TtsBackendFailed`. */
  tag: Schema.String,
  message: Schema.String,
  /** The request id of a synthesis, or the transaction id of a transcription. `null` if nothing was sent. */
  requestId: Schema.NullOr(Schema.String)
})
export type CallFailed = typeof CallFailed.Type

/** The query of a transcription. The recording is the body. */
export const TranscriptQuery = Schema.Struct({
  model: Schema.String,
  /** Name of the file in the request. Default: `audio`. */
  fileName: Schema.optional(Schema.String),
  /** Request the confidences and the segments: `true` or `false`. Default: `true`. */
  aux: Schema.optional(Schema.BooleanFromString),
  /** Write spoken numbers as digits: `true` or `false`. Default: `false`. */
  parseNumber: Schema.optional(Schema.BooleanFromString),
  /** Send a WAV file as mono at 8 kHz, which the models are trained on: `true` or `false`. Default: `false`. */
  telephony: Schema.optional(Schema.BooleanFromString),
  /** Phrases that the recognition prefers, as a JSON array. Default: none. */
  hotwords: Schema.optional(Schema.parseJson(Schema.Array(SttContract.Hotword)))
})
export type TranscriptQuery = typeof TranscriptQuery.Type

/** Start and end are in milliseconds from the beginning of the recording. */
export const TranscriptSegment = Schema.Struct({
  text: Schema.String,
  start: Schema.Number,
  end: Schema.Number,
  /** 0 to 1. */
  confidence: Schema.NullOr(Schema.Number)
})
export type TranscriptSegment = typeof TranscriptSegment.Type

/** The result of a transcription. */
export const Transcript = Schema.Struct({
  /** Empty if the service recognised nothing. */
  text: Schema.String,
  /** 0 to 1. */
  confidence: Schema.NullOr(Schema.Number),
  segments: Schema.Array(TranscriptSegment),
  /** Why the transcript is empty, and what to do. `null` if it has text. */
  notice: Schema.NullOr(Schema.String),
  /** Causes of a worse transcript, without the notice. */
  warnings: Schema.Array(Schema.Struct({ tag: Schema.String, message: Schema.String })),
  /** The id that the service gave: `id` of the journal. */
  callId: Schema.String,
  transactionId: Schema.String,
  tookMillis: Schema.Number
})
export type Transcript = typeof Transcript.Type

/** The query of a recording to teach. The recording is the body. */
export const RecordingQuery = Schema.Struct({
  /** The words that are said in the recording. */
  text: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "must not be empty")),
  /** Language of the models that recognise it. Default: all. */
  lang: Schema.optional(Schema.String)
})
export type RecordingQuery = typeof RecordingQuery.Type

/** The waveform of a recording, as the console draws it. */
export const Waveform = Schema.Struct({
  durationMillis: Schema.Number,
  /**
   * -1 to 1: of each part of the recording the sample of the highest absolute value. All parts have the same length, but the last one,
   * which may be shorter. At most 4,000.
   */
  peaks: Schema.Array(Schema.Number)
})
export type Waveform = typeof Waveform.Type

const headerList = Schema.Array(Schema.Tuple(Schema.String, Schema.String))

/** All that the service keeps of a request. */
export const RequestDetails = Schema.Struct({
  entry: JournalEntry,
  request: Schema.Struct({
    method: Schema.String,
    /** With its query, if it has one. At most 200 characters if the headers are no longer kept. */
    path: Schema.String,
    /**
     * As they were received. A value is `(hidden)` if its name has `key`, `token`, `secret`, `auth`, `password` or `cookie` in it, as that of
     * a query parameter is. Empty if they are no longer kept.
     */
    headers: headerList,
    /** JSON of a synthesis. `null` for a form, if it was not read, and if it is no longer kept. */
    body: Schema.NullOr(Schema.String)
  }),
  /** `null` if none was sent. */
  response: Schema.NullOr(
    Schema.Struct({
      status: Schema.Int,
      headers: headerList,
      /** Text of a JSON or text body, at most 256 KiB. `null` for audio, and if it is no longer kept. */
      body: Schema.NullOr(Schema.String)
    })
  ),
  /** The fault that it met. */
  fault: Schema.NullOr(Fault),
  /** What was spoken, as a WAV file, or what was uploaded. `null`: not kept. */
  audio: Schema.NullOr(Schema.Struct({ mediaType: Schema.String, byteLength: Schema.Int, fileName: Schema.String })),
  /** Why it can't be sent again as it was received. `null`: it can. */
  replayProblem: Schema.NullOr(Schema.String)
})
export type RequestDetails = typeof RequestDetails.Type

/** The request that a replay sent. It may still be in progress. */
export const Replayed = Schema.Struct({
  /** Its number in the journal. */
  number: Schema.Int
})
export type Replayed = typeof Replayed.Type

/**
 * The server-sent events, by their names.
 *
 * | event     | when |
 * | --------- | ---- |
 * | `request` | a request of an operation begins, is read, is answered, and ends |
 * | `changed` | the account, the keys, the faults or the whole journal changed |
 */
export const eventData = { request: JournalEntry, changed: Changed } as const
