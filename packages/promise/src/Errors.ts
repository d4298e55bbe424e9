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
 * @example
 * ```ts
 * import { connect, isSpeakError, type SpeakError } from "@effect-speech/promise"
 *
 * const advice = (error: SpeakError) => (error.tag === "TtsUnauthorized" ? "Check the key." : error.message)
 * await connect().speak("Platform two").catch((error) => console.log(isSpeakError(error) ? advice(error) : error))
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export type SpeakError = ErrorOf<SpeakFacts>

/**
 * The errors of `transcribe` and `transcribeLong`.
 *
 * @example
 * ```ts
 * import { connect, isTranscribeError, type TranscribeError } from "@effect-speech/promise"
 *
 * const advice = (error: TranscribeError) => (error.tag === "SttCreditExhausted" ? "Top up." : error.message)
 * const call = connect().transcribe("call.wav", { model: "hi-general-v2-8khz" })
 * await call.catch((error) => console.log(isTranscribeError(error) ? advice(error) : error))
 * ```
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
 * @example
 * ```ts
 * import { connect, isSpeakError } from "@effect-speech/promise"
 *
 * try {
 *   await connect().speak("Platform two", { lang: "en" })
 * } catch (error) {
 *   if (!isSpeakError(error)) throw error
 *   console.log(error.tag, error.message)
 * }
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isSpeakError = (value: unknown): value is SpeakError => isOf(value, "Tts")

/**
 * Whether a value is an error of `transcribe` or `transcribeLong`. An error from another process or worker is one only after
 * `SpeechError.from`.
 *
 * @example
 * ```ts
 * import { connect, isTranscribeError } from "@effect-speech/promise"
 *
 * try {
 *   await connect().transcribe("call.wav", { model: "hi-general-v2-8khz" })
 * } catch (error) {
 *   if (!isTranscribeError(error)) throw error
 *   console.log(error.tag, error.message)
 * }
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isTranscribeError = (value: unknown): value is TranscribeError => isOf(value, "Stt")
