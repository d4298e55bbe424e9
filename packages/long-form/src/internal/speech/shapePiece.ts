/** Makes the audio of a piece fit to be joined: one format, edges of a fixed silence, and no click. */
import { type AudioFormat, bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"

export interface Edges {
  readonly edgeSilenceMillis: number
  readonly fadeMillis: number
}

export interface Shaped {
  readonly bytes: Uint8Array
  /** The same audio. */
  readonly samples: Float32Array
}

/** The speech begins and ends with a window above -50 dB. */
const quiet = 10 ** (-50 / 10)
const windowMillis = 10

/** The frames that stay: from the first loud window to the last, and the silence beside them. */
const heard = (samples: Float32Array, sampleRate: number, silence: number): readonly [from: number, to: number] => {
  const length = Math.max(1, Math.round((windowMillis * sampleRate) / 1000))
  const isLoud = (from: number): boolean => {
    const to = Math.min(samples.length, from + length)
    let energy = 0
    for (let index = from; index < to; index++) energy += (samples[index] as number) ** 2
    return energy >= quiet * (to - from)
  }
  let from = 0
  while (from < samples.length && !isLoud(from)) from += length
  if (from >= samples.length) return [0, Math.min(samples.length, silence)]
  let to = samples.length - (samples.length % length)
  if (to === samples.length) to -= length
  while (!isLoud(to)) to -= length
  return [Math.max(0, from - silence), Math.min(samples.length, to + length + silence)]
}

/** Fades both ends by half a period of a cosine. */
const fade = (samples: Float32Array, frames: number): void => {
  const length = Math.min(frames, Math.floor(samples.length / 2))
  for (let index = 0; index < length; index++) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * index) / length)
    const mirrored = samples.length - 1 - index
    samples[index] = (samples[index] as number) * gain
    samples[mirrored] = (samples[mirrored] as number) * gain
  }
}

/** `format` is that of the bytes, and `target` that of the result. Both have one channel. */
export const shapePiece = (
  bytes: Uint8Array,
  format: AudioFormat,
  target: AudioFormat,
  { edgeSilenceMillis, fadeMillis }: Edges
): Shaped => {
  const decoded = Pcm.decode(bytes, format.encoding)
  const samples =
    format.sampleRate === target.sampleRate
      ? decoded
      : Resampler.resample(decoded, { from: format.sampleRate, to: target.sampleRate })
  const framesOf = (millis: number) => Math.round((millis * target.sampleRate) / 1000)
  const [from, to] = heard(samples, target.sampleRate, framesOf(edgeSilenceMillis))
  const kept = samples.slice(from, to)
  fade(kept, framesOf(fadeMillis))
  return { samples: kept, bytes: Pcm.encode(kept, target.encoding).bytes }
}

/** Silence in a format of the service, which is zeros. */
export const silence = (format: AudioFormat, millis: number): Uint8Array =>
  new Uint8Array(Math.round((millis * format.sampleRate) / 1000) * bytesPerFrame(format))
