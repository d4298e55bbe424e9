/** The largest number of channels in a WAV file. */
const maximumChannels = 0xffff

/** @throws RangeError for a number of channels that no WAV file has. */
export const checkChannels = (channels: number): void => {
  if (!Number.isInteger(channels) || channels < 1 || channels > maximumChannels) {
    throw new RangeError(`The number of channels must be an integer from 1 to ${maximumChannels}, not ${channels}.`)
  }
}

/**
 * Makes a function that takes a chunk of bytes and returns the whole frames that it completes, in order. `frame` is the size
 * of a frame in bytes. A frame that was split comes alone, so that the others need no copy.
 */
export const makeFrames = (frame: number): ((bytes: Uint8Array) => ReadonlyArray<Uint8Array>) => {
  // A copy of the incomplete frame, because the producer may reuse its block.
  const split = new Uint8Array(frame)
  let filled = 0
  return (bytes) => {
    const parts: Array<Uint8Array> = []
    let rest = bytes
    if (filled > 0) {
      const missing = rest.subarray(0, frame - filled)
      split.set(missing, filled)
      filled += missing.byteLength
      if (filled < frame) return parts
      parts.push(split.slice())
      rest = rest.subarray(missing.byteLength)
    }
    const whole = rest.byteLength - (rest.byteLength % frame)
    if (whole > 0) parts.push(rest.subarray(0, whole))
    split.set(rest.subarray(whole))
    filled = rest.byteLength - whole
    return parts
  }
}
