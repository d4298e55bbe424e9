import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it as vitest } from "@effect/vitest"
import { type AudioFormat, Channels, Pcm, PcmStream, Resampler, Telephony, Wav } from "@effect-speech/audio-codec"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { effectTests } from "effect-speech-test-support/effectTests"
import { holds } from "effect-speech-test-support/holds"
import { cutAt } from "./wavArbitrary.js"

const format = FastCheck.record({
  sampleRate: FastCheck.constantFrom(8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 12_345),
  channels: FastCheck.integer({ min: 1, max: 3 }),
  encoding: FastCheck.constantFrom<AudioFormat.Encoding>("pcm8", "pcm16", "pcm24", "pcm32", "alaw", "mulaw")
})

const tone = (length: number) => Float32Array.from({ length }, (_, index) => Math.sin(index / 9))

const whole = (format: AudioFormat.AudioFormat, bytes: Uint8Array): Buffer => {
  const converter = Telephony.unsafeMake(format)
  return Buffer.concat([converter.push(bytes), converter.flush()])
}

/** The same in four steps. */
const stepByStep = (format: AudioFormat.AudioFormat, bytes: Uint8Array): Buffer => {
  const mono = Channels.mixdown(Pcm.decode(bytes, format.encoding), format.channels)
  return Buffer.from(Pcm.encode(Resampler.resample(mono, { from: format.sampleRate, to: 8000 }), "pcm16").bytes)
}

vitest("telephony is decoding, mixdown, resampling and encoding in one, bit for bit", () => {
  holds([format, FastCheck.uint8Array({ maxLength: 4000 })], { numRuns: 60 }, (format, bytes) => {
    expect(Buffer.compare(whole(format, bytes), stepByStep(format, bytes))).toBe(0)
  })
})

vitest("telephony of several seconds is the same, and counts clipped samples", () => {
  const samples = Float32Array.from({ length: 2 * 48_000 * 3 }, (_, index) => 1.5 * Math.sin(index / 50))
  for (const encoding of ["pcm16", "float32", "float64"] as const) {
    const { bytes } = Pcm.encode(samples, encoding)
    const source: AudioFormat.AudioFormat = { sampleRate: 48_000, channels: 2, encoding }
    expect(Buffer.compare(whole(source, bytes), stepByStep(source, bytes))).toBe(0)
    const converter = Telephony.unsafeMake(source)
    converter.push(bytes)
    converter.flush()
    expect(converter.clipped()).toBeGreaterThan(1000)
  }
})

vitest("telephony of a stream does not depend on its chunks, and has the announced length", () =>
  FastCheck.assert(
    FastCheck.asyncProperty(
      format,
      FastCheck.array(FastCheck.uint8Array({ maxLength: 500 }), { maxLength: 8 }),
      async (format, parts) => {
        const bytes = Buffer.concat(parts)
        const audio = Telephony.telephony(
          PcmStream.make(format, Stream.fromIterable(parts), { byteLength: bytes.byteLength })
        )
        const streamed = await Effect.runPromise(PcmStream.collect(audio))
        expect(Buffer.compare(streamed, whole(format, bytes))).toBe(0)
        expect(streamed.byteLength).toBe(audio.byteLength)
        expect(audio.format).toEqual(Telephony.format)
      }
    ),
    { numRuns: 60 }
  )
)

vitest("converters that take turns do not disturb each other", () => {
  const source: AudioFormat.AudioFormat = { sampleRate: 44_100, channels: 2, encoding: "pcm16" }
  const { bytes } = Pcm.encode(tone(20_000), "pcm16")
  const one = Telephony.unsafeMake(source)
  const other = Resampler.unsafeMake({ from: 8000, to: 44_100 })
  const parts: Array<Uint8Array> = []
  for (const part of cutAt(bytes, [777])) {
    parts.push(one.push(part))
    other.push(new Float32Array(100).fill(0.7))
  }
  parts.push(one.flush())
  expect(Buffer.compare(Buffer.concat(parts), whole(source, bytes))).toBe(0)
})

const it = effectTests(NodeFileSystem.layer)

describe("reading a file", () => {
  it("of a rate too low for speech is an error, before memory is taken for thousands of samples of one", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped()}/in.wav`
    for (const sampleRate of [1, 2, 999]) {
      const source: AudioFormat.AudioFormat = { sampleRate, channels: 1, encoding: "mulaw" }
      const file = Wav.encode(new Uint8Array(1000), source)
      yield* fs.writeFile(path, file)
      for (const read of [Telephony.readFile(path), Telephony.decodeStream(Stream.make(file))]) {
        const error = yield* Effect.flip(read)
        expect(error).toMatchObject({
          _tag: "WavError",
          reason: "Unsupported",
          offset: 24,
          found: `${sampleRate} Hz`
        })
        expect(error.message).toContain("too low for speech; correct its header")
      }
      expect(() => Telephony.unsafeMake(source)).toThrow(`A rate of ${sampleRate} Hz can't be raised`)
    }
  })

  it("takes every rate of speech, whole or as it arrives", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped()}/in.wav`
    for (const sampleRate of [1000, 4000, 8000, 44_100, 192_000, 768_000]) {
      const bytes = new Uint8Array(sampleRate / 10)
      const file = Wav.encode(bytes, { sampleRate, channels: 1, encoding: "mulaw" })
      yield* fs.writeFile(path, file)
      const known = Telephony.decodeStream(Stream.make(file), file.byteLength)
      for (const read of [Telephony.readFile(path), known, Telephony.decodeStream(Stream.make(file))]) {
        const audio = yield* read
        expect((yield* PcmStream.collect(audio)).byteLength).toBe(1600)
      }
      expect((yield* known).byteLength).toBe(1600)
    }
  })

  it("gives the same as the whole file, and can be written as a file", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const source: AudioFormat.AudioFormat = { sampleRate: 48_000, channels: 2, encoding: "pcm24" }
    const { bytes } = Pcm.encode(tone(600_000), "pcm24")
    yield* fs.writeFile(`${folder}/in.wav`, Wav.encode(bytes, source))
    const written = yield* Wav.writeFile(yield* Telephony.readFile(`${folder}/in.wav`), `${folder}/out.wav`)
    expect(written.format).toEqual(Telephony.format)
    expect(written.durationMillis).toBe(6250)
    const again = yield* PcmStream.collect(yield* Wav.readFile(`${folder}/out.wav`))
    expect(Buffer.compare(again, whole(source, bytes))).toBe(0)
  })

  it("gives blocks that do not change when the next are read", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const bytes = new Uint8Array(12_000_000).map((_, index) => index % 251)
    const path = `${folder}/in.wav`
    yield* fs.writeFile(path, Wav.encode(bytes, { sampleRate: 8000, channels: 3, encoding: "pcm16" }))
    const audio = yield* Wav.readFile(path)
    const blocks = Chunk.toArray(yield* Stream.runCollect(audio.stream))
    expect(blocks.length).toBeGreaterThan(5)
    expect(Buffer.compare(Buffer.concat(blocks), bytes)).toBe(0)
  })
})
