/** From many channels to one. Samples are interleaved; a part of a frame at the end is left out. */

import { blockSamples, kernel, samplesRegion, windowsRegion } from "./internal/kernel/kernel.js"
import { checkChannels } from "./internal/pcm/checkChannels.js"

const floats = /* @__PURE__ */ new Float32Array(kernel.memory)

/**
 * The mean of the channels of each frame: equal parts of all of them, so that nothing clips. One channel is given back
 * as it is.
 *
 * @throws RangeError for a number of channels that no WAV file has: beyond 1 to 65,535.
 */
export const mixdown = (samples: Float32Array, channels: number): Float32Array => {
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
}

/**
 * One channel of each frame, counted from 0: that of the caller, say, where each side of a call has its own. One
 * channel is given back as it is.
 *
 * @throws RangeError for a channel that is not there.
 */
export const pick = (samples: Float32Array, channels: number, channel: number): Float32Array => {
  checkChannels(channels)
  if (!Number.isInteger(channel) || channel < 0 || channel >= channels) {
    throw new RangeError(`Of ${channels} channels, counted from 0, there is no channel ${channel}.`)
  }
  if (channels === 1) return samples
  const mono = new Float32Array(Math.floor(samples.length / channels))
  for (let frame = 0; frame < mono.length; frame++) mono[frame] = samples[frame * channels + channel] as number
  return mono
}
