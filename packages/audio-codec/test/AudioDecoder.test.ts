import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { AudioDecoder, type AudioFormat, Container, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { effectTests, testFolder } from "effect-speech-test-support/effectTests"

const it = effectTests(Layer.merge(AudioDecoder.AudioDecoder.layerWav, NodeFileSystem.layer))
const folder = testFolder("audio-decoder")

const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
const bytes = Uint8Array.from({ length: 4000 }, (_, index) => index)
const mp3 = fileURLToPath(new URL("./recordings/cbr.mp3", import.meta.url))

/** The bytes one by one: the container is known only from several of them. */
const singly = (file: Uint8Array) => Stream.fromIterable(Array.from(file, (byte) => Uint8Array.of(byte)))

describe("a recording", () => {
  it.each([0, 100, 300_000])(
    "is decoded, also behind two tags of %i bytes, from a file and from a stream",
    function* (length) {
      const size = [21, 14, 7, 0].map((shift) => (length >>> shift) & 127)
      const tag = Uint8Array.from([...Buffer.from("ID3\x04\0\0"), ...size, ...new Uint8Array(length).fill(1)])
      const path = join(folder, "tagged")
      const wav = Buffer.concat([tag, tag, Wav.encode(bytes, format)])
      writeFileSync(path, wav)
      for (const chunk of [7000, wav.length]) {
        const chunks = Stream.rechunk(Stream.range(0, Math.ceil(wav.length / chunk) - 1), 1).pipe(
          Stream.map((number) => wav.subarray(number * chunk, (number + 1) * chunk))
        )
        for (const decode of [AudioDecoder.decodeFile(path), AudioDecoder.decodeStream(chunks)]) {
          const decoded = yield* decode
          expect(decoded.format).toEqual(format)
          expect(yield* PcmStream.collect(decoded)).toEqual(bytes)
        }
      }
      const tagged = Stream.make(new Uint8Array(Buffer.concat([tag, readFileSync(mp3)])), new Uint8Array(9))
      expect(yield* Effect.flip(AudioDecoder.decodeStream(tagged))).toMatchObject({ container: "mp3" })
      const other = Stream.make(new Uint8Array(tag), new TextEncoder().encode("FORM and no recording"))
      expect(yield* Effect.flip(AudioDecoder.decodeStream(other))).toMatchObject({ reason: "Unknown" })
    }
  )

  it("that is compressed is an error that says how to decode it", function* () {
    const stream = Stream.make(new Uint8Array(readFileSync(mp3)))
    for (const decode of [AudioDecoder.decodeFile(mp3), AudioDecoder.decodeStream(stream)]) {
      const error = yield* Effect.flip(decode)
      expect(error).toMatchObject({ _tag: "AudioDecoderError", reason: "NoDecoder", container: "mp3" })
      expect(error.message).toContain("This recording is MP3")
      expect(error.message).toContain("@effect-speech/audio-decoder")
    }
  })

  it("can be decoded if it is WAV, or if the provided decoder decodes its container", function* () {
    const decode = () => Effect.dieMessage("not called")
    const decodable = Effect.filter(Container.containers, AudioDecoder.canDecode)
    const decodableBy = (decoder: AudioDecoder.AudioDecoderOptions) =>
      Effect.provide(decodable, AudioDecoder.AudioDecoder.layer(decoder))
    expect(yield* decodable).toEqual(["wav"])
    expect(yield* decodableBy({ decode })).toEqual(Container.containers)
    expect(yield* decodableBy({ decode, containers: ["mp3"] })).toEqual(["wav", "mp3"])
    expect(yield* AudioDecoder.canDecode(undefined)).toBe(false)
  })

  it("of no known container is an error, also if it is empty", function* () {
    const path = join(folder, "a.txt")
    writeFileSync(path, "")
    const error = yield* Effect.flip(AudioDecoder.decodeFile(path))
    expect(error).toMatchObject({ _tag: "AudioDecoderError", reason: "Unknown", container: undefined })
    const text = Stream.make(new TextEncoder().encode("This is a text, and no recording."))
    for (const stream of [text, Stream.empty]) {
      expect((yield* Effect.flip(AudioDecoder.decodeStream(stream)))._tag).toBe("AudioDecoderError")
    }
  })

  it("whose stream fails is that failure, before and after its format", function* () {
    const file = Wav.encode(bytes, format)
    for (const length of [0, 5, 20, 1000]) {
      const failing = Stream.concat(singly(file.subarray(0, length)), Stream.fail("lost"))
      const collected = Effect.flatMap(AudioDecoder.decodeStream(failing), PcmStream.collect)
      expect(yield* Effect.flip(collected)).toBe("lost")
    }
  })

  it("that streams reaches a decoder as a whole file, which lasts as long as the scope", function* () {
    const seen: Array<string> = []
    const decoder = AudioDecoder.AudioDecoder.layer({
      decode: (path) =>
        Effect.sync(() => {
          seen.push(path)
          return PcmStream.fromBytes(format, readFileSync(path))
        })
    })
    const decoded = Effect.flatMap(AudioDecoder.decodeStream(singly(readFileSync(mp3))), PcmStream.collect).pipe(
      Effect.tap(() => Effect.sync(() => expect(existsSync(seen[0] as string)).toBe(true))),
      Effect.provide(decoder)
    )
    expect(Buffer.compare(yield* Effect.scoped(decoded), readFileSync(mp3))).toBe(0)
    expect(existsSync(seen[0] as string)).toBe(false)
  })
})
