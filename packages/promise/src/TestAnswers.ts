/**
 * What the double of `connectTest` gives, and what it received.
 */
import type { OutputFormat, VoiceOptions } from "./Speech.js"
import type { SpeechClient } from "./SpeechClient.js"
import type { SpeechError } from "./SpeechError.js"
import type { TranscribeOptions, Transcription } from "./Transcription.js"

/**
 * A request of `speak`, or of a piece of `speakLong`, as it would be sent.
 *
 * @example
 * ```ts
 * import { connectTest } from "@effect-speech/promise"
 *
 * const speech = connectTest({ speak: ({ text }) => ({ bytes: new Uint8Array(text.length * 4_800) }) })
 * await speech.speak("Platform two", { lang: "en" })
 * console.log(speech.calls.speak)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeakRequest extends VoiceOptions {
  /** The text, or that of the piece. */
  readonly text: string
}

/**
 * A request of `transcribe`, or of a piece of `transcribeLong`, as it would be sent.
 *
 * @example
 * ```ts
 * import { connectTest } from "@effect-speech/promise"
 *
 * const speech = connectTest({ transcribe: ({ filename }) => (filename === "silence.wav" ? "" : "hello") })
 * await speech.transcribe("call.wav", { model: "en-general-v2-8khz" })
 * console.log(speech.calls.transcribe)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TranscribeRequest
  extends Pick<
    TranscribeOptions,
    "model" | "transactionId" | "aux" | "parseNumber" | "hotwords" | "telephony" | "additionalFields"
  > {
  /** The path of a file, which is not opened; bytes, to which a stream was read; or a `Blob`. */
  readonly recording: string | Uint8Array | Blob
  /** The filename in the request. */
  readonly filename: string
}

/**
 * Raw audio that the double gives. It is checked as the audio of the service is.
 *
 * @example
 * ```ts
 * import { connectTest, SpeechError } from "@effect-speech/promise"
 *
 * const failure = SpeechError.of("TtsConnectionFailed", { reason: "cut", sent: "all" })
 * const speech = connectTest({ speak: { bytes: new Uint8Array(16_000), outputFormat: "8000:pcm16", failure } })
 * await speech.speak("Platform two", { outputFormat: "8000:pcm16" }).catch((error) => console.log(error.tag))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TestAudio {
  /** Raw samples, without a container. */
  readonly bytes: Uint8Array
  /** The format of `bytes`. Default: that of the request, or `24000:float32` if it has none. */
  readonly outputFormat?: OutputFormat | undefined
  /** The error after all bytes: one of the connection, a deadline, or corrupt audio. Default: none. */
  readonly failure?: SpeechError | undefined
}

/**
 * What the double gives for a text: audio, or an error of `SpeechError.of`.
 *
 * @since 0.1.0
 * @category models
 */
export type SpeakAnswer = TestAudio | SpeechError

/**
 * What the double gives for a recording: its transcript, parts of a `Transcription`, or an error of `SpeechError.of`.
 *
 * @since 0.1.0
 * @category models
 */
export type TranscribeAnswer = string | Partial<Transcription> | SpeechError

/**
 * The answers of a double. A function gets each request, and gives an answer or throws an error. An
 * error that is no {@link SpeechError} rejects the call as itself.
 *
 * @example
 * ```ts
 * import { connectTest, SpeechError, type TestAnswers } from "@effect-speech/promise"
 *
 * const answers: TestAnswers = {
 *   speak: { bytes: new Uint8Array(48_000) },
 *   transcribe: ({ model }) => (model.startsWith("hi") ? "नमस्ते" : SpeechError.of("SttBadRequest"))
 * }
 * console.log((await connectTest(answers).transcribe("call.wav", { model: "hi-general-v2-8khz" })).text)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface TestAnswers {
  /** The answer to each `speak`, and to each piece of a long text. Default: the call is rejected. */
  readonly speak?: SpeakAnswer | ((request: SpeakRequest) => SpeakAnswer | Promise<SpeakAnswer>) | undefined
  /** The answer to each `transcribe`, and to each piece of a long recording. Default: the call is rejected. */
  readonly transcribe?:
    | TranscribeAnswer
    | ((request: TranscribeRequest) => TranscribeAnswer | Promise<TranscribeAnswer>)
    | undefined
}

/**
 * The client of `connectTest`. It keeps the requests, so that a test can look at them.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict"
 * import { connectTest } from "@effect-speech/promise"
 *
 * const speech = connectTest({ transcribe: "hello" })
 * await speech.transcribe("call.wav", { model: "en-general-v2-8khz" })
 * assert.equal(speech.calls.transcribe.length, 1)
 * speech.clear()
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TestSpeechClient extends SpeechClient {
  /** The requests so far, in order. A request that breaks a rule is not among them: it would not be sent. */
  readonly calls: {
    readonly speak: ReadonlyArray<SpeakRequest>
    readonly transcribe: ReadonlyArray<TranscribeRequest>
  }
  /** Forgets the requests, so that the next part of a test sees only its own. */
  readonly clear: () => void
}
