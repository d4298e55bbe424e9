import type * as Duration from "effect/Duration"
import { type AudioFormat, bytesPerFrame } from "../../AudioFormat.js"
import * as Pcm from "../../Pcm.js"
import { concatBytes } from "../bytes.js"
import type { Converter } from "./blocks.js"
import { framesOf } from "./durations.js"
import { makeFrames } from "./frames.js"

/**
 * Options of `PcmStream.fade`. A duration of 0 leaves out that fade.
 *
 * @example
 * ```ts
 * import type { PcmStream } from "@effect-speech/audio-codec"
 *
 * export const onlyAtTheEnd: PcmStream.FadeOptions = { in: 0, out: "100 millis" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface FadeOptions {
  /** Duration of the rise at the start. Default: 5 milliseconds. */
  readonly in?: Duration.DurationInput | undefined
  /** Duration of the fall at the end. The stream is delayed by as much. Default: 5 milliseconds. */
  readonly out?: Duration.DurationInput | undefined
}

/** The options in frames, with their defaults. */
export const fadeFrames = (format: AudioFormat, { in: rise = 5, out: fall = 5 }: FadeOptions) => ({
  in: framesOf(format, "fade at the start", rise),
  out: framesOf(format, "fade at the end", fall)
})

/** The raised cosine from 0 to 1, at the middle of frame `index` of `length`. */
const gainAt = (index: number, length: number): number => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / length)

/** Makes a copy of whole frames, each multiplied by a gain. */
const amplify = (bytes: Uint8Array, { channels, encoding }: AudioFormat, gain: (frame: number) => number) => {
  const samples = Pcm.decode(bytes, encoding)
  for (let index = 0; index < samples.length; index++) {
    samples[index] = (samples[index] as number) * gain(Math.floor(index / channels))
  }
  return Pcm.encode(samples, encoding).bytes
}

/** Fades the first and the last frames. It holds back as many as may be the last. */
export const makeFader = (
  format: AudioFormat,
  lengths: ReturnType<typeof fadeFrames>
): Converter<Uint8Array, Uint8Array> => {
  const frame = bytesPerFrame(format)
  const wholeFrames = makeFrames(frame)
  const longestHeld = lengths.out * frame
  let position = 0
  let held: Array<Uint8Array> = []
  let heldBytes = 0

  const hold = (bytes: Uint8Array): void => {
    if (bytes.byteLength === 0) return
    held.push(bytes)
    heldBytes += bytes.byteLength
  }
  const fadeIn = (frames: Uint8Array): void => {
    const fading = Math.min(frames.byteLength / frame, Math.max(0, lengths.in - position))
    const first = position
    if (fading > 0) hold(amplify(frames.subarray(0, fading * frame), format, (at) => gainAt(first + at, lengths.in)))
    hold(frames.subarray(fading * frame))
    position += frames.byteLength / frame
  }
  /** Takes from the front what can't be among the last frames. */
  const release = (): ReadonlyArray<Uint8Array> => {
    const released: Array<Uint8Array> = []
    while (heldBytes > longestHeld) {
      const first = held[0] as Uint8Array
      const length = Math.min(first.byteLength, heldBytes - longestHeld)
      released.push(first.subarray(0, length))
      if (length === first.byteLength) held.shift()
      else held[0] = first.subarray(length)
      heldBytes -= length
    }
    return released
  }
  return {
    push: (bytes) => {
      for (const frames of wholeFrames(bytes)) fadeIn(frames)
      return release()
    },
    flush: () => {
      if (heldBytes === 0) return []
      const last = concatBytes(held)
      held = []
      const count = last.byteLength / frame
      return [amplify(last, format, (at) => gainAt(count - 1 - at, lengths.out))]
    }
  }
}
