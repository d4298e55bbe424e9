import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { durationMillis } from "../../AudioFormat.js"
import { makeWavParser } from "../wav/wavParser.js"
import { samplesLength } from "../wav/wavReader.js"
import { bytesOf, type ReadHeader, usualHeader } from "./recordingBytes.js"

/** The bytes that are read behind the first block at once: the longest header of a chunk, with its `fmt `, is shorter. */
const further = 64

/** Reads up to the samples, without the content of chunks that do not describe them, such as pictures. */
export const readWav: ReadHeader = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const parser = makeWavParser()
    for (let offset = 0; parser.layout() === undefined; ) {
      const block = bytesOf(yield* read(offset, offset === 0 ? usualHeader : further))
      if (block.byteLength === 0 || Either.isLeft(parser.push(block))) return {}
      offset += block.byteLength + parser.skip()
    }
    const [format, layout] = [parser.format(), parser.layout()]
    if (format === undefined || layout === undefined) return {}
    const samples = samplesLength(format, layout, byteLength ?? Number.POSITIVE_INFINITY)
    return {
      sampleRate: format.sampleRate,
      channels: format.channels,
      durationMillis: Number.isFinite(samples) ? durationMillis(format, samples) : undefined
    }
  })
