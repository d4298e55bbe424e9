/** Turns several channels into one. Samples are interleaved; an incomplete frame at the end is dropped. */

import { dual } from "effect/Function"
import { blockSamples, kernel, samplesRegion, windowsRegion } from "./internal/kernel/kernel.js"
import { checkChannels } from "./internal/pcm/frames.js"

const floats = /* @__PURE__ */ new Float32Array(kernel.memory)

/**
 * The mean of the channels of each frame, which cannot clip. If there is one channel, returns `samples` itself. If each channel holds
 * another speaker, use {@link pick}.
 *
 * Throws a `RangeError` if `channels` is not an integer from 1 to 65,535.
 *
 * @example
 * ```ts
 * import { Channels } from "@effect-speech/audio-codec"
 *
 * const stereo = Float32Array.of(0.5, 0.25, -1, 0)
 * console.log(Channels.mixdown(stereo, 2)) // 0.375, -0.5
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const mixdown: {
  (channels: number): (samples: Float32Array) => Float32Array
  (samples: Float32Array, channels: number): Float32Array
} = dual(2, (samples: Float32Array, channels: number): Float32Array => {
  checkChannels(channels)
  if (channels === 1) return samples
  const mono = new Float32Array(Math.floor(samples.length / channels))
  const block = Math.max(1, Math.floor(blockSamples / channels))
  for (let offset = 0; offset < mono.length; offset += block) {
    const frames = Math.min(block, mono.length - offset)
    floats.set(samples.subarray(offset * channels, (offset + frames) * channels), samplesRegion / 4)
    kernel.mixdown(samplesRegion, windowsRegion, frames, channels)
    mono.set(floats.subarray(windowsRegion / 4, windowsRegion / 4 + frames), offset)
  }
  return mono
})

/**
 * One channel, counted from 0: for example the caller's, in a recording that has each side of a call on its own channel. If
 * there is one channel, returns `samples` itself.
 *
 * Throws a `RangeError` if there is no such channel.
 *
 * @example
 * ```ts
 * import { Channels } from "@effect-speech/audio-codec"
 *
 * const stereo = Float32Array.of(0.5, 0.25, -1, 0)
 * console.log(Channels.pick(stereo, 2, 1)) // 0.25, 0
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const pick: {
  (channels: number, channel: number): (samples: Float32Array) => Float32Array
  (samples: Float32Array, channels: number, channel: number): Float32Array
} = dual(3, (samples: Float32Array, channels: number, channel: number): Float32Array => {
  checkChannels(channels)
  if (!Number.isInteger(channel) || channel < 0 || channel >= channels) {
    throw new RangeError(`There is no channel ${channel}: the channels are 0 to ${channels - 1}.`)
  }
  if (channels === 1) return samples
  const mono = new Float32Array(Math.floor(samples.length / channels))
  for (let frame = 0; frame < mono.length; frame++) mono[frame] = samples[frame * channels + channel] as number
  return mono
})
