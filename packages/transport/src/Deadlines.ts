/**
 * Time limits for the phases of a call, from its start to the end of the response body. Connecting counts as upload if the
 * body is a recording, and as answer if it is a text.
 */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/**
 * The phase of a call that exceeded its deadline. {@link Deadlines} has a deadline for each.
 *
 * @example
 * ```ts
 * import type { Deadlines } from "@effect-speech/transport"
 *
 * const options = {
 *   upload: "uploadIdle",
 *   answer: "answer",
 *   download: "downloadIdle",
 *   total: "total"
 * } as const satisfies Record<Deadlines.Phase, keyof Deadlines.Deadlines>
 *
 * // The deadline to raise.
 * export const optionOf = (phase: Deadlines.Phase) => options[phase]
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Phase = Schema.Literal("upload", "answer", "download", "total")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Phase = typeof Phase.Type

/**
 * How long the phases of a call may take: an option of a layer, and of one call. Each is longer than zero; `Duration.infinity` is no
 * limit. A call that takes longer fails with `SttDeadlineExceeded` or `TtsDeadlineExceeded`, and is not retried.
 *
 * @example
 * ```ts
 * import { SpeechToText } from "@effect-speech/stt"
 * import type { Deadlines } from "@effect-speech/transport"
 * import { Redacted } from "effect"
 *
 * const deadlines: Deadlines.Deadlines = { answer: "30 minutes", total: "1 hour" }
 *
 * export const layer = SpeechToText.layer({
 *   apiKey: Redacted.make("prefix.secret"),
 *   baseUrl: "https://host.example",
 *   deadlines
 * })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Deadlines {
  /**
   * Longest pause while a recording is read and sent, in steps of at most 64 KiB. Connecting counts. A text has no such pause: `answer`
   * counts from its first byte. Default: 60 seconds.
   */
  readonly uploadIdle?: Duration.DurationInput | undefined
  /**
   * From the last byte of the request to the head of the response, for each attempt anew. For a text: from the start of the attempt.
   * Default: 10 minutes for a text, 1 hour for a recording.
   */
  readonly answer?: Duration.DurationInput | undefined
  /** Longest pause while the response body is read. Default: 60 seconds. */
  readonly downloadIdle?: Duration.DurationInput | undefined
  /** From the start of the call to the last byte of the response, with the wait for its turn and all attempts. Default: none. */
  readonly total?: Duration.DurationInput | undefined
}
