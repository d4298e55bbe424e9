import { describe, expect, it } from "@effect/vitest"
import { AudioFormat, Pcm, PcmStream } from "@effect-speech/audio-codec"
import * as WholeAudio from "@effect-speech/audio-codec/unstable/WholeAudio"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { holds } from "effect-speech-test-support/holds"
import { audio, cutAt, cuts, encodings } from "./wavArbitrary.js"

const mono = (encoding: AudioFormat.Encoding, sampleRate = 8000): AudioFormat.AudioFormat => ({
  sampleRate,
  channels: 1,
  encoding
})
const chunked = (format: AudioFormat.AudioFormat, bytes: Uint8Array, sizes: ReadonlyArray<number>) =>
  PcmStream.make(format, Stream.fromIterable(cutAt(bytes, sizes)), { byteLength: bytes.byteLength })
const collect = (audio: PcmStream.PcmStream) => Effect.runSync(PcmStream.collect(audio))
const equal = (bytes: Uint8Array, others: Uint8Array) => expect(Buffer.compare(bytes, others)).toBe(0)
const runs = { numRuns: 15, seed: 7 }

describe("joining audio", () => {
  it("gives the whole frames of all parts, whatever their chunks, and their length if it is known", () => {
    holds([audio, cuts, FastCheck.nat(7), FastCheck.boolean()], runs, ({ bytes, format }, sizes, extra, known) => {
      const frame = AudioFormat.bytesPerFrame(format)
      const incomplete = new Uint8Array([...bytes, ...new Uint8Array(extra % frame)])
      const chunks = chunked(format, incomplete, sizes)
      const part = known ? chunks : PcmStream.mapStream(chunks, (stream) => stream)
      const joined = PcmStream.concat([part, PcmStream.fromBytes(format, bytes), part])
      equal(collect(joined), Buffer.concat([bytes, bytes, bytes]))
      expect(joined.byteLength).toBe(known ? 3 * bytes.byteLength : undefined)
    })
  })

  it("takes parts whose formats are literals: they are compared by their fields", () => {
    const literal = { ...PcmStream.silence(mono("pcm16"), 10), format: { ...mono("pcm16") } } as PcmStream.PcmStream
    expect(PcmStream.concat([literal, PcmStream.silence(mono("pcm16"), 10)]).format).toEqual(mono("pcm16"))
    expect(PcmStream.concat([PcmStream.silence(mono("pcm16"), 10), literal]).format).toEqual(mono("pcm16"))
  })

  it("refuses parts of several formats", () => {
    const parts = [PcmStream.silence(mono("pcm16"), 10), PcmStream.silence(mono("pcm16", 16_000), 10)] as const
    expect(() => PcmStream.concat(parts)).toThrow("not 8000 Hz, 1 channel, pcm16 and 16000 Hz, 1 channel, pcm16")
  })
})

describe("silence", () => {
  it("has its duration in whole frames, and no sound in any encoding", () => {
    const bytes = { pcm8: 128, alaw: 0xd5, mulaw: 0xff }
    for (const encoding of encodings) {
      const format = { sampleRate: 11_025, channels: 3, encoding }
      const silence = PcmStream.silence(format, 1000.01)
      const collected = collect(silence)
      expect(collected.byteLength).toBe(11_025 * AudioFormat.bytesPerFrame(format))
      expect(silence.byteLength).toBe(collected.byteLength)
      expect(new Set(collected)).toEqual(new Set([bytes[encoding as "pcm8"] ?? 0]))
      const loudest = Math.max(...Pcm.decode(collected.subarray(0, 1000), encoding).map(Math.abs))
      expect(loudest).toBeLessThanOrEqual(encoding === "alaw" ? 8 / 32_768 : 0)
    }
    equal(collect(PcmStream.silence(mono("pcm16"), 0)), new Uint8Array(0))
  })

  it("refuses a duration that no audio has", () => {
    for (const millis of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => PcmStream.silence(mono("pcm16"), millis)).toThrow("duration of a silence must be 0 ms or more")
    }
  })
})

describe("fading", () => {
  const ones = Pcm.encode(new Float32Array(400).fill(1), "float32").bytes

  it("follows a raised cosine at both ends, and changes nothing between", () => {
    const faded = Pcm.decode(collect(PcmStream.fade(PcmStream.fromBytes(mono("float32"), ones))), "float32")
    const ramp = Float32Array.from({ length: 40 }, (_, index) => Math.sin((Math.PI * (index + 0.5)) / 80) ** 2)
    for (const [index, gain] of ramp.entries()) {
      expect(faded[index]).toBeCloseTo(gain, 6)
      expect(faded[399 - index]).toBeCloseTo(gain, 6)
    }
    expect(new Set(faded.subarray(40, 360))).toEqual(new Set([1]))
  })

  it("does not depend on chunks, keeps the length, and touches only the ends", () => {
    const durations = FastCheck.integer({ min: 0, max: 30 })
    holds([audio, cuts, durations, durations], runs, ({ bytes, format }, sizes, inMillis, outMillis) => {
      const options = { in: inMillis, out: outMillis }
      const faded = collect(PcmStream.fade(PcmStream.fromBytes(format, bytes), options))
      const streamed = PcmStream.fade(chunked(format, bytes, sizes), options)
      equal(collect(streamed), faded)
      expect(streamed.byteLength).toBe(bytes.byteLength)
      const frame = AudioFormat.bytesPerFrame(format)
      const from = Math.round((inMillis * format.sampleRate) / 1000) * frame
      const to = bytes.byteLength - Math.round((outMillis * format.sampleRate) / 1000) * frame
      if (from < to) equal(faded.subarray(from, to), bytes.subarray(from, to))
    })
  })

  it("holds back no more than the end", () => {
    const endless = Stream.concat(Stream.make(ones, ones), Stream.never)
    const { stream } = PcmStream.fade(PcmStream.make(mono("float32"), endless))
    const taken = Effect.runSync(Stream.runCollect(Stream.take(stream, 4)))
    expect(Array.from(taken).reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(2 * 1600 - 40 * 4)
  })
})

describe("trimming", () => {
  const rate = 8000
  const noise = (millis: number, level: number, seed = 1) => {
    const dither = Pcm.triangularDither(seed)
    return Float32Array.from({ length: (millis * rate) / 1000 }, () => level * dither())
  }
  const pcm = (...parts: ReadonlyArray<Float32Array>) =>
    Buffer.concat(parts.map((part) => Pcm.encode(part, "pcm16").bytes))
  const trim = (bytes: Uint8Array, options?: PcmStream.TrimOptions) =>
    collect(PcmStream.trim(PcmStream.fromBytes(mono("pcm16"), bytes), options))
  const bytesOf = (millis: number) => 2 * 8 * millis

  it("keeps 40 ms of silence at each end, and all of it between sounds", () => {
    const talk = pcm(noise(200, 0.3), noise(700, 0.001), noise(100, 0.3))
    const before = pcm(noise(300, 0.001))
    const after = pcm(noise(500, 0.0005))
    const edge = bytesOf(40)
    equal(
      trim(Buffer.concat([before, talk, after])),
      Buffer.concat([before.subarray(-edge), talk, after.subarray(0, edge)])
    )
    equal(trim(Buffer.concat([before, talk, after]), { keep: 0 }), talk)
    equal(trim(Buffer.concat([before.subarray(-160), talk])), Buffer.concat([before.subarray(-160), talk]))
    equal(trim(before), new Uint8Array(0))
    equal(trim(before, { thresholdDecibels: -80 }), before)
  })

  it("hears a sound in one channel of several", () => {
    const format = { sampleRate: rate, channels: 8, encoding: "pcm16" } as const
    const frames = Float32Array.from({ length: 800 * 8 }, (_, index) => (index % 8 === 5 ? 0.004 : 0))
    const { bytes } = Pcm.encode(frames, "pcm16")
    equal(collect(PcmStream.trim(PcmStream.fromBytes(format, bytes))), bytes)
  })

  it("gives a part of the audio, does not depend on chunks, and finds nothing more to trim", () => {
    const levels = FastCheck.array(FastCheck.constantFrom(0, 0.001, 0.3), { minLength: 1, maxLength: 12 })
    holds([levels, cuts, FastCheck.nat(100), FastCheck.nat(30)], runs, (all, sizes, shift, keep) => {
      const bytes = pcm(noise(shift / 8, 0.001), ...all.map((level, index) => noise(35, level, index + 1)))
      const trimmed = trim(bytes, { keep })
      equal(
        collect(
          PcmStream.trim(
            chunked(
              mono("pcm16"),
              bytes,
              sizes.map((size) => 97 * size)
            ),
            { keep }
          )
        ),
        trimmed
      )
      expect(bytes.includes(Buffer.from(trimmed))).toBe(true)
      const again = trim(trimmed, { keep })
      expect(trimmed.byteLength - again.byteLength).toBeLessThan(2 * bytesOf(10))
    })
  })

  it("keeps and drops a digital silence of any length, and drops at most a minute of another", () => {
    const format = mono("pcm8", 1000)
    const minutes = (count: number, byte: (index: number) => number) =>
      Uint8Array.from({ length: count * 60_000 }, (_, index) => byte(index))
    const sound = Uint8Array.from({ length: 100 }, (_, index) => index)
    const digital = minutes(2, () => 127)
    const trimmed = (...parts: ReadonlyArray<Uint8Array>) =>
      collect(PcmStream.trim(chunked(format, Buffer.concat(parts), [40_007]), { thresholdDecibels: -30 }))
    equal(trimmed(sound, digital, sound), Buffer.concat([sound, digital, sound]))
    equal(trimmed(sound, digital), Buffer.concat([sound, digital.subarray(0, 40)]))
    const hiss = minutes(2, (index) => 127 + ((index * index) % 3))
    equal(trimmed(sound, hiss, sound), Buffer.concat([sound, hiss, sound]))
    const changing = minutes(2, (index) => (Math.floor(index / 10) % 2 === 0 ? 127 : 128))
    const left = trimmed(sound, changing)
    expect(left.byteLength).toBe(100 + 60_000)
    equal(left, Buffer.concat([sound, changing]).subarray(0, left.byteLength))
  })

  it("refuses a threshold and a duration that make no sense", () => {
    expect(() => trim(pcm(), { thresholdDecibels: 0 })).toThrow("threshold of silence must be below 0 dB, not 0")
    expect(() => trim(pcm(), { keep: -1 })).toThrow("silence to keep must be 0 ms or more, not -1")
  })
})

describe("audio in memory", () => {
  it("is trimmed and faded as a stream is", () => {
    const format = mono("pcm16")
    const speech = [new Uint8Array(2000), new Uint8Array(3000).fill(0x21), new Uint8Array(1501)]
    const bytes = new Uint8Array(Buffer.concat(speech))
    const options = { keep: "30 millis", thresholdDecibels: -40 } as const
    const stream = chunked(format, bytes, [700, 1, 4000])
    equal(WholeAudio.trim(bytes, format, options), collect(PcmStream.trim(stream, options)))
    equal(WholeAudio.fade(bytes, format, { in: 20, out: 30 }), collect(PcmStream.fade(stream, { in: 20, out: 30 })))
  })
})
