import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { durationMillis } from "../../AudioFormat.js"
import { decodeHeader, longestHeader } from "../../Wav.js"
import { bytesOf, type ReadHeader } from "./recordingBytes.js"

export const readWav: ReadHeader = ({ byteLength, read }) =>
  Effect.map(read(0, longestHeader), (beginning) =>
    Either.match(decodeHeader(bytesOf(beginning), byteLength), {
      onLeft: () => ({}),
      onRight: ({ byteLength: samples, format }) => ({
        sampleRate: format.sampleRate,
        channels: format.channels,
        durationMillis: samples === undefined ? undefined : durationMillis(format, samples)
      })
    })
  )
