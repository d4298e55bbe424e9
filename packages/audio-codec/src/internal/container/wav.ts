import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { durationMillis } from "../../AudioFormat.js"
import { decodeHeader } from "../../Wav.js"
import { concatBytes } from "../bytes.js"
import { bytesOf, characters, type ReadHeader, type RecordingViews, usualHeader } from "./recordingBytes.js"

export const readWav: ReadHeader = (recording) =>
  Effect.gen(function* () {
    const { byteLength } = recording
    let header = decodeHeader(bytesOf(yield* recording.read(0, usualHeader)), byteLength)
    if (Either.isLeft(header)) {
      const { beginning, left } = yield* withoutNotes(recording)
      header = decodeHeader(beginning, byteLength === undefined ? undefined : byteLength - left)
    }
    if (Either.isLeft(header)) return {}
    const { byteLength: samples, format } = header.right
    return {
      sampleRate: format.sampleRate,
      channels: format.channels,
      durationMillis: samples === undefined ? undefined : durationMillis(format, samples)
    }
  })

/** The chunks that describe the samples. */
const read = new Set(["fmt ", "ds64", "fact"])

/** More chunks than this before the samples are damage. */
const mostChunks = 500

/** The bytes before the samples without those of other chunks, such as pictures; `left` counts these. */
const withoutNotes = <E>(recording: RecordingViews<E>) =>
  Effect.gen(function* () {
    const first = yield* recording.read(0, 12)
    const parts = [bytesOf(first)]
    const little = characters(first, 0, 4) !== "RIFX"
    let left = 0
    let offset = 12
    for (let chunks = 0; chunks < mostChunks; chunks++) {
      const chunk = yield* recording.read(offset, 8)
      const name = characters(chunk, 0, 4)
      if (chunk.byteLength < 8) break
      const size = chunk.getUint32(4, little)
      const length = 8 + size + (size % 2)
      if (name === "data") parts.push(bytesOf(chunk))
      else if (read.has(name) && size <= 1024) parts.push(bytesOf(yield* recording.read(offset, length)))
      else left += length
      if (name === "data") break
      offset += length
    }
    return { beginning: concatBytes(parts), left }
  })
