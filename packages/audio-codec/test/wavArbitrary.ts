import { AudioFormat, Wav } from "@effect-speech/audio-codec"
import * as FastCheck from "effect/FastCheck"
import { damaged } from "./damaged.js"

export const encodings = ["pcm8", "pcm16", "pcm24", "pcm32", "float32", "float64", "alaw", "mulaw"] as const

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

/** Pieces of the given sizes, used again from the first when they run out. */
export const cutAt = <A extends Uint8Array | Float32Array>(
  array: A,
  sizes: ReadonlyArray<number>
): ReadonlyArray<A> => {
  const parts: Array<A> = []
  for (let offset = 0, index = 0; offset < array.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    parts.push(array.subarray(offset, offset + size) as A)
    offset += size
  }
  return parts
}

const tags: Partial<Record<AudioFormat.Encoding, number>> = { float32: 3, float64: 3, alaw: 6, mulaw: 7 }
const unknownSize = 0xffffffff

/** Chunks that programs put between the others. */
const notes = FastCheck.array(
  FastCheck.record({
    name: FastCheck.constantFrom("LIST", "JUNK", "bext", "id3 ", "PEAK", "cue "),
    content: FastCheck.uint8Array({ maxLength: 20 })
  }),
  { maxLength: 3 }
)

/** The same audio in a file as another program writes it. */
export const shapedFile: FastCheck.Arbitrary<{ readonly file: Buffer; readonly audio: Wav.WavAudio }> =
  FastCheck.record({
    audio,
    kind: FastCheck.constantFrom("RIFF", "RIFX", "RF64", "BW64"),
    fmt: FastCheck.constantFrom("plain", "with an empty extension", "extensible", "extensible of sox"),
    /** Added to the block align, which other readers do not use. */
    alignError: FastCheck.constantFrom(0, 0, 0, 1),
    /** The sizes that it states: the right ones, or those of a file that is still being written. */
    sizes: FastCheck.constantFrom("right", "unknown", "zero"),
    before: notes,
    between: notes,
    after: notes
  }).map(({ after, alignError, audio: { bytes, format }, before, between, fmt, kind, sizes }) => {
    const little = kind !== "RIFX"
    const large = kind === "RF64" || kind === "BW64"
    const number = (length: 2 | 4, value: number) => {
      const field = Buffer.alloc(length)
      if (little) field.writeUIntLE(value, 0, length)
      else field.writeUIntBE(value, 0, length)
      return field
    }
    const chunk = (name: string, content: Uint8Array, size = content.byteLength) =>
      Buffer.concat([Buffer.from(name, "latin1"), number(4, size), content, Buffer.alloc(content.byteLength % 2)])
    const sampleSize = AudioFormat.bytesPerSample(format.encoding)
    const frameSize = AudioFormat.bytesPerFrame(format)
    const tag = tags[format.encoding] ?? 1
    const isExtensible = fmt === "extensible" || fmt === "extensible of sox"
    const extension = Buffer.concat([
      number(2, 22),
      number(2, sampleSize * 8),
      number(4, 0),
      // In a RIFX, sox writes the number of the format in 16 bits, and the rest of the identifier as in a RIFF.
      fmt === "extensible of sox" ? Buffer.concat([number(2, tag), Buffer.alloc(2)]) : number(4, tag),
      Buffer.from("\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71", "latin1")
    ])
    const fields = Buffer.concat([
      number(2, isExtensible ? 0xfffe : tag),
      number(2, format.channels),
      number(4, format.sampleRate),
      number(4, format.sampleRate * frameSize),
      number(2, frameSize + alignError),
      number(2, sampleSize * 8),
      fmt === "plain" ? Buffer.alloc(0) : isExtensible ? extension : number(2, 0)
    ])
    const samples = Buffer.from(bytes)
    for (let at = 0; !little && at < samples.length; at += sampleSize) samples.subarray(at, at + sampleSize).reverse()
    const isWritten = sizes === "right"
    const unfinished = sizes === "zero" ? 0 : unknownSize
    const ds64 = Buffer.alloc(28)
    if (isWritten) ds64.writeBigUInt64LE(BigInt(samples.length), 8)
    if (isWritten) ds64.writeBigUInt64LE(BigInt(100 + samples.length), 0)
    const some = (given: typeof before) => given.map(({ content, name }) => chunk(name, content))
    const size = large ? unknownSize : isWritten ? samples.length : unfinished
    const body = Buffer.concat([
      Buffer.from("WAVE"),
      ...(large ? [chunk("ds64", ds64)] : []),
      ...some(before),
      chunk("fmt ", fields),
      ...some(between),
      // After samples that are still being written nothing follows, not even a pad byte.
      isWritten ? chunk("data", samples, size) : chunk("data", samples, size).subarray(0, 8 + samples.length),
      ...(isWritten ? some(after) : [])
    ])
    const whole = large ? unknownSize : isWritten ? body.length : unfinished
    return { file: Buffer.concat([Buffer.from(kind), number(4, whole), body]), audio: { bytes, format } }
  })

/** Damaged WAV files, and bytes that never were one. */
export const damagedFile: FastCheck.Arbitrary<Uint8Array> = FastCheck.oneof(
  FastCheck.uint8Array({ maxLength: 300 }),
  damaged(
    FastCheck.oneof(
      audio.map(({ bytes, format }) => Wav.encode(bytes, format)),
      shapedFile.map(({ file }) => file)
    ),
    "RIFF,RIFX,RF64,BW64,WAVE,fmt ,fact,ds64,data,LIST".split(",")
  )
)
