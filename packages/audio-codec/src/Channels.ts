/** From many channels to one. */

/**
 * The mean of the channels of each frame: equal parts of all of them, so that nothing clips.
 *
 * `samples` are interleaved; a part of a frame at the end is left out.
 */
export const mixdown = (samples: Float32Array, channels: number): Float32Array => {
  if (channels === 1) return samples
  const mono = new Float32Array(Math.floor(samples.length / channels))
  for (let frame = 0; frame < mono.length; frame++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += samples[frame * channels + channel] ?? 0
    mono[frame] = sum / channels
  }
  return mono
}
