/** Makes the audio of a piece fit to be joined: one format, edges of a fixed silence, and no click. */
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import type * as Effect from "effect/Effect"
import type { Options } from "./request.js"

/** `format` is that of the bytes, and `target` that of the result. Both have one channel. */
export const shapePiece = (
  bytes: Uint8Array,
  format: AudioFormat,
  target: AudioFormat,
  { edgeSilence, fade }: Pick<Options, "edgeSilence" | "fade">
): Effect.Effect<Uint8Array> => {
  const converted = PcmStream.fromBytes(target, convert(bytes, format, target))
  return converted.pipe(
    PcmStream.trim({ keep: edgeSilence }),
    PcmStream.fade({ in: fade, out: fade }),
    PcmStream.collect
  )
}

const convert = (bytes: Uint8Array, format: AudioFormat, target: AudioFormat): Uint8Array => {
  if (isSame(format, target)) return bytes
  const samples = Pcm.decode(bytes, format.encoding)
  const rates = { from: format.sampleRate, to: target.sampleRate }
  return Pcm.encode(Resampler.resample(samples, rates), target.encoding).bytes
}

/** Whether two formats of one channel are the same. */
export const isSame = (one: AudioFormat, other: AudioFormat): boolean =>
  one.sampleRate === other.sampleRate && one.encoding === other.encoding
