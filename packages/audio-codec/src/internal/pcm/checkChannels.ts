/** The largest number of channels in a WAV file. */
const maximumChannels = 0xffff

/** @throws RangeError for a number of channels that no WAV file has. */
export const checkChannels = (channels: number): void => {
  if (!Number.isInteger(channels) || channels < 1 || channels > maximumChannels) {
    throw new RangeError(`The number of channels must be an integer from 1 to ${maximumChannels}, not ${channels}.`)
  }
}
