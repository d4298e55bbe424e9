/**
 * The options that the clients of all operations share.
 */
import type { ApiKey } from "./ApiKey.js"
import type { Deadlines } from "./Deadlines.js"
import type { RetryOptions } from "./Retries.js"
import type { ServiceError } from "./ServiceError.js"

/**
 * The options that the layers of both clients share. A layer with an option that is not valid fails with `ConfigError`.
 *
 * `R` is what the effect of the key requires, `E` are the errors of the operation.
 *
 * @example
 * ```ts
 * import { SpeechToText } from "@effect-speech/stt"
 * import type { ClientOptions } from "@effect-speech/transport"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Layer, Redacted } from "effect"
 *
 * const shared = {
 *   apiKey: Redacted.make("prefix.secret"),
 *   baseUrl: "http://127.0.0.1:8080",
 *   concurrency: 8
 * } satisfies ClientOptions.ClientOptions
 *
 * export const both = Layer.merge(SpeechToText.layer(shared), TextToSpeech.layer(shared))
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface ClientOptions<R = never, E = ServiceError> extends RetryOptions<E> {
  /**
   * The whole `<prefix>.<secret>` value, or an effect that reads it. The effect runs when the layer is built, and again
   * after a 401. If the key has changed, the call is repeated once. What the effect requires, the layer requires.
   */
  readonly apiKey: ApiKey<R>
  /**
   * The address of the service, with or without a path prefix: https, or http on this machine. It has no user name, no password, no
   * query and no fragment. Required.
   */
  readonly baseUrl: string
  /** Allow plain http to other machines. It exposes the key. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined
  /**
   * Highest number of calls that run at the same time, a whole number from 1. Further calls wait in the order in which
   * they came. A call runs from its first request to its end, with the delays before its retries; a stream, until it is
   * read to its end or its scope closes. With `"unbounded"` no call waits. Default: 64.
   */
  readonly concurrency?: number | "unbounded" | undefined
  /** How long each phase may take. Each field has its own default. */
  readonly deadlines?: Deadlines | undefined
}
