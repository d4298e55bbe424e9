import { type AudioFormat, bytesPerFrame } from "../../AudioFormat.js"
import * as Pcm from "../../Pcm.js"
import { concatBytes } from "../bytes.js"
import type { Converter } from "./blocks.js"

const windowMillis = 10

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

/** Parts that lie next to each other in memory become one. */
const makeOutput = () => {
  const parts: Array<Uint8Array> = []
  const add = (bytes: Uint8Array): void => {
    const last = parts.at(-1)
    if (bytes.byteLength === 0) return
    if (last !== undefined && last.buffer === bytes.buffer && last.byteOffset + last.byteLength === bytes.byteOffset) {
      parts[parts.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.byteLength + bytes.byteLength)
    } else {
      parts.push(bytes)
    }
  }
  return {
    parts,
    add,
    repeat: ({ times, window }: Silence): void => {
      const block = concatBytes(new Array(Math.min(times, windowsPerBlock)).fill(window))
      for (let left = times * window.byteLength; left > 0; left -= block.byteLength) add(block.subarray(0, left))
    }
  }
}

/** Whether each channel is quieter than the threshold, as a mean of squares. */
const isSilent = (samples: Float32Array, channels: number, threshold: number): boolean => {
  for (let channel = 0; channel < channels; channel++) {
    let energy = 0
    for (let index = channel; index < samples.length; index += channels) energy += (samples[index] as number) ** 2
    if (!(energy * channels < threshold * samples.length)) return false
  }
  return true
}

/** Drops the silence at both ends but for `keep` frames. Windows are counted from the first frame. */
export const makeTrimmer = (
  format: AudioFormat,
  { keep, threshold }: { readonly keep: number; readonly threshold: number }
): Converter<Uint8Array, Uint8Array> => {
  const frame = bytesPerFrame(format)
  const windowBytes = Math.max(1, Math.round((format.sampleRate * windowMillis) / 1000)) * frame
  const keepBytes = keep * frame
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
  const add = (window: Uint8Array, output: ReturnType<typeof makeOutput>): void => {
    const silent = isSilent(Pcm.decode(window, format.encoding), format.channels, threshold)
    if (silent && !hasSound) {
      keepBefore(window)
    } else if (silent) {
      const more = Math.min(window.byteLength, keepBytes - keptBytes)
      output.add(window.subarray(0, more))
      keptBytes += more
      hold(window.subarray(more))
      if (held.length > longestHeld) output.repeat(held.shift() as Silence)
    } else {
      const silence = concatBytes(before)
      output.add(silence.subarray(Math.max(0, silence.byteLength - keepBytes)))
      for (const each of held) output.repeat(each)
      output.add(window)
      hasSound = true
      before = []
      keptBytes = 0
      held = []
    }
  }
  return {
    push: (bytes) => {
      incomplete.push(bytes)
      incompleteBytes += bytes.byteLength
      if (incompleteBytes < windowBytes) return []
      const output = makeOutput()
      const all = incomplete.length === 1 ? bytes : concatBytes(incomplete)
      let offset = 0
      for (; offset + windowBytes <= all.byteLength; offset += windowBytes) {
        add(all.subarray(offset, offset + windowBytes), output)
      }
      // A copy, so that no large block is kept for its last bytes.
      incomplete = offset < all.byteLength ? [all.slice(offset)] : []
      incompleteBytes -= offset
      return output.parts
    },
    flush: () => {
      const output = makeOutput()
      const rest = concatBytes(incomplete)
      const frames = rest.subarray(0, rest.byteLength - (rest.byteLength % frame))
      if (frames.byteLength > 0) add(frames, output)
      return output.parts
    }
  }
}
