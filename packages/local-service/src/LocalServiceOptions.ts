/**
 * The options of the local service. All are optional.
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * Options that make two runs reproducible: the same ids and times in the same order.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 *
 * export const ServiceLive = LocalService.layer({ seed: 1, fixedTime: new Date("2026-01-31T12:00:00Z") })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface ReproducibleOptions {
  /** Whole number that determines all call ids and request ids that the service makes. Default: random ids. */
  readonly seed?: number | undefined
  /** Fixed clock for reproducible output. Default: the system clock. */
  readonly fixedTime?: Date | undefined
}

/**
 * A recording of the exchanges with another service: the value of the option `record`.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Redacted } from "effect"
 *
 * export const recordFrom = (ttsBaseUrl: string, apiKey: string) =>
 *   LocalService.layer({ record: { folder: "test/exchanges", ttsBaseUrl, apiKey: Redacted.make(apiKey) } })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface RecordOptions {
  /** Folder of the exchanges. It is made if it is missing. */
  readonly folder: string
  /** Base URL of the service that transcribes. Default: none; a transcription is 400. */
  readonly sttBaseUrl?: string | undefined
  /** Base URL of the service that synthesizes. Default: none; a synthesis is 400. */
  readonly ttsBaseUrl?: string | undefined
  /** Key of the other service. It takes the place of this service's own key, and is not in any file. */
  readonly apiKey: Redacted.Redacted
}

/**
 * Options of a local service. All are optional.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 *
 * export const ServiceLive = LocalService.layer({
 *   port: 8100,
 *   credits: 500,
 *   recordings: "test/calls",
 *   maximumRecording: "10 minutes"
 * })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface LocalServiceOptions extends ReproducibleOptions {
  /** Port of transcription, 0 to 65,533. Synthesis uses `port + 1`, the platform `port + 2`. Default: 0, which means three free ports. */
  readonly port?: number | undefined
  /** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string | undefined
  /** Names accepted in the `Host` header, besides `localhost` and IP addresses. Default: none. */
  readonly hostNames?: ReadonlyArray<string> | undefined
  /** Directory that stores keys, credit and usage. Default: none; they are kept in memory until the layer closes. */
  readonly dataDirectory?: string | undefined
  /**
   * Directory of recordings that the service transcribes: `name.wav` with what is said in it as subtitles in `name.srt`, else in
   * `name.vtt`, else as text in `name.txt`. Recordings in a subdirectory `hi` are for Hindi models only; one that is
   * named after no language of a model is an error, and so is a directory without a `.wav`. Only for a recogniser that can be taught, such as
   * `KnownRecordings.layer`. Default: none.
   */
  readonly recordings?: string | undefined
  /** Initial credit of the account: an integer from 0. A data directory that has an account keeps its credit. Default: 1,000,000. */
  readonly credits?: number | undefined
  /** Price of each started second of transcribed audio, in credits: an integer from 0. Default: 1. The contract does not define it. */
  readonly creditsPerSecond?: number | undefined
  /**
   * Language of each model, by the model's name. Not for a recogniser that has models of its own. Default: those of the recogniser, else
   * `<lang>-general-v2-8khz` and `<lang>-banking-v2-8khz` for each language of the voice.
   */
  readonly models?: Readonly<Record<string, string>> | undefined
  /** Largest recording, in bytes. Default: 512 MiB. The contract does not define it. */
  readonly maximumUploadBytes?: number | undefined
  /** Longest recording. Default: 2 hours. The contract does not define it. */
  readonly maximumRecording?: Duration.DurationInput | undefined
  /** Longest speech of one text. Default: 2 hours. The contract does not define it. */
  readonly maximumSpeech?: Duration.DurationInput | undefined
  /** Longest time without a byte of a request body before the response is 408. More than 24 days count as 24. Default: 1 minute. */
  readonly bodyIdle?: Duration.DurationInput | undefined
  /**
   * Folder of recorded exchanges, which are the responses: to any key, without a network and without credit. Neither the voice nor the
   * recogniser is used. Not with `record`, `recordings` or `models`. Default: none.
   */
  readonly replay?: string | undefined
  /**
   * Sends each request to another service, responds as it does, and keeps the exchange in a folder for `replay`. Only requests with
   * this service's own key, and those of its console, are sent. Not with `replay`, `recordings` or `models`. Default: none.
   */
  readonly record?: RecordOptions | undefined
}
