import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { bytesOf, type ReadHeader } from "./header.js"

/** Programs put notes before the samples, and some fill the header up to a block of the disk. */
export const longestHeader = 128 * 1024

export const readWav: ReadHeader = ({ byteLength, read }) =>
  Effect.map(read(0, longestHeader), (beginning) =>
    Either.match(Wav.decodeHeader(bytesOf(beginning), byteLength), {
      onLeft: () => ({}),
      onRight: ({ byteLength: samples, format }) => ({
        sampleRate: format.sampleRate,
        channels: format.channels,
        durationMillis: samples === undefined ? undefined : AudioFormat.durationMillis(format, samples)
      })
    })
  )
