import type * as Duration from "effect/Duration"
import { type AudioFormat, bytesPerFrame, bytesPerSample } from "../../AudioFormat.js"
import * as Pcm from "../../Pcm.js"
import { concatBytes } from "../bytes.js"
import type { Converter } from "./blocks.js"
import { framesOf } from "./durations.js"
import { energyOf } from "./silence.js"

const windowMillis = 10

/** About so many samples are decoded at once: window by window would take longer. */
const decodedSamples = 8192

/** How many unlike windows of a silence are held: a minute. */
const longestHeld = 6000

/** The windows in a block of a long silence. */
const windowsPerBlock = 100

/** A window of a silence, and how often it is repeated. */
interface Silence {
  readonly window: Uint8Array
  times: number
}

const equal = (bytes: Uint8Array, others: Uint8Array): boolean => {
  if (bytes.byteLength !== others.byteLength) return false
  for (let index = 0; index < bytes.byteLength; index++) if (bytes[index] !== others[index]) return false
  return true
}

/** Parts of the same bytes that follow each other become one. */
const makeOutput = () => {
  const parts: Array<Uint8Array> = []
  let source: Uint8Array = new Uint8Array(0)
  let from = 0
  let to = 0
  const end = (): void => {
    if (to > from) parts.push(source.subarray(from, to))
  }
  const add = (bytes: Uint8Array, start = 0, stop = bytes.byteLength): void => {
    if (bytes === source && start === to) {
      to = stop
      return
    }
    end()
    source = bytes
    from = start
    to = stop
  }
  return {
    add,
    repeat: ({ times, window }: Silence): void => {
      const block = concatBytes(new Array(Math.min(times, windowsPerBlock)).fill(window))
      for (let left = times * window.byteLength; left > 0; left -= block.byteLength) add(block.subarray(0, left))
    },
    parts: (): ReadonlyArray<Uint8Array> => {
      end()
      return parts
    }
  }
}

type Output = ReturnType<typeof makeOutput>

interface Samples {
  readonly values: Float32Array
  readonly from: number
  readonly to: number
}

/** Whether each channel is quieter than the threshold, as a mean of squares. */
const isSilent = ({ from, to, values }: Samples, channels: number, threshold: number): boolean => {
  for (let channel = 0; channel < channels; channel++) {
    let energy = 0
    for (let index = from + channel; index < to; index += channels) energy += (values[index] as number) ** 2
    if (!(energy * channels < threshold * (to - from))) return false
  }
  return true
}

/**
 * Options of `PcmStream.trim`.
 *
 * @example
 * ```ts
 * import type { PcmStream } from "@effect-speech/audio-codec"
 *
 * // For a noisy recording: what is quieter than -35 dB is silent.
 * export const noisy: PcmStream.TrimOptions = { thresholdDecibels: -35, keep: "100 millis" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface TrimOptions {
  /** Loudness below which a window of 10 ms is silent, in dB, less than 0. A sine of full scale has -3 dB. Default: -50. */
  readonly thresholdDecibels?: number | undefined
  /** Duration of the silence that stays at each end; less if the audio has less. Default: 40 milliseconds. */
  readonly keep?: Duration.DurationInput | undefined
}

/** The options in frames, with their defaults. */
export const trimmingOf = (format: AudioFormat, { keep = 40, thresholdDecibels = -50 }: TrimOptions) => ({
  threshold: energyOf(thresholdDecibels),
  keep: framesOf(format, "silence to keep", keep)
})

/** Drops the silence at both ends but for `keep` frames. Windows are counted from the first frame. */
export const makeTrimmer = (
  format: AudioFormat,
  { keep, threshold }: ReturnType<typeof trimmingOf>
): Converter<Uint8Array, Uint8Array> => {
  const frame = bytesPerFrame(format)
  const windowBytes = Math.max(1, Math.round((format.sampleRate * windowMillis) / 1000)) * frame
  const keepBytes = keep * frame
  const windowSamples = windowBytes / bytesPerSample(format.encoding)
  const decodedAtOnce = Math.max(1, Math.floor(decodedSamples / windowSamples)) * windowSamples
  let values = new Float32Array(0)
  let incomplete: Array<Uint8Array> = []
  let incompleteBytes = 0
  let hasSound = false
  /** The end of the silence before the first sound. */
  let before: Array<Uint8Array> = []
  /** How many bytes of the latest silence are in the output, and what follows them. */
  let keptBytes = 0
  let held: Array<Silence> = []

  const keepBefore = (window: Uint8Array): void => {
    before.push(window)
    if ((before.length - 1) * windowBytes >= keepBytes) before.shift()
  }
  const hold = (window: Uint8Array): void => {
    const last = held.at(-1)
    if (last !== undefined && equal(last.window, window)) last.times++
    else if (window.byteLength > 0) held.push({ window, times: 1 })
  }
  const add = (bytes: Uint8Array, from: number, to: number, silent: boolean, output: Output): void => {
    if (silent && !hasSound) {
      keepBefore(bytes.subarray(from, to))
    } else if (silent) {
      const kept = Math.min(to, from + keepBytes - keptBytes)
      output.add(bytes, from, kept)
      keptBytes += kept - from
      hold(bytes.subarray(kept, to))
      if (held.length > longestHeld) output.repeat(held.shift() as Silence)
    } else {
      if (before.length > 0) {
        const silence = concatBytes(before)
        output.add(silence, Math.max(0, silence.byteLength - keepBytes))
      }
      for (const each of held) output.repeat(each)
      output.add(bytes, from, to)
      hasSound = true
      before = []
      keptBytes = 0
      held = []
    }
  }
  /** Adds the windows of these bytes. The last one may be shorter. */
  const addAll = (bytes: Uint8Array, length: number, output: Output): void => {
    const sampleBytes = bytesPerSample(format.encoding)
    // A header may state any rate, so no window is allocated before it is there.
    const needed = Math.min(decodedAtOnce, length / sampleBytes)
    if (values.length < needed) values = new Float32Array(needed)
    for (let offset = 0; offset < length; offset += values.length * sampleBytes) {
      const count = Pcm.decodeInto(bytes.subarray(offset, length), format.encoding, values)
      for (let from = 0; from < count; from += windowSamples) {
        const to = Math.min(count, from + windowSamples)
        const silent = isSilent({ values, from, to }, format.channels, threshold)
        add(bytes, offset + from * sampleBytes, offset + to * sampleBytes, silent, output)
      }
    }
  }
  return {
    push: (bytes) => {
      incomplete.push(bytes)
      incompleteBytes += bytes.byteLength
      if (incompleteBytes < windowBytes) return []
      const output = makeOutput()
      const all = incomplete.length === 1 ? bytes : concatBytes(incomplete)
      const length = all.byteLength - (all.byteLength % windowBytes)
      addAll(all, length, output)
      // A copy, so that no large block is kept for its last bytes.
      incomplete = length < all.byteLength ? [all.slice(length)] : []
      incompleteBytes -= length
      return output.parts()
    },
    flush: () => {
      const output = makeOutput()
      const rest = concatBytes(incomplete)
      addAll(rest, rest.byteLength - (rest.byteLength % frame), output)
      return output.parts()
    }
  }
}
