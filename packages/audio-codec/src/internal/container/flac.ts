import * as Effect from "effect/Effect"
import type { ReadHeader } from "./recordingBytes.js"

/** The STREAMINFO block, which comes first (RFC 9639, section 8.2). */
export const readFlac: ReadHeader = ({ read }) =>
  Effect.map(read(4, 4 + 18), (block) => {
    const isStreamInfo = block.byteLength === 22 && (block.getUint8(0) & 0x7f) === 0
    if (!isStreamInfo) return {}
    // 20 bits of sample rate, 3 of channels less 1, 5 of sample size, 36 of frames, which are 0 if unknown.
    const packed = block.getUint32(14)
    const sampleRate = packed >>> 12
    const frames = (block.getUint8(17) & 0xf) * 2 ** 32 + block.getUint32(18)
    return {
      sampleRate,
      channels: ((packed >>> 9) & 7) + 1,
      durationMillis: frames === 0 ? undefined : (frames / sampleRate) * 1000
    }
  })
