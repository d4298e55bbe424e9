/**
 * Both clients of the speech service, as promises and streams.
 */
import type { Deadlines, Duration } from "./Call.js"
import type { LongSpeech, Passage, SpeakLongOptions, SpeakOptions, Speech } from "./Speech.js"
import type { Recording, TranscribeLongOptions, TranscribeOptions, Transcript, Transcription } from "./Transcription.js"

/**
 * How often and how long a call is retried. The `total` deadline limits all of it.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect({ retries: { times: 5, firstDelay: "1 second", longestDelay: "20 seconds" } })
 * console.log((await speech.speak("Platform two", { lang: "en" })).call.attempts.length)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface RetryPolicy {
  /** Highest number of retries, a whole number. Default: 2. */
  readonly times?: number | undefined
  /** Longest delay before the first retry. It doubles with each further one. Default: 200 milliseconds. */
  readonly firstDelay?: Duration | undefined
  /** Longest delay before any retry, to which the time of a `Retry-After` is added. Default: 8 seconds. */
  readonly longestDelay?: Duration | undefined
  /** How long to retry through an outage, from the start of the call. Default: none. */
  readonly outage?: Duration | undefined
}

/**
 * The options of `connect`. What is absent is read from the environment or has a default.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises"
 * import { connect, type ConnectOptions } from "@effect-speech/promise"
 *
 * const options: ConnectOptions = {
 *   apiKey: async () => (await readFile("/run/secrets/speech", "utf8")).trim(),
 *   sttBaseUrl: "https://stt.example",
 *   deadlines: { total: "2 minutes" }
 * }
 * export const speech = connect(options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface ConnectOptions {
  /**
   * The whole `<prefix>.<secret>` value, or a function that reads it, such as from a secret manager. The function runs at the first
   * call of each operation, and again when the service refuses the key, in the async context of `connect`. Default: the variable
   * `SPEECH_API_KEY`.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** The address of the synthesis host. Default: the variable `SPEECH_TTS_BASE_URL`. */
  readonly ttsBaseUrl?: string | undefined
  /** The address of the transcription host. Default: the variable `SPEECH_STT_BASE_URL`. */
  readonly sttBaseUrl?: string | undefined
  /** Where the variables are read, at the first call of each operation. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** Allow plain http to other machines. It exposes the key. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined
  /** Highest number of calls of an operation that run at the same time. Further calls wait in order. Default: 64. */
  readonly concurrency?: number | "unbounded" | undefined
  /** How long each phase of a call may take. */
  readonly deadlines?: Deadlines | undefined
  /** Highest number of retries, or a policy. Only errors that allow a retry are retried. Default: 2. */
  readonly retries?: number | RetryPolicy | undefined
  /**
   * Also retry if the service may have carried out the failed attempt, such as one whose response was lost. Each attempt may be billed.
   * `retryIfBilled: false` of a call takes precedence. Default: false.
   */
  readonly retryAmbiguous?: boolean | undefined
  /** How hotwords are encoded in the form; the contract does not state it. Default: `json`. */
  readonly hotwordEncoding?: "json" | "repeated" | "indexed" | undefined
}

/**
 * A client of both operations. `connect` makes one, and `connectTest` one for tests. Take it as a parameter, so that a test can pass its own.
 *
 * Its methods reject with a {@link SpeechError}: those that speak with a {@link SpeakError}, those that transcribe with a
 * {@link TranscribeError}. A call whose `signal` aborts rejects with the reason of the signal.
 *
 * @example
 * ```ts
 * import { connect, type SpeechClient } from "@effect-speech/promise"
 *
 * const echo = async (speech: SpeechClient, path: string) => {
 *   const { text } = await speech.transcribe(path, { model: "en-general-v2-8khz" })
 *   return speech.speak(text || "Sorry?", { lang: "en" }).toFile(`${path}.reply.wav`)
 * }
 * await echo(connect(), "call.wav")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeechClient extends AsyncDisposable {
  /** Speaks a text of at most 10,000 code points, in one request. Rejects with a `SpeakError`. */
  readonly speak: (text: string, options?: SpeakOptions) => Speech
  /** Speaks a text of any length: it is cut at sentences, and the audio is joined. Rejects with a `SpeakError`. */
  readonly speakLong: (text: string | ReadonlyArray<Passage>, options?: SpeakLongOptions) => LongSpeech
  /** Transcribes a recording, in one request. Rejects with a `TranscribeError`. */
  readonly transcribe: (recording: Recording, options: TranscribeOptions) => Promise<Transcription>
  /**
   * Transcribes a WAV recording of any length: it is cut at quiet places, and the transcripts are joined. Rejects with a `TranscribeError`.
   */
  readonly transcribeLong: (recording: Recording, options: TranscribeLongOptions) => Promise<Transcript>
  /**
   * Ends the calls in flight, and closes the connections. A process ends by itself without it. `await using` calls it.
   */
  readonly close: () => Promise<void>
}
