/**
 * The errors of each operation, by tag. A `switch` over `error.tag` is checked for completeness.
 */
import type { CommonFacts, SpeakFacts, TranscribeFacts } from "./ErrorFacts.js"
import { SpeechError } from "./SpeechError.js"

/** One error for each tag. */
type ErrorOf<Facts extends { readonly [Tag in keyof Facts]: object }> = {
  readonly [Tag in keyof Facts & string]: SpeechError<Tag, Facts[Tag]>
}[keyof Facts & string]

/**
 * The errors of `speak` and `speakLong`.
 *
 * @since 0.1.0
 * @category errors
 */
export type SpeakError = ErrorOf<SpeakFacts>

/**
 * The errors of `transcribe` and `transcribeLong`.
 *
 * @since 0.1.0
 * @category errors
 */
export type TranscribeError = ErrorOf<TranscribeFacts>

const common: Readonly<Record<keyof CommonFacts, true>> = { InvalidOption: true, ClientClosed: true, FileFailed: true }

const isOf = (value: unknown, prefix: string): boolean =>
  value instanceof SpeechError && (value.tag.startsWith(prefix) || Object.hasOwn(common, value.tag))

/**
 * Whether a value is an error of `speak` or `speakLong`. An error from another process or worker is one only after
 * `SpeechError.from`.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSpeakError = (value: unknown): value is SpeakError => isOf(value, "Tts")

/**
 * Whether a value is an error of `transcribe` or `transcribeLong`. An error from another process or worker is one only after
 * `SpeechError.from`.
 *
 * @since 0.1.0
 * @category guards
 */
export const isTranscribeError = (value: unknown): value is TranscribeError => isOf(value, "Stt")
