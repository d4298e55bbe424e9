import { AudioFormat, Wav } from "@effect-speech/audio-codec"
import * as FastCheck from "effect/FastCheck"

export const encodings: ReadonlyArray<AudioFormat.Encoding> = [
  "pcm8",
  "pcm16",
  "pcm24",
  "pcm32",
  "float32",
  "float64",
  "alaw",
  "mulaw"
]

/** Audio in any format: whole frames of random bytes. */
export const audio: FastCheck.Arbitrary<Wav.WavAudio> = FastCheck.record({
  sampleRate: FastCheck.integer({ min: 1, max: 192_000 }),
  channels: FastCheck.integer({ min: 1, max: 8 }),
  encoding: FastCheck.constantFrom(...encodings)
}).chain((format) => {
  const frame = AudioFormat.bytesPerFrame(format)
  return FastCheck.integer({ min: 0, max: 40 }).chain((frames) =>
    FastCheck.record({
      format: FastCheck.constant(format),
      bytes: FastCheck.uint8Array({ minLength: frames * frame, maxLength: frames * frame })
    })
  )
})

export const cuts = FastCheck.array(FastCheck.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 })

/** Pieces of the given sizes, which begin anew when they are used up. */
export const cutAt = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  let offset = 0
  for (let index = 0; offset < bytes.byteLength; index++) {
    const size = sizes[index % sizes.length] ?? 1
    parts.push(bytes.subarray(offset, offset + size))
    offset += size
  }
  return parts
}

const chunkNames = FastCheck.constantFrom(
  "RIFF",
  "RIFX",
  "RF64",
  "BW64",
  "WAVE",
  "fmt ",
  "fact",
  "ds64",
  "data",
  "LIST"
)
const oddSizes = FastCheck.constantFrom(
  0,
  1,
  15,
  16,
  17,
  18,
  24,
  28,
  40,
  0x7fffffff,
  0x80000000,
  0xfffffffe,
  0xffffffff
)

const mutation = FastCheck.oneof(
  FastCheck.record({ at: FastCheck.nat(200), byte: FastCheck.nat(255) }),
  FastCheck.record({ at: FastCheck.nat(200), name: chunkNames }),
  FastCheck.record({ at: FastCheck.nat(200), size: oddSizes }),
  FastCheck.record({ at: FastCheck.nat(200), removed: FastCheck.nat(40) }),
  FastCheck.record({ at: FastCheck.nat(200), inserted: FastCheck.uint8Array({ maxLength: 40 }) })
)

/** WAV files with something wrong, and bytes that never were one. */
export const damagedFile: FastCheck.Arbitrary<Uint8Array> = FastCheck.oneof(
  FastCheck.uint8Array({ maxLength: 300 }),
  FastCheck.tuple(audio, FastCheck.array(mutation, { maxLength: 6 })).map(([{ bytes, format }, mutations]) => {
    let file = Buffer.from(Wav.encode(format, bytes))
    for (const change of mutations) {
      const at = change.at % (file.byteLength + 1)
      if ("byte" in change && at < file.byteLength) file[at] = change.byte
      if ("name" in change) file.write(change.name, at, "latin1")
      if ("size" in change && at + 4 <= file.byteLength) file.writeUInt32LE(change.size, at)
      if ("removed" in change) file = Buffer.concat([file.subarray(0, at), file.subarray(at + change.removed)])
      if ("inserted" in change) file = Buffer.concat([file.subarray(0, at), change.inserted, file.subarray(at)])
    }
    return file
  })
)
