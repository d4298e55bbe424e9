/** The signal that is converted: the same samples in each run. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import * as Wav from "@effect-speech/audio-codec/Wav"

export const rate = 48_000
export const seconds = 600
export const channels = 2

/** For each channel, in Hz. Integers, so that one second repeats. */
const tones = [
  [110, 997, 3_200, 11_000],
  [170, 1_250, 5_003, 15_000]
]

/** Returns one second of interleaved floats at each call: tones at half of full scale and noise at -30 dB. */
export const makeSignal = () => {
  const steady = new Float32Array(rate * channels)
  tones.forEach((frequencies, channel) => {
    for (const frequency of frequencies) {
      for (let frame = 0; frame < rate; frame++) {
        const index = frame * channels + channel
        steady[index] = Number(steady[index]) + 0.12 * Math.sin((2 * Math.PI * frequency * frame) / rate)
      }
    }
  })
  // Marsaglia, "Xorshift RNGs", J. Statistical Software 8, 2003.
  let state = 1
  return () =>
    steady.map((sample) => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return sample + (state / 2 ** 31) * 0.03
    })
}

/** Writes 10 minutes of the signal as 16-bit stereo. */
export const writeRecording = (path: string) => {
  const second = makeSignal()
  const file = openSync(path, "wx")
  writeSync(file, Wav.header({ sampleRate: rate, channels, encoding: "pcm16" }, seconds * rate * channels * 2))
  for (let count = 0; count < seconds; count++) {
    writeSync(file, new Uint8Array(Int16Array.from(second(), (sample) => sample * 0x8000).buffer))
  }
  // Else the disk would still be busy while others are timed.
  fsyncSync(file)
  closeSync(file)
}
