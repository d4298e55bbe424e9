import { describe, expect, it } from "@effect/vitest"
import {
  AudioFormat,
  Channels,
  Container,
  Pcm,
  PcmStream,
  Quiet,
  Resampler,
  Silence,
  Wav
} from "@effect-speech/audio-codec"
import { Chunk, Duration, Effect, Equal, Option, pipe, Stream } from "effect"

const rate = 8000
const mono = { sampleRate: rate, channels: 1, encoding: "pcm16" } as const

const tone = (millis: number) => Float32Array.from({ length: 8 * millis }, (_, index) => Math.sin(index) / 2)
const hush = (millis: number) => new Float32Array(8 * millis)
const talk = Float32Array.from([tone(500), hush(400), tone(900), hush(350)].flatMap((part) => [...part]))

describe("a duration that is given", () => {
  it("is one of Effect's, whatever its unit", () => {
    const lengths = ["2 seconds", 2000, Duration.seconds(2)] as const
    expect(lengths.map((length) => PcmStream.silence(mono, length).byteLength)).toEqual([32_000, 32_000, 32_000])
    expect(Silence.pauses(talk, rate, { minimum: "360 millis" })).toHaveLength(1)
    expect(Silence.pauses(talk, rate, { minimum: "0.1 seconds" })).toHaveLength(2)
    const cutter = Quiet.unsafeMakeCutter(rate, { maximum: "1.5 seconds" })
    expect(cutter.push(talk).length + cutter.flush().length).toBe(2)
  })

  it("does not compile under a name with a unit, so that no seconds are taken for milliseconds", () => {
    // @ts-expect-error: the option is `minimum`
    Silence.pauses(talk, rate, { minimumMillis: 0.3 })
    // @ts-expect-error: the option is `maximum`
    Quiet.unsafeMakeCutter(rate, { maximumSeconds: 300 })
    const audio = PcmStream.fromBytes(mono, new Uint8Array(100))
    // @ts-expect-error: the options are `in` and `out`
    PcmStream.fade(audio, { inSeconds: 0.005 })
    // @ts-expect-error: the option is `keep`
    PcmStream.trim(audio, { keepMillis: 40 })
    // @ts-expect-error: "2" has no unit
    expect(() => PcmStream.silence(mono, "2")).toThrow("Invalid DurationInput")
  })

  it("that no audio has is refused", () => {
    expect(() => PcmStream.silence(mono, Duration.infinity)).toThrow("must be 0 ms or more, not Infinity")
    expect(() => Silence.pauses(talk, rate, { minimum: -1 })).toThrow("must be 0 ms or more, not -1")
  })
})

describe("a place that is received", () => {
  it("says its unit", () => {
    const [pause] = Silence.pauses(talk, rate)
    expect(pause).toEqual({ startSample: 4000, endSample: 7200 })
    // @ts-expect-error: `start` of what?
    expect(pause?.start).toBeUndefined()
    const pieces = pipe(Stream.make(talk), Quiet.cutStream(rate, { maximum: "1.5 seconds" }), Stream.runCollect)
    const [, second] = Chunk.toReadonlyArray(Effect.runSync(pieces))
    expect(second?.startSample).toBeGreaterThan(4000)
  })

  it("is a value", () => {
    const [one] = Silence.pauses(talk, rate)
    expect(Equal.equals(one, new Silence.Pause({ startSample: 4000, endSample: 7200 }))).toBe(true)
    const file = Wav.encode(new Uint8Array(1600), mono)
    const header = Effect.runSync(Container.readHeader(Container.fromBytes(file, file.byteLength)))
    const expected = new Container.Header({ container: "wav", sampleRate: rate, channels: 1, durationMillis: 100 })
    expect(Equal.equals(header, expected)).toBe(true)
  })

  it("is none if nothing is found", () => {
    expect(Container.sniff(Wav.encode(new Uint8Array(2), mono))).toEqual(Option.some("wav"))
    expect(Container.sniff(new Uint8Array(100))).toEqual(Option.none())
  })
})

describe("a function of audio", () => {
  const bytes = Pcm.encode(talk, "pcm16").bytes

  it("takes its subject first, or last in a pipe", () => {
    const stereo = Float32Array.of(1, 0, 0, 1)
    const pairs: ReadonlyArray<readonly [unknown, unknown]> = [
      [Pcm.decode(bytes, "pcm16"), pipe(bytes, Pcm.decode("pcm16"))],
      [Pcm.encode(talk, "alaw"), pipe(talk, Pcm.encode("alaw"))],
      [Wav.encode(bytes, mono), pipe(bytes, Wav.encode(mono))],
      [Wav.decodeHeader(bytes, 9), pipe(bytes, Wav.decodeHeader(9))],
      [Channels.mixdown(stereo, 2), pipe(stereo, Channels.mixdown(2))],
      [Channels.pick(stereo, 2, 1), pipe(stereo, Channels.pick(2, 1))],
      [
        Resampler.resample(talk, { from: 8000, to: 16_000 }),
        pipe(talk, Resampler.resample({ from: 8000, to: 16_000 }))
      ],
      [Silence.pauses(talk, rate), pipe(talk, Silence.pauses(rate))],
      [Silence.pauses(talk, rate, { minimum: 360 }), pipe(talk, Silence.pauses(rate, { minimum: 360 }))],
      [AudioFormat.durationMillis(mono, 16), pipe(mono, AudioFormat.durationMillis(16))]
    ]
    for (const [first, last] of pairs) expect(first).toEqual(last)
  })

  it.effect("of a stream does too", () =>
    Effect.gen(function* () {
      const audio = PcmStream.fromBytes(mono, bytes)
      const blocks = Pcm.decodeStream(audio)
      const half = { from: 8000, to: 4000 }
      const last = blocks.pipe(Resampler.resampleStream(half), Pcm.encodeStream({ ...mono, sampleRate: 4000 }))
      const first = Pcm.encodeStream(Resampler.resampleStream(blocks, half), { ...mono, sampleRate: 4000 })
      expect(yield* PcmStream.collect(last)).toEqual(yield* PcmStream.collect(first))
      const pauses = yield* Stream.runCollect(Silence.pausesStream(blocks, rate))
      expect(pauses).toEqual(yield* blocks.pipe(Silence.pausesStream(rate), Stream.runCollect))
      const cut = yield* Stream.runCollect(Silence.splitStream(blocks, rate, "1 second"))
      expect(cut).toEqual(yield* blocks.pipe(Silence.splitStream(rate, "1 second"), Stream.runCollect))
      expect(yield* PcmStream.collect(PcmStream.fade(audio))).toEqual(
        yield* audio.pipe(PcmStream.fade(), PcmStream.collect)
      )
    })
  )
})
