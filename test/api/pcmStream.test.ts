import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { AudioDecoder, AudioFormat, Pcm, PcmStream, Telephony, Wav } from "@effect-speech/audio-codec"
import { type SpeechStream, TextToSpeech } from "@effect-speech/tts"
import { Effect, Equal, Hash, HashSet, Schema, type Scope, Stream } from "effect"

const mono = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const
const second = new Uint8Array(16_000)

describe("audio", () => {
  it("is made from a format and a stream, and is piped", () => {
    const audio = PcmStream.make(mono, Stream.make(second, second), { byteLength: 32_000 })
    expect(audio.byteLength).toBe(32_000)
    const shaped = audio.pipe(PcmStream.fade({ in: "20 millis", out: "20 millis" }), Telephony.telephony)
    expect(shaped.byteLength).toBe(32_000)
    expect(Effect.runSync(PcmStream.collect(shaped))).toHaveLength(32_000)
  })

  it("with another stream is no audio: its length would be that of the old one", () => {
    const audio = PcmStream.fromBytes(mono, second)
    const copy = { ...audio, stream: Stream.make(second, second) }
    expect(copy).not.toHaveProperty("byteLength")
    // @ts-expect-error: a spread has neither the length nor the methods
    expect(() => Effect.runSync(Stream.runDrain(Wav.encodeStream(copy)))).not.toThrow()
    // @ts-expect-error: nor is a literal audio
    Wav.encodeStream({ format: mono, stream: Stream.make(second) })
  })

  it("keeps its length where its bytes stay, and loses it where they change", () => {
    const audio = PcmStream.fromBytes(mono, second)
    let counted = 0
    const tapped = PcmStream.tap(audio, (chunk) => Effect.sync(() => (counted += chunk.byteLength)))
    expect(tapped.byteLength).toBe(16_000)
    expect(Effect.runSync(PcmStream.collect(tapped))).toHaveLength(counted)
    expect(PcmStream.mapError(audio, () => "never").byteLength).toBe(16_000)
    const twice = audio.pipe(PcmStream.mapStream((stream) => Stream.concat(stream, stream)))
    expect(twice.byteLength).toBeUndefined()
    expect(Wav.contentLength(twice)).toBeUndefined()
    expect(PcmStream.trim(audio).byteLength).toBeUndefined()
    expect(PcmStream.concat([audio, audio]).byteLength).toBe(32_000)
  })

  it.effect("whose parts fail in different ways is joined, and fails as each of them", () =>
    Effect.gen(function* () {
      const failing = <E>(error: E) => PcmStream.make(mono, Stream.concat(Stream.make(second), Stream.fail(error)))
      const joined = PcmStream.concat([PcmStream.fromBytes(mono, second), failing("one" as const), failing(2 as const)])
      const error: "one" | 2 = yield* Effect.flip(PcmStream.collect(joined))
      expect(error).toBe("one")
      // @ts-expect-error: the errors of all parts are in the type
      const first: Effect.Effect<Uint8Array, "one"> = PcmStream.collect(joined)
      expect(Effect.isEffect(first)).toBe(true)
      const silent: Effect.Effect<Uint8Array> = PcmStream.collect(
        PcmStream.concat([PcmStream.silence(mono, "1 second")])
      )
      expect((yield* silent).byteLength).toBe(16_000)
      const generic = <E, R>(audio: PcmStream.PcmStream<E, R>): PcmStream.PcmStream<E | 2, R> =>
        PcmStream.concat([audio, failing(2 as const)])
      expect(yield* Effect.flip(PcmStream.collect(generic(PcmStream.fromBytes(mono, second))))).toBe(2)
    })
  )

  it.effect("whose stream was changed is written with a true header", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped({ directory: tmpdir() })
      const path = join(folder, "twice.wav")
      const twice = PcmStream.mapStream(PcmStream.fromBytes(mono, second), (stream) => Stream.concat(stream, stream))
      const file = yield* Wav.writeFile(twice, path)
      expect(file.durationMillis).toBe(2000)
      const { byteLength } = yield* Wav.decodeHeader(yield* fs.readFile(path))
      expect(byteLength).toBe(32_000)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})

describe("speech", () => {
  const tts = TextToSpeech.layerTest({ bytes: second, outputFormat: "8000:pcm16" })

  it.effect("is audio with facts of its own", () =>
    Effect.gen(function* () {
      const { stream, synthesize } = yield* TextToSpeech
      const speech = yield* synthesize({ text: "Hello.", lang: "en" })
      expect([speech.byteLength, speech.durationMillis]).toEqual([16_000, 1000])
      const spoken: SpeechStream = yield* stream({ text: "Hello.", lang: "en" })
      const louder = spoken.pipe(
        PcmStream.fade(),
        PcmStream.mapError((error) => error._tag)
      )
      expect(yield* PcmStream.collect(louder)).toHaveLength(16_000)
      // @ts-expect-error: with another stream it is no speech
      const changed: SpeechStream = { ...speech, stream: Stream.make(second) }
      expect(changed).not.toHaveProperty("pipe")
    }).pipe(Effect.scoped, Effect.provide(tts))
  )
})

describe("a format", () => {
  it("is a literal where it is given, and a value where it is received", () => {
    const { format } = PcmStream.fromBytes(mono, second)
    expect(Equal.equals(format, Telephony.format)).toBe(true)
    expect(Hash.hash(format)).toBe(Hash.hash(Telephony.format))
    const other = PcmStream.silence({ ...mono, channels: 2 }, "1 second").format
    expect(HashSet.size(HashSet.make(format, Telephony.format, other))).toBe(2)
    expect(format).toEqual(mono)
  })

  it("is a Schema, which refuses what no audio has", () => {
    const decode = Schema.decodeUnknownEither(AudioFormat.AudioFormat)
    expect(decode(JSON.parse(JSON.stringify(Telephony.format)))).toEqual(decode(mono))
    for (const wrong of [{ sampleRate: 0 }, { sampleRate: 8000.5 }, { channels: 0 }, { encoding: "mp3" }]) {
      expect(decode({ ...mono, ...wrong })._tag).toBe("Left")
    }
  })

  it("of a file is a value, as the file's facts are", () => {
    const file = Wav.encode(second, mono)
    const header = Wav.decodeHeader(file)
    expect(Equal.equals(header, Wav.decodeHeader(file.slice()))).toBe(true)
  })
})

describe("samples", () => {
  it.effect("are decoded, changed and encoded in one pipe", () =>
    Effect.gen(function* () {
      const audio = PcmStream.fromBytes(mono, Pcm.encode(Float32Array.of(0.25, -0.5), "pcm16").bytes)
      const samples = yield* Pcm.collectSamples(Pcm.decodeStream(audio))
      expect([...samples]).toEqual([0.25, -0.5])
    })
  )
})

describe("a recording of any container", () => {
  const mp3 = "packages/audio-codec/test/recordings/cbr.mp3"

  it.effect("needs a decoder, which the type says", () =>
    Effect.gen(function* () {
      const decoding = AudioDecoder.decodeFile(mp3).pipe(Effect.provide(NodeFileSystem.layer))
      // @ts-expect-error: no decoder is provided
      const missing: Effect.Effect<unknown, unknown, Scope.Scope> = decoding
      expect(missing).toBe(decoding)
      const error = yield* Effect.flip(Effect.provide(decoding, AudioDecoder.AudioDecoder.layerWav))
      expect(error).toMatchObject({ _tag: "AudioDecoderError", reason: "NoDecoder" })
    }).pipe(Effect.scoped)
  )

  it.effect("that is in memory needs no file system", () =>
    Effect.gen(function* () {
      const decoded = yield* AudioDecoder.decodeStream(Stream.make(Wav.encode(second, mono)))
      expect(yield* PcmStream.collect(decoded)).toEqual(second)
    }).pipe(Effect.scoped, Effect.provide(AudioDecoder.AudioDecoder.layerWav))
  )
})
