/**
 * Trims and fades as `PcmStream` does, for audio that is in memory: without the cost of a stream.
 */
import type { AudioFormat } from "../AudioFormat.js"
import { concatBytes } from "../internal/bytes.js"
import type { Converter } from "../internal/pcm/blocks.js"
import { fadeFrames, makeFader } from "../internal/pcm/fading.js"
import { makeTrimmer, trimmingOf } from "../internal/pcm/trimming.js"
import type { FadeOptions, TrimOptions } from "../PcmStream.js"

const convert = (bytes: Uint8Array, { flush, push }: Converter<Uint8Array, Uint8Array>): Uint8Array =>
  concatBytes([...push(bytes), ...flush()])

/**
 * Trims audio in memory as `PcmStream.trim` does.
 *
 * Throws a `RangeError` if an option makes no sense.
 *
 * @example
 * ```ts
 * import { Telephony } from "@effect-speech/audio-codec"
 * import * as WholeAudio from "@effect-speech/audio-codec/unstable/WholeAudio"
 *
 * console.log(WholeAudio.trim(new Uint8Array(16_000), Telephony.format).byteLength) // 0
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const trim = (bytes: Uint8Array, format: AudioFormat, options: TrimOptions = {}): Uint8Array =>
  convert(bytes, makeTrimmer(format, trimmingOf(format, options)))

/**
 * Fades audio in memory as `PcmStream.fade` does.
 *
 * Throws a `RangeError` if an option makes no sense.
 *
 * @example
 * ```ts
 * import { Telephony } from "@effect-speech/audio-codec"
 * import * as WholeAudio from "@effect-speech/audio-codec/unstable/WholeAudio"
 *
 * console.log(WholeAudio.fade(new Uint8Array(16_000), Telephony.format, { out: "20 millis" }).byteLength) // 16000
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const fade = (bytes: Uint8Array, format: AudioFormat, options: FadeOptions = {}): Uint8Array =>
  convert(bytes, makeFader(format, fadeFrames(format, options)))
