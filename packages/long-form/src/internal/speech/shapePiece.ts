/** Makes the audio of a piece fit to be joined: one format, edges of a fixed silence, and no click. */
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as WholeAudio from "@effect-speech/audio-codec/unstable/WholeAudio"
import type { Options } from "./request.js"

/** `format` is that of the bytes, and `target` that of the result. Both have one channel. */
export const shapePiece = (
  bytes: Uint8Array,
  format: AudioFormat,
  target: AudioFormat,
  { edgeSilence, fade }: Pick<Options, "edgeSilence" | "fade">
): Uint8Array => {
  const trimmed = WholeAudio.trim(convert(bytes, format, target), target, { keep: edgeSilence })
  return WholeAudio.fade(trimmed, target, { in: fade, out: fade })
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
