// Plain JavaScript: also runs in the measured processes of `case.js`.
/** Conversions of files by the codec. */

import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** @param {string} from @param {string} to */
export const toTelephony = (from, to) =>
  Effect.scoped(Effect.flatMap(Telephony.readFile(from), (audio) => Wav.writeFile(audio, to)))

/**
 * Writes the same block several times, as a source does that reuses its memory.
 *
 * @param {Float32Array} samples
 * @param {number} count
 * @param {string} path
 */
export const write = (samples, count, path) => {
  let remaining = count
  const block = Effect.suspend(() =>
    remaining-- > 0
      ? Effect.succeed(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
      : Effect.fail(Option.none())
  )
  const format = /** @type {const} */ ({ sampleRate: 48_000, channels: 2, encoding: "float32" })
  return Wav.writeFile(PcmStream.make(format, Stream.repeatEffectOption(block)), path)
}
