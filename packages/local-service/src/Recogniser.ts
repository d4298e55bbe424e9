/**
 * Turns recordings into text for the local service: the service of `@effect-speech/engine`. `KnownRecordings.layer` is the one of
 * this package. To use a real engine, provide another Layer.
 */
import type { TimedText } from "@effect-speech/engine/Recogniser"

export * from "@effect-speech/engine/Recogniser"
export type { Samples } from "@effect-speech/engine/Samples"

/**
 * A recording in a file, in any supported container, with the words that are said in it: what `teach` takes.
 *
 * @example
 * ```ts
 * import type { TaughtRecording } from "@effect-speech/local-service"
 *
 * export const order: TaughtRecording = {
 *   path: "order.mp3",
 *   text: "Two tea, please. And one coffee.",
 *   lang: "en",
 *   segments: [
 *     { text: "Two tea, please.", startMillis: 0, endMillis: 1400 },
 *     { text: "And one coffee.", startMillis: 1600, endMillis: 2900 }
 *   ]
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TaughtRecording {
  /** Path of the audio file. */
  readonly path: string
  /** The words that are said in it. */
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** The sentences in it, in order. Each is recognised by itself. Default: one, the whole recording. */
  readonly segments?: ReadonlyArray<TimedText> | undefined
}
