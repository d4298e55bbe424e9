import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { durationMillis } from "../../AudioFormat.js"
import { decodeHeader, longestHeader } from "../../Wav.js"
import { bytesOf, type ReadHeader, usualHeader } from "./recordingBytes.js"

export const readWav: ReadHeader = ({ byteLength, read }) => {
  const headerIn = (length: number) =>
    Effect.map(read(0, length), (beginning) => decodeHeader(bytesOf(beginning), byteLength))
  return Effect.flatMap(headerIn(usualHeader), (header) =>
    Either.isRight(header) ? Effect.succeed(header) : headerIn(longestHeader)
  ).pipe(
    Effect.map(
      Either.match({
        onLeft: () => ({}),
        onRight: ({ byteLength: samples, format }) => ({
          sampleRate: format.sampleRate,
          channels: format.channels,
          durationMillis: samples === undefined ? undefined : durationMillis(format, samples)
        })
      })
    )
  )
}
